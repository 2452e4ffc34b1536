import { expect, test } from "vitest";
import type { Verdict } from "../../schemas/contracts/verdicts.ts";
import type { Outcome } from "./outcome.ts";
import type { Level } from "./requirement.ts";
import { verdictOf, verdictOfAll } from "./verdict.ts";

const waiver = { id: "errors.shape" };

test.each<[Outcome["kind"], must: Verdict, should: Verdict, waived: Verdict]>([
  ["pass", "pass", "pass", "pass"],
  ["fail", "fail", "warn", "warn"],
  ["warn", "warn", "warn", "warn"],
  ["inconclusive", "inconclusive", "inconclusive", "warn"],
  ["notApplicable", "notApplicable", "notApplicable", "notApplicable"],
  // An error of the harness is never hidden and never blamed on the target.
  ["error", "error", "error", "error"],
])("%s is %s for a MUST, %s for a SHOULD and %s with a waiver", (outcome, must, should, waived) => {
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
  // A failure outranks an error of the harness.
  [["error", "fail", "inconclusive"], "fail"],
  // Without verdicts, nothing passed.
  [[], "inconclusive"],
])("the verdicts %j make a requirement %s, in any order", (verdicts, expected) => {
  expect(verdictOfAll(verdicts)).toBe(expected);
  expect(verdictOfAll(verdicts.toReversed())).toBe(expected);
});
