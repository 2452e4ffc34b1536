import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { hasAnswer } from "./capacity.ts";
import { createRecording } from "./recording.ts";

// The names of the metrics in the alphabetical order in which the dashboard writes their values.
const names = ["http_req_duration{status:200}", "http_req_failed", "http_reqs", "refusals", "time"];
const periodSeconds = 2;

interface Period {
  readonly p95?: number;
  readonly failed?: number;
  readonly refused?: number;
}

/** The lines of a run of 100 requests a second. */
function linesOf(periods: readonly Period[]): string[] {
  const trend = (value: number) => [value, value, value, value, value, value, value];
  const line = (event: string, data: unknown) => JSON.stringify({ event, data });
  return [
    line("metric", Object.fromEntries(names.map((name) => [name, {}]))),
    line("start", [[], [], [], [], [1000]]),
    ...periods.map(({ p95 = 10, failed = 0, refused = 0 }, place) =>
      line("snapshot", [
        trend(p95),
        [failed],
        [200, 100],
        [refused, refused],
        [1000 + (place + 1) * periodSeconds * 1000],
      ]),
    ),
  ];
}

/** In which period the search ends. */
function endOf(periods: readonly Period[]): number | undefined {
  const profile = profiles.breakpoint;
  const recording = createRecording(periodSeconds);
  for (const [place, line] of linesOf(periods).entries())
    if (recording.take(line) && hasAnswer(profile, recording.series())) return place - 1;
  return undefined;
}

const good: Period = {};
const slow: Period = { p95: 5000 };

test("ends with the second slow period in a row", () => {
  expect(endOf([good, good, slow, good, slow, slow, slow])).toBe(6);
});

test("ends when requests are refused in six periods in a row", () => {
  const refused = { refused: 50 };
  const six = Array.from({ length: 6 }, () => refused);
  expect(endOf([good, refused, good, ...six, refused])).toBe(9);
});

test("does not end for a few failures that may be chance", () => {
  const failing = (failed: number): Period => ({ failed });
  // 3 of 200 in each period may be chance at a limit of 1 %, 6 may not.
  expect(endOf([good, failing(0.015), failing(0.015), good])).toBeUndefined();
  expect(endOf([good, failing(0.03), failing(0.03), good])).toBe(3);
});
