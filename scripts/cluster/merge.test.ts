import { expect, test } from "vitest";
import { slices, summarize, trendStatistics } from "../../scenarios/lib/summary.ts";
import { uniform } from "../../scenarios/lib/traffic.ts";
import { exactPercentile } from "../../test/support/stub-pods.ts";
import { addSamples, mergedSummaries, percentilesOf } from "./merge.ts";

// Like real latencies: mostly about 5 ms, with a tail up to seconds. Each pod is slower than the one before.
const pod = (place: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const u = uniform(place, index, 0);
    return (4 + place) * (1 + 0.4 * uniform(place, index, 1)) * (1 / (1 - u * 0.999)) ** 0.6;
  }).sort((a, b) => a - b);

// Slices are denser than the samples, as dense as them, and less dense.
test.each([
  [3, 300],
  [3, 975],
  [2, 3000],
  [10, 1500],
  [2, 25_000],
])(
  "merged samples of %d pods with %d each have all percentiles within 1 %% of the exact values",
  (pods, count) => {
    const samples = Array.from({ length: pods }, (_, place) => pod(place, count));
    const whole = samples.flat().sort((a, b) => a - b);
    const all = new Map<number, number>();
    for (const sorted of samples)
      addSamples({ count, slices: slices().map((at) => exactPercentile(sorted, at)) }, all);
    const read = percentilesOf(all);
    for (const at of [50, 90, 95, 99, 99.9]) {
      const exact = exactPercentile(whole, at);
      expect(Math.abs(read(at) - exact) / exact, `p${at}`).toBeLessThan(0.01);
    }
    const averaged = samples.reduce((sum, sorted) => sum + exactPercentile(sorted, 99.9), 0) / samples.length;
    const exact = exactPercentile(whole, 99.9);
    expect(Math.abs(averaged - exact)).toBeGreaterThan(Math.abs(read(99.9) - exact));
  },
);

const metric = "http_req_duration{name:lookup-by-id,status:200}";
const limits = [
  { metric, measure: "http_req_duration", statistic: "p95", bound: "most", limit: 50 },
  { metric, measure: "http_reqs", statistic: "count", bound: "least", limit: 3 },
] as const;
const part = (values: number[], failed: number) => {
  const sorted = values.toSorted((a, b) => a - b);
  const statistic = (name: string) =>
    name.startsWith("p(") ? exactPercentile(sorted, Number(name.slice(2, -1))) : (sorted[0] ?? 0);
  const trend = Object.fromEntries(trendStatistics().map((name) => [name, statistic(name)]));
  const summary = summarize(
    {
      state: { testRunDurationMs: 2000 },
      metrics: {
        http_req_failed: {
          type: "rate",
          contains: "",
          values: { rate: 0, passes: failed, fails: 4 - failed },
        },
        http_reqs: { type: "counter", contains: "", values: { count: sorted.length, rate: 1 } },
        [metric]: {
          type: "trend",
          contains: "time",
          values: { ...trend, count: sorted.length, avg: 0, max: sorted.at(-1) ?? 0 },
        },
        target_responded_after: {
          type: "gauge",
          contains: "",
          values: { value: failed, min: failed, max: 1 },
        },
      },
    },
    { scenario: "lookup", profile: "p", seed: 1, plannedIterations: 4 },
  );
  return { ...summary, thresholds: limits.map((limit) => ({ ...limit, met: true })) };
};

test("merged summaries add counts, keep minimum and maximum, and judge thresholds on the whole", () => {
  const whole = mergedSummaries([part([1, 2], 1), part([3, 90], 0)]);
  expect(whole.metrics.http_reqs).toEqual({ count: 4, rate: 2 });
  expect(whole.metrics.http_req_failed).toEqual({ rate: 1 / 8, passes: 1, fails: 7 });
  expect(whole.metrics[metric]).toMatchObject({ count: 4, min: 1, max: 90 });
  expect(whole.metrics.target_responded_after).toEqual({ value: 0, min: 0, max: 1 });
  expect(whole.thresholds).toEqual([
    { ...limits[0], met: false },
    { ...limits[1], met: true },
  ]);
});
