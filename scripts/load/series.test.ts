import { describe, expect, test } from "vitest";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import { planLoad } from "./plan.ts";
import {
  latenessOf,
  mostPeriods,
  type Recording,
  readRecording,
  readRecordingFile,
  seriesOf,
  seriesPeriodSeconds,
} from "./series.ts";

const line = (event: string, data: unknown) => JSON.stringify({ event, data });
const start = 1_800_000_000_000;
const latency = (p50: number) => [p50 + 1, p50 * 9, p50, 0.1, p50 * 2, p50 * 3, p50 * 4];

async function* recorded(lines: string[]) {
  yield* lines;
}

/** Lines as k6 writes them: names when they first occur, values in the order of the names. */
const lines = [
  line("param", { period: 1000 }),
  line("metric", { time: {} }),
  line("start", [[start]]),
  line("metric", { http_reqs: {}, http_req_failed: {}, "http_req_duration{status:200}": {} }),
  line("cumulative", [latency(2), [0], [40, 40], [start + 1003]]),
  line("snapshot", [latency(2), [0], [40, 40], [start + 1003]]),
  line("metric", { refusals: {}, vus: {} }),
  line("cumulative", [latency(2), [0.05], [100, 50], [20, 10], [start + 1998], [3]]),
  line("snapshot", [[], [0.05], [60, 60], [20, 20], [start + 1998], [3]]),
  line("cumulative", [latency(2), [0], [104, 33], [20, 7], [start + 4001], [5]]),
  line("snapshot", [latency(4), [0], [4, 4], [], [start + 4001], [5]]),
  line("cumulative", [latency(2), [0], [105, 32], [20, 7], [start + 4300], [5]]),
  line("stop", [[start + 4300]]),
  '{"event":"snapsh',
];

describe("the series of a run", () => {
  test("has rates, and null where nothing was recorded", async () => {
    const recording = await readRecording(recorded(lines), 1);
    expect(recording === undefined ? undefined : seriesOf([recording], 1)).toEqual({
      periodSeconds: 1,
      seconds: [1, 2, 3, 4],
      requestRate: [40, 60, null, 4],
      failedRate: [0, 3, null, 0],
      refusedRate: [0, 20, null, 0],
      latency: { p50: [2, null, null, 4], p95: [6, null, null, 12], p99: [8, null, null, 16] },
      lateMilliseconds: [null, null, null, null],
    });
  });

  test("has the delay of starts, without what dropped iterations explain", async () => {
    const plan = planLoad({
      scenario: "lookup",
      profileName: "test",
      profile: { ...profiles.smoke, stages: constantRate(100, 60) },
    });
    const names = { dropped_iterations: {}, iterations: {}, schedule_lag: {}, time: {} };
    const period = (at: number, dropped: number, late: number) =>
      line("snapshot", [[dropped], [50], [0, 0, 0, 0, 0, late, 0], [start + at]]);
    const all = [
      line("metric", names),
      line("start", [[], [], [], [start]]),
      period(1000, 0, 300),
      // 25 iterations are 250 ms at 100/s, also in the periods after.
      period(2000, 25, 300),
      period(3000, 0, 240),
    ];
    const recording = await readRecording(recorded(all), 1, latenessOf(plan));
    expect(recording && seriesOf([recording], 1)?.lateMilliseconds).toEqual([300, 50, 0]);
  });

  test("of several processes adds counts, and uses the highest percentile", () => {
    const first = recording(start, 2, { requests: 30, refused: 3, p50: 1 });
    const second = recording(start + 1080, 2, { requests: 10, refused: 1, p50: 7 });
    expect(seriesOf([first, second], 1)).toMatchObject({
      seconds: [1, 2, 3],
      requestRate: [30, 40, 10],
      refusedRate: [3, 4, 1],
      latency: { p50: [1, 7, 7] },
    });
  });

  test("of a long run is limited by merging periods", () => {
    const long = recording(start, 1500, { requests: 30, refused: 0, p50: 1 });
    const series = seriesOf([long], 2);
    expect(series?.seconds).toHaveLength(500);
    expect(series?.periodSeconds).toBe(6);
    expect(series?.seconds.at(-1)).toBe(3000);
    expect(new Set(series?.requestRate)).toEqual(new Set([15]));
  });

  test("is undefined without a recording", async () => {
    expect(seriesOf([], 1)).toBeUndefined();
    expect(await readRecording(recorded(["", "{}", line("snapshot", [[1]])]), 1)).toBeUndefined();
    expect(await readRecordingFile("/no/such/file", 1)).toBeUndefined();
  });

  test.each([2, 60, 599, 600, 601, 3600, 14_400])("of %i seconds has at most 600 periods", (seconds) => {
    const period = seriesPeriodSeconds(seconds);
    expect(period).toBeGreaterThanOrEqual(1);
    expect(seconds / period).toBeLessThanOrEqual(mostPeriods);
  });
});

function recording(
  startedAt: number,
  count: number,
  { requests, refused, p50 }: Record<string, number>,
): Recording {
  const period = {
    requests: requests ?? 0,
    failed: 0,
    refused: refused ?? 0,
    latency: { p50: p50 ?? 0, p95: 0, p99: 0 },
  };
  return {
    startedAt,
    periods: new Map(Array.from({ length: count }, (_, place) => [place + 1, period])),
  };
}
