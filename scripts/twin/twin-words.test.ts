import { expect, test } from "vitest";
import { twinIntervalText, twinUndecidedText } from "./twin-words.ts";

test.each([
  [{ change: 0.12, low: 0.081, high: 0.15 }, "+12 % (+8.1 % to +15 %)"],
  [{ change: 0.12, low: 0.01, high: 30 }, "+12 % (+1 % to 31 times)"],
  [{ change: 0.12, low: -0.2, high: 30 }, "not measurable with these pairs"],
  [{ change: 0.12, low: -0.99, high: 0.4 }, "not measurable with these pairs"],
  [{ change: 0.12 }, "+12 %, too few pairs"],
  [{}, "not measured"],
])("the interval of %j", (latency, text) => {
  expect(twinIntervalText(latency)).toBe(text);
});

test.each([
  [{ outcome: "slower", low: 0.3, high: 0.5 }, undefined],
  [{ outcome: "inconclusive" }, undefined],
  [{ outcome: "inconclusive", low: 0.3, high: 0.5 }, "too few seconds"],
  [{ outcome: "inconclusive", low: -0.5, high: -0.3 }, "too few seconds"],
  [{ outcome: "inconclusive", low: -0.1, high: 0.5 }, "interval too wide"],
  [{ outcome: "inconclusive", high: 11 }, "interval too wide"],
] as const)("what is missing of %j", (latency, text) => {
  expect(twinUndecidedText({ smallest: 0.3, ...latency })).toBe(text);
});
