import { expect, test } from "vitest";
import { profiles } from "../../scenarios/profiles.ts";
import { type ProcessorTimes, watchSearch } from "./capacity.ts";
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

/** In which period the search ends, and why it has no answer. */
function endOf(periods: readonly Period[], idleShare = 0.5) {
  let total = 0;
  const times = (): ProcessorTimes => {
    total += 100;
    return { total, idle: total * idleShare };
  };
  const profile = profiles.breakpoint;
  const watch = watchSearch(profile, times);
  const recording = createRecording({ scenario: "lookup", profile }, periodSeconds);
  for (const [place, line] of linesOf(periods).entries()) {
    const end = recording.take(line) ? watch(recording.series()) : undefined;
    if (end !== undefined) return { period: place - 1, starved: end.starved.map(({ code }) => code) };
  }
  return undefined;
}

const good: Period = {};
const slow: Period = { p95: 5000 };

test("ends with the second slow period in a row", () => {
  expect(endOf([good, good, slow, good, slow, slow, slow])).toEqual({ period: 6, starved: [] });
});

test("ends when requests are refused in four periods in a row", () => {
  const refused = { refused: 50 };
  expect(endOf([good, refused, good, refused, refused, refused, refused, refused])?.period).toBe(7);
});

test("does not end for a few failures that may be chance", () => {
  const failing = (failed: number): Period => ({ failed });
  // 3 of 200 in each period may be chance at a limit of 1 %, 6 may not.
  expect(endOf([good, failing(0.015), failing(0.015), good])).toBeUndefined();
  expect(endOf([good, failing(0.03), failing(0.03), good])?.period).toBe(3);
});

test("has no answer where this machine had no CPU left", () => {
  expect(endOf([good, good, slow, slow], 0.05)?.starved).toEqual(["search-on-busy-machine"]);
});
