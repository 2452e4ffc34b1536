import { expect, test } from "vitest";
import { atMost, type Costs, microsecondsOf, ratio } from "./costs.ts";

const all: readonly Costs[] = [
  { title: "bare", to: "bare", microseconds: [100, 300, 200] },
  { title: "ours", to: "bare", microseconds: [110, 360, 230] },
];

test("a ratio is the median of those of the rounds, not that of the medians", () => {
  expect(ratio(all, "ours")).toBeCloseTo(1.15, 9);
});

test("without a measurement there is no ratio, and no promise holds", () => {
  expect(ratio(all, "absent")).toBeNaN();
  expect(microsecondsOf(2, 1000)).toBe(2000);
  expect(microsecondsOf(2, 0)).toBeNaN();
  const { holds, measured } = atMost(1.15, "lookups", all, "absent");
  expect({ holds, measured }).toEqual({ holds: false, measured: "not measured" });
});

test("a promise holds up to its limit", () => {
  expect(atMost(1.16, "lookups", all, "ours")).toEqual({
    promise: "CPU at most 1.16 times that of bare k6: lookups",
    measured: "1.15 times",
    holds: true,
  });
  expect(atMost(1.14, "lookups", all, "ours").holds).toBe(false);
});
