import { expect, test } from "vitest";
import { twinIntervalText } from "./deployments.ts";

test.each([
  [{ change: 0.12, low: 0.081, high: 0.15 }, "+12 % (+8.1 % to +15 %)"],
  [{ change: 0.12, low: 0.01, high: 30 }, "+12 % (+1 % to 31 times)"],
  [{ change: 0.12, low: -0.2, high: 30 }, "not measurable with these pairs"],
  [{ change: 0.12, low: -0.99, high: 0.4 }, "not measurable with these pairs"],
  [{ change: 0.12 }, "+12 %, too few pairs for an interval"],
  [{}, "not measured"],
])("the interval of %j", (latency, text) => {
  expect(twinIntervalText(latency)).toBe(text);
});
