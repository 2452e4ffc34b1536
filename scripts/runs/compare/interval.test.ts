import { describe, expect, test } from "vitest";
import { changeInterval, type RunValue, runsNeeded } from "./interval.ts";

const runs = (milliseconds: readonly number[], samplingError = 0): RunValue[] =>
  milliseconds.map((value, place) => ({ run: `run-${place}`, milliseconds: value, samplingError }));

test("equals the pooled t interval of two samples of three", () => {
  const { before, after, change, low, high, spread } = changeInterval(
    runs([10, 11, 12.1]),
    runs([12, 13.2, 14.52]),
    0.05,
  );
  expect([before, after, change]).toEqual([11, 13.2, 0.2].map((value) => expect.closeTo(value, 9)));
  // The logarithms, before and after, are log(1.1) apart, which is their standard deviation; t(0.975, 4) = 2.776.
  expect(spread).toMatchObject({ degreesOfFreedom: 4, betweenRuns: expect.closeTo(Math.log(1.1), 9) });
  expect(spread.studentQuantile).toBeCloseTo(2.776, 3);
  const half = 2.7764451 * Math.log(1.1) * Math.sqrt(2 / 3);
  expect([low, high]).toEqual([
    expect.closeTo(1.2 * Math.exp(-half) - 1, 5),
    expect.closeTo(1.2 * Math.exp(half) - 1, 5),
  ]);
});

test("the interval of runs that agree by chance is not narrower than sampling allows", () => {
  const { low, high, spread } = changeInterval(runs([10, 10, 10], 0.05), runs([12, 12, 12], 0.05), 0.05);
  expect(spread.betweenRuns).toBe(0);
  const half = 1.959964 * 0.05 * Math.sqrt(2 / 3);
  expect(Math.log1p(high) - Math.log1p(low)).toBeCloseTo(2 * half, 5);
});

test("one run against several gets a prediction interval", () => {
  const { spread } = changeInterval(runs([10, 11, 12.1, 11]), runs([12]), 0.05);
  expect(spread.degreesOfFreedom).toBe(3);
  expect(spread.halfWidth).toBeCloseTo(3.182446 * spread.betweenRuns * Math.sqrt(1 / 4 + 1), 4);
});

test("one run before and after has only the spread of sampling", () => {
  const { spread } = changeInterval(runs([10], 0.1), runs([12], 0.1), 0.05);
  expect(spread).toMatchObject({ betweenRuns: 0, studentQuantile: 0, degreesOfFreedom: 0 });
  expect(spread.halfWidth).toBeCloseTo(1.959964 * 0.1 * Math.SQRT2, 5);
});

describe("runsNeeded", () => {
  const spread = { degreesOfFreedom: 2, studentQuantile: 9, normalQuantile: 9, halfWidth: 9 };

  test("follows from the spread between runs, with the quantile for that many runs", () => {
    const between = { ...spread, betweenRuns: 0.1, withinRuns: 0 };
    // t(0.975, 6) sqrt(2/4) = 1.730; t(0.975, 8) sqrt(2/5) = 1.458; t(0.975, 4) sqrt(2/3) = 2.267.
    expect(runsNeeded(between, 0.05, 0.16)).toBe(5);
    expect(runsNeeded(between, 0.05, 0.174)).toBe(4);
    expect(runsNeeded(between, 0.05, 0.227)).toBe(3);
    expect(runsNeeded(between, 0.05, 9)).toBe(3);
  });

  test("follows from the spread within them where that is larger, up to 30 runs", () => {
    const within = (runs: number) => ({
      ...spread,
      betweenRuns: 0,
      withinRuns: Math.sqrt(runs / 2) / 1.959964,
    });
    expect(runsNeeded(within(6.5), 0.05, 1)).toBe(7);
    expect(runsNeeded(within(29.9), 0.05, 1)).toBe(30);
    expect(runsNeeded(within(30.1), 0.05, 1)).toBeUndefined();
  });
});

test("the spread of real runs needs more runs the wider it is", () => {
  const spreadOf = (factor: number) =>
    changeInterval(runs([10, 10 * factor]), runs([10, 10 * factor]), 0.05).spread;
  const needed = [1.01, 1.05, 1.1].map((factor) => runsNeeded(spreadOf(factor), 0.05, 0.05));
  expect(needed).toEqual([3, expect.any(Number), expect.any(Number)]);
  expect(needed[1]).toBeLessThan(needed[2] ?? 0);
  expect(runsNeeded(spreadOf(2), 0.05, 0.05)).toBeUndefined();
});
