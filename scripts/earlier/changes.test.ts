import { expect, test } from "vitest";
import type { RequirementResult } from "../../schemas/contracts/results.ts";
import { exampleCheck, exampleRequirement, exampleWaiver } from "../../test/support/samples/example.ts";
import { verdictChanges } from "./changes.ts";

type Verdict = RequirementResult["verdict"];
const one = (verdict: Verdict | "absent"): RequirementResult[] =>
  verdict === "absent"
    ? []
    : [
        exampleRequirement({
          verdict,
          checks: [exampleCheck({ verdict })],
        }),
      ];

test.each([
  ["pass", "fail", "newly-failing"],
  ["warn", "fail", "newly-failing"],
  ["notApplicable", "fail", "failing-not-judged-before"],
  ["inconclusive", "fail", "failing-not-judged-before"],
  ["error", "fail", "failing-not-judged-before"],
  ["absent", "fail", "failing-not-judged-before"],
  ["pass", "inconclusive", "no-longer-judged"],
  ["fail", "error", "no-longer-judged"],
  ["pass", "absent", "no-longer-judged"],
  ["pass", "warn", "new-warning"],
  ["fail", "pass", "fixed"],
  ["fail", "warn", "fixed"],
  ["inconclusive", "pass", undefined],
  ["inconclusive", "warn", undefined],
  ["pass", "pass", undefined],
  ["pass", "notApplicable", undefined],
  ["warn", "pass", undefined],
  ["inconclusive", "error", undefined],
  ["inconclusive", "absent", undefined],
] as const)("%s, then %s: %s", (before, after, kind) => {
  const changes = verdictChanges(one(before), one(after));
  expect(changes.map((change) => change.kind)).toEqual(kind === undefined ? [] : [kind]);
});

const waived = (code: "not-json" | "not-reached") => {
  const findings = [{ code, details: {} } as never];
  const checks = [exampleCheck({ verdict: "warn", waiver: exampleWaiver(), findings })];
  return [exampleRequirement({ verdict: "warn", checks })];
};

test.each(["pass", "fail"] as const)(
  "a failure that is waived now is neither a warning nor fixed: it had %s",
  (before) => expect(verdictChanges(one(before), waived("not-json"))).toMatchObject([{ kind: "waived" }]),
);

test.each([
  ["not-json", "fail", []],
  ["not-json", "pass", ["fixed"]],
  ["not-reached", "fail", ["failing-not-judged-before"]],
  ["not-reached", "pass", []],
] as const)("%s was waived before, then %s", (code, after, expected) => {
  expect(verdictChanges(waived(code), one(after)).map(({ kind }) => kind)).toEqual(expected);
});

test("what still fails in one of three attempts is not fixed", () => {
  const checks = [exampleCheck({ verdict: "warn", attempts: { failed: 1, total: 3 } })];
  const after = [exampleRequirement({ verdict: "warn", checks })];
  expect(verdictChanges(one("fail"), after)).toMatchObject([{ kind: "new-warning" }]);
});

test("the worst changes come first", () => {
  const run = (...verdicts: Verdict[]) =>
    verdicts.map((verdict, place) => exampleRequirement({ id: `r${place}`, verdict }));
  const changes = verdictChanges(run("fail", "pass", "pass"), run("pass", "inconclusive", "fail"));
  expect(changes.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    "r2 newly-failing",
    "r1 no-longer-judged",
    "r0 fixed",
  ]);
});
