import { expect, test } from "vitest";
import type { Outcome } from "./outcome.ts";
import { type Level, type Verdict, verdictOf, verdictOfAll } from "./verdict.ts";

const waiver = { id: "errors.shape" };

test.each<[Outcome["kind"], must: Verdict, should: Verdict, waived: Verdict]>([
  ["held", "pass", "pass", "pass"],
  ["broken", "fail", "warn", "warn"],
  ["noticed", "warn", "warn", "warn"],
  ["unjudged", "inconclusive", "inconclusive", "warn"],
  ["irrelevant", "notApplicable", "notApplicable", "notApplicable"],
  // Our own crash is never hidden and never the target's.
  ["crashed", "error", "error", "error"],
])("%s is %s for a MUST, %s for a SHOULD, %s when waived", (outcome, must, should, waived) => {
  expect(verdictOf("must", outcome)).toBe(must);
  expect(verdictOf("should", outcome)).toBe(should);
  expect(verdictOf("may", outcome)).toBe(should);
  for (const level of ["must", "should", "may"] satisfies Level[]) {
    expect(verdictOf(level, outcome, waiver)).toBe(waived);
  }
});

test.each<[Verdict[], Verdict]>([
  [["pass"], "pass"],
  [["pass", "notApplicable"], "pass"],
  [["notApplicable"], "notApplicable"],
  [["pass", "warn"], "warn"],
  [["pass", "warn", "inconclusive"], "inconclusive"],
  [["pass", "inconclusive", "fail"], "fail"],
  [["pass", "inconclusive", "error"], "error"],
  // A failure that was seen stands, although another check broke.
  [["error", "fail", "inconclusive"], "fail"],
  // Nothing judged is never a pass.
  [[], "inconclusive"],
])("checks that say %j make a requirement %s, in any order", (verdicts, expected) => {
  expect(verdictOfAll(verdicts)).toBe(expected);
  expect(verdictOfAll(verdicts.toReversed())).toBe(expected);
});
