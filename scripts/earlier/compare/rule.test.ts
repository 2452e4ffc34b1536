import { expect, test } from "vitest";
import type { Change } from "./interval.ts";
import { answerTo, defaultRule } from "./rule.ts";

const spread = {
  betweenRuns: 0,
  degreesOfFreedom: 4,
  studentQuantile: 0,
  withinRuns: 0,
  normalQuantile: 0,
  halfWidth: 0,
};
const change = (before: number, share: number, low: number, high: number): Change => ({
  before,
  after: before * (1 + share),
  change: share,
  low,
  high,
  spread,
});

test.each([
  ["a clear slowdown", change(100, 0.2, 0.1, 0.3), "slower"],
  ["a slowdown that may be nothing", change(100, 0.2, -0.01, 0.45), "inconclusive"],
  ["a certain but small slowdown", change(100, 0.05, 0.03, 0.08), "same"],
  ["a certain slowdown that may be small or not", change(100, 0.09, 0.05, 0.13), "inconclusive"],
  ["no change, surely", change(100, 0.01, -0.04, 0.06), "same"],
  ["no change, perhaps", change(100, 0.01, -0.2, 0.25), "inconclusive"],
  ["a clear gain", change(100, -0.2, -0.3, -0.1), "faster"],
  ["a gain that may be nothing", change(100, -0.2, -0.4, 0.01), "inconclusive"],
  ["a large share of very little: timers do that", change(1, 0.3, 0.2, 0.4), "same"],
  ["a share of very little that may come to much", change(1, 0.3, 0.1, 0.7), "inconclusive"],
] as const)("%s", (_title, given, answer) => {
  expect(answerTo(given, defaultRule)).toBe(answer);
});

test("a gain undoes a loss of the same size: their bounds are each other's inverse", () => {
  expect(answerTo(change(100, 0.1001, 0.01, 0.2), defaultRule)).toBe("slower");
  expect(answerTo(change(100, 1 / 1.1001 - 1, 1 / 1.2 - 1, -0.01), defaultRule)).toBe("faster");
});
