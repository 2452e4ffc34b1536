import { randomLcg, randomLogNormal } from "d3-random";
import { expect, test } from "vitest";
import { slices } from "../../../scenarios/lib/summary.ts";
import { percentileCurves } from "../../load/measured.ts";
import { type Curve, pooled, quantile, samplingError, shareBelow } from "./curve.ts";

const curve = { endpoint: "batch", count: 100, at: [0, 50, 90, 100], milliseconds: [1, 10, 20, 100] };

test.each([
  [0, 1],
  [0.25, 5.5],
  [0.5, 10],
  [0.7, 15],
  [0.95, 60],
  [1, 100],
])("a share of %d of the samples is below %d ms", (share, milliseconds) => {
  expect(quantile(curve, share)).toBeCloseTo(milliseconds, 9);
});

test("the sixty points of a result give the same quantiles as the samples", () => {
  const draw = randomLogNormal.source(randomLcg(0.4))(Math.log(20), 0.5);
  const samples = Array.from({ length: 1000 }, draw);
  const sorted = samples.toSorted((one, other) => one - other);
  const whole = asInResults(sorted);
  for (const share of [0.5, 0.95, 0.99]) {
    const truth = sorted[Math.round(share * (sorted.length - 1))] ?? 0;
    expect(Math.abs(quantile(whole, share) / truth - 1), `p${share * 100}`).toBeLessThan(0.02);
    const ratio = samplingError(whole, share, 2000, randomLcg(0.5)) / resampledError(samples, share);
    expect(ratio, `p${share * 100}`).toBeGreaterThan(0.75);
    expect(ratio, `p${share * 100}`).toBeLessThan(1.33);
  }
});

/** A curve made from slices and a histogram, as in a real run. */
function asInResults(sorted: readonly number[]): Curve {
  const metric = "http_req_duration{name:batch,status:200}";
  const count = sorted.length;
  const [curve] = percentileCurves({
    schemaVersion: 1,
    scenario: "batch",
    profile: "average",
    seed: 1,
    plannedIterations: count,
    durationMilliseconds: 1000,
    metrics: { [metric]: { min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0, count } },
    thresholds: [],
    distributions: {
      [metric]: { count, slices: slices().map((at) => sorted[Math.floor((at / 100) * (count - 1))] ?? 0) },
    },
  });
  if (curve === undefined) throw new Error("no curve");
  return curve;
}

/** The ordinary bootstrap, with complete sorted resamples. */
function resampledError(samples: readonly number[], share: number): number {
  const random = randomLcg(0.6);
  const values = Array.from({ length: 200 }, () => {
    const again = samples.map(() => samples[Math.floor(random() * samples.length)] ?? 0);
    again.sort((one, other) => one - other);
    return Math.log(again[Math.round(share * (again.length - 1))] ?? 0);
  });
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

test("the same seed gives the same error, and more samples give a smaller one", () => {
  const few = samplingError(curve, 0.5, 200, randomLcg(1));
  expect(samplingError(curve, 0.5, 200, randomLcg(1))).toBe(few);
  expect(samplingError({ ...curve, count: 10_000 }, 0.5, 200, randomLcg(1))).toBeLessThan(few / 5);
});

test("shareBelow is the inverse of quantile", () => {
  for (const share of [0.25, 0.5, 0.7, 0.95, 1])
    expect(shareBelow(curve, quantile(curve, share))).toBeCloseTo(share, 9);
  expect([shareBelow(curve, 0.5), shareBelow(curve, 1000)]).toEqual([0, 1]);
});

test("pooled curves are the distribution of all samples, not the mean of percentiles", () => {
  const few = { endpoint: "batch", count: 10, at: [0, 50, 100], milliseconds: [1000, 1050, 1100] };
  const many = { endpoint: "batch", count: 90, at: [0, 50, 100], milliseconds: [10, 15, 20] };
  const all = pooled([many, few]);
  expect(all?.count).toBe(100);
  expect(all && quantile(all, 1)).toBe(1100);
  const median = all?.milliseconds[1] ?? 0;
  expect(shareBelow(many, median) * 0.9 + shareBelow(few, median) * 0.1).toBeCloseTo(0.5, 6);
  expect(median).toBeLessThan(20);
  expect(pooled([many])).toBe(many);
});
