import { expect, test } from "vitest";
import type { LoadResult, Waiver } from "../../../schemas/types.ts";
import { thresholdChanges } from "./threshold-changes.ts";

type Threshold = LoadResult["thresholds"][number];
const limit: Threshold = { metric: "answers_invalid", expression: "rate<=0", held: true, guards: "target" };
const crossed: Threshold = { ...limit, held: false };
const waiver: Waiver = { id: "x", reason: "r", owner: "o", ticket: "t", expires: "2999-12-31" };

function load(threshold: Threshold, change: Partial<LoadResult> = {}): LoadResult[] {
  const none = { refused: 0, withRetryAfter: 0 };
  const frame = { reasons: [], metrics: {}, retryAfter: none, validated: { answers: 0, invalid: 0 } };
  return [
    { scenario: "lookup", profile: "smoke", verdict: "pass", thresholds: [threshold], ...frame, ...change },
  ];
}

const invalid = load(limit, { verdict: "invalid" });

test.each([
  ["held, then crossed", load(limit), load(crossed), ["newly crossed"]],
  ["crossed in both", load(crossed), load(crossed), []],
  ["crossed in both, waived then", load({ ...crossed, waiver }), load(crossed), []],
  ["crossed now under a waiver", load(limit), load({ ...crossed, waiver }), []],
  ["crossed now, of the run itself", load(limit), load({ ...crossed, guards: "run" }), []],
  ["held now", load(crossed), load(limit), []],
  ["not measured then, crossed now", invalid, load(crossed), ["crossed, not measured before"]],
  ["another profile then", load(limit, { profile: "peak" }), load(crossed), ["crossed, not measured before"]],
  ["not there now", load(limit), [], ["no longer measured"]],
  ["no measurement now", load(limit), invalid, ["no longer measured"]],
  ["never a measurement", invalid, invalid, []],
] as const)("%s", (_title, before, after, kinds) => {
  const changes = thresholdChanges(
    { command: "gate", load: [...before] },
    { command: "gate", load: [...after] },
  );
  expect(changes.map(({ kind }) => kind)).toEqual(kinds);
});

test("a run of another command misses no load, and crosses all the same", () => {
  const before = { command: "gate" as const, load: load(limit) };
  expect(thresholdChanges(before, { command: "conformance", load: [] })).toEqual([]);
  expect(thresholdChanges(before, { command: "load", load: load(crossed) })).toEqual([
    { kind: "newly crossed", scenario: "lookup", threshold: "answers_invalid rate<=0" },
  ]);
});
