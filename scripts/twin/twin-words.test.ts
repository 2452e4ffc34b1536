import { expect, test } from "vitest";
import { deploymentNames, twinIntervalText, twinVerdictText } from "./twin-words.ts";

const measured = { request: "batch", outcome: "same", pairs: 100 } as const;

test.each([
  [{ change: 0.12, low: 0.081, high: 0.15 }, "+12 % (+8.1 % to +15 %)"],
  [{}, "not measured"],
])("the interval of %j", (latency, text) => {
  expect(twinIntervalText({ ...measured, ...latency })).toBe(text);
});

test.each([
  [{ outcome: "same" }, "no difference found"],
  [{ outcome: "same", low: -0.1, high: 0.2 }, "no difference found"],
  [{ outcome: "same", low: 0.1, high: 0.2 }, "difference too small to count"],
  [{ outcome: "slower" }, "slower"],
  [{ outcome: "inconclusive" }, "not judged: too few pairs"],
  [{ outcome: "inconclusive", high: 1.5 }, "not judged: responses vary too much"],
] as const)("the verdict of %j", (latency, text) => {
  expect(twinVerdictText({ ...measured, ...latency })).toBe(text);
});

test.each([
  ["production", { old: "`production`", new: "`staging`" }],
  ["staging", { old: "`https://old.example/v1`", new: "`https://new.example/v1`" }],
])("the names of %s and staging", (name, names) => {
  const old = { name, baseUrl: "https://old.example/v1" };
  expect(deploymentNames(old, { name: "staging", baseUrl: "https://new.example/v1" })).toEqual(names);
});
