import { expect, test } from "vitest";
import { sampleLoad } from "../../test/support/samples/sample.ts";
import { apart, planChart } from "./plan-chart.ts";

const { series } = sampleLoad(4);

test("latency has three lines over time, and a text alternative", () => {
  const plan = planChart("latency", { name: "lookup (soak)", ...(series === undefined ? {} : { series }) });
  expect(plan).toMatchObject({
    across: "seconds",
    x: [6, 12, 18, 24],
    title: "Latency of successful responses, ms",
  });
  expect(plan?.lines.map(({ name }) => name)).toEqual(["p50", "p95", "p99"]);
  expect(plan?.summary).toMatch(/^lookup \(soak\): p50 from 11 to 11\.\d ms, p95 from/);
});

test("there is no chart of zeros or of missing measurements", () => {
  expect(
    planChart("refused", { name: "quiet", ...(series === undefined ? {} : { series }) }),
  ).toBeUndefined();
  expect(planChart("latency", { name: "no series" })).toBeUndefined();
  expect(planChart("percentiles", { name: "none", percentiles: [] })).toBeUndefined();
});

test("percentiles share a logarithmic axis; the slowest of n responses is at 1 - 1/n", () => {
  const at = [0, 90, 99, 100];
  const plan = planChart("percentiles", {
    name: "two",
    percentiles: [
      { endpoint: "a", count: 1000, at, milliseconds: [1, 2, 3, 4] },
      { endpoint: "b\u202E", count: 100_000, at, milliseconds: [5, 6, 7, 8] },
    ],
  });
  expect(plan?.x).toEqual([0, 1, 2, 3, 5]);
  expect(plan?.lines).toEqual([
    { name: "a", values: [1, 2, 3, 4, null] },
    { name: "b‹U+202E›", values: [5, 6, 7, null, 8] },
  ]);
});

test.each([
  ["far apart: nothing moves", [10, 40, 90], [10, 40, 90]],
  ["close: moved down", [10, 12, 13], [10, 24, 38]],
  ["at the bottom: moved up", [80, 95, 99], [72, 86, 100]],
  ["all at the bottom", [100, 100], [86, 100]],
])("names of lines, %s", (_name, heights, expected) => {
  expect(apart(heights, { gap: 14, bottom: 100 })).toEqual(expected);
});
