import { expect, test } from "vitest";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult } from "../../schemas/contracts/results.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import {
  exampleCheck,
  exampleLoad,
  exampleRequirement,
  exampleThreshold,
  exampleWaiver,
} from "../../test/support/samples/example.ts";
import { thresholdChanges, verdictChanges } from "./verdict-changes.ts";

type Verdict = RequirementResult["verdict"];
const one = (verdict: Verdict | "absent"): RequirementResult[] =>
  verdict === "absent"
    ? []
    : [
        exampleRequirement({
          verdict,
          checks: [
            exampleCheck({ verdict, says: `it was ${verdict}` }),
            exampleCheck({ verdict: "notApplicable" }),
          ],
        }),
      ];

test.each([
  ["pass", "fail", "newly-failing"],
  ["warn", "fail", "newly-failing"],
  ["notApplicable", "fail", "newly-failing"],
  ["inconclusive", "fail", "failing-not-judged-before"],
  ["error", "fail", "failing-not-judged-before"],
  ["absent", "fail", "failing-not-judged-before"],
  ["pass", "inconclusive", "no-longer-judged"],
  ["fail", "error", "no-longer-judged"],
  ["pass", "absent", "no-longer-judged"],
  ["pass", "warn", "new-warning"],
  ["fail", "pass", "fixed"],
  ["fail", "warn", "fixed"],
  ["inconclusive", "pass", "newly-judged"],
  ["absent", "pass", "newly-judged"],
] as const)("%s, then %s: %s", (before, after, kind) => {
  const findings = [{ code: "recorded", subject: `it was ${after === "absent" ? before : after}` }];
  expect(verdictChanges(one(before), one(after))).toEqual([
    expect.objectContaining({
      kind,
      before,
      after,
      findings: [expect.objectContaining(findings[0] ?? {})],
      id: "errors.unknown-product",
    }),
  ]);
});

test.each([
  ["pass", "pass"],
  ["pass", "notApplicable"],
  ["warn", "pass"],
  ["inconclusive", "error"],
  ["inconclusive", "absent"],
] as const)("%s, then %s: no change", (before, after) => {
  expect(verdictChanges(one(before), one(after))).toEqual([]);
});

test("a failure that is waived now is not fixed", () => {
  const checks = [exampleCheck({ verdict: "warn", waiver: exampleWaiver() })];
  const now = [exampleRequirement({ verdict: "warn", checks })];
  expect(verdictChanges(one("fail"), now)).toEqual([]);
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

const limit = exampleThreshold();
const crossed: Threshold = { ...limit, met: false };
const notJudged: Threshold = { ...crossed, notJudged: { samples: 30, needed: 300 } };

function load(threshold: Threshold, change: Partial<LoadResult> = {}): LoadResult[] {
  return [exampleLoad({ thresholds: [threshold], ...change })];
}

const unmeasured = load(limit, { verdict: "invalid" });

test.each([
  ["met, then crossed", load(limit), load(crossed), ["threshold-newly-crossed"]],
  ["crossed in both", load(crossed), load(crossed), []],
  ["crossed now, a threshold on the run itself", load(limit), load({ ...crossed, guards: "run" }), []],
  ["above its limit now, by too few samples to judge", load(limit), load(notJudged), []],
  ["not judged before, crossed now", load(notJudged), load(crossed), ["threshold-crossed-not-judged-before"]],
  ["met now", load(crossed), load(limit), []],
  ["not measured before, crossed now", unmeasured, load(crossed), ["threshold-crossed-not-judged-before"]],
  [
    "another profile before",
    load(limit, { profile: "peak" }),
    load(crossed),
    ["threshold-crossed-not-judged-before"],
  ],
  ["missing now", load(limit), [], ["load-no-longer-measured"]],
  ["not measured now", load(limit), unmeasured, ["load-no-longer-measured"]],
  ["never measured", unmeasured, unmeasured, []],
] as const)("%s", (_title, before, after, codes) => {
  const changes = thresholdChanges(
    { command: "gate", load: [...before] },
    { command: "gate", load: [...after] },
  );
  expect(changes.map(({ code }) => code)).toEqual(codes);
});

test("in a run of another command no load is missing, but thresholds may be newly crossed", () => {
  const before = { command: "gate" as const, load: load(limit) };
  expect(thresholdChanges(before, { command: "conformance", load: [] })).toEqual([]);
  expect(thresholdChanges(before, { command: "load", load: load(crossed) })).toEqual([
    { code: "threshold-newly-crossed", subject: "lookup", details: { threshold: crossed } },
  ]);
});
