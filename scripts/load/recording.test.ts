import { describe, expect, test } from "vitest";
import { createRecording, mostPeriods, seriesPeriodSeconds } from "./recording.ts";

const line = (event: string, data: unknown) => JSON.stringify({ event, data });
const start = 1_800_000_000_000;
const latency = (p50: number) => [p50 + 1, p50 * 9, p50, 0.1, p50 * 2, p50 * 3, p50 * 4];

function recordingOf(lines: readonly string[]) {
  const recording = createRecording(1);
  for (const one of lines) recording.take(one);
  return recording;
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
  test("has rates, and null where nothing was recorded", () => {
    expect(recordingOf(lines).series()).toEqual({
      periodSeconds: 1,
      seconds: [1, 2, 3, 4],
      requestRate: [40, 60, null, 4],
      failedRate: [0, 3, null, 0],
      refusedRate: [0, 20, null, 0],
      latency: { p50: [2, null, null, 4], p95: [6, null, null, 12], p99: [8, null, null, 16] },
    });
  });

  test("is undefined without a recording", () => {
    expect(recordingOf(["", "{}", line("snapshot", [[1]])]).series()).toBeUndefined();
  });

  test.each([2, 60, 599, 600, 601, 3600, 14_400])("of %i seconds has at most 600 periods", (seconds) => {
    const period = seriesPeriodSeconds(seconds);
    expect(period).toBeGreaterThanOrEqual(1);
    expect(seconds / period).toBeLessThanOrEqual(mostPeriods);
  });
});

describe("the figures of a running test", () => {
  test("are those of all periods, with their time", () => {
    expect(recordingOf(lines).now).toEqual({
      requests: 104,
      failed: 3,
      refused: 20,
      seconds: 4.001,
    });
  });

  test("count the time from the first request of the load", () => {
    const period = (requests: number, at: number) => line("snapshot", [[requests], [at]]);
    const all = [line("metric", { http_reqs: {}, time: {} }), line("start", [[], [1000]])];
    expect(recordingOf([...all, period(10, 2000)]).now).toMatchObject({ requests: 10, seconds: 1 });
    // The first request is that of the setup.
    const later = [period(1, 3000), period(0, 5000), period(10, 6000), period(20, 8000)];
    expect(recordingOf([...all, ...later]).now).toMatchObject({ requests: 31, seconds: 3 });
  });
});
