import { expect, test } from "vitest";
import type { Cause } from "../../schemas/verdicts.ts";
import { exampleResults } from "../../test/support/samples/example.ts";
import { causeOf, type Judged, judge } from "./judgement.ts";

const good: Judged = {
  requirements: [{ verdict: "pass", level: "must" }],
  load: [],
  waivers: [],
  drift: [],
  problem: false,
  interrupted: false,
  partial: false,
};

const pass = { verdict: "pass", level: "must" } as const;
const fail = { verdict: "fail", level: "must" } as const;
const notJudgedMust = { verdict: "inconclusive", level: "must" } as const;
const notJudgedShould = { verdict: "inconclusive", level: "should" } as const;

test.each<[string, Partial<Judged>, string, number, Cause]>([
  ["everything passes", {}, "conformant", 0, "none"],
  [
    "warnings and checks that do not apply",
    {
      requirements: [
        { verdict: "warn", level: "should" },
        { verdict: "notApplicable", level: "must" },
      ],
    },
    "conformant",
    0,
    "none",
  ],
  ["only load, which passes", { requirements: [], load: [{ verdict: "pass" }] }, "conformant", 0, "none"],
  ["a failure", { requirements: [pass, fail] }, "violations", 1, "requirement-failed"],
  ["failed load", { load: [{ verdict: "fail" }] }, "violations", 1, "load-failed"],
  ["slower load", { load: [{ verdict: "slower" }] }, "violations", 1, "latency-slower"],
  ["a failure and a problem", { requirements: [fail], problem: true }, "violations", 1, "requirement-failed"],
  [
    "a failure and invalid load",
    { requirements: [fail], load: [{ verdict: "invalid" }] },
    "violations",
    1,
    "requirement-failed",
  ],
  ["no load was sent", { loadMissing: true }, "incomplete", 4, "load-not-sent"],
  [
    "no load was sent, and a MUST was not judged",
    { requirements: [notJudgedMust], loadMissing: true },
    "incomplete",
    4,
    "not-judged",
  ],
  ["a problem", { problem: true }, "error", 3, "problem"],
  [
    "a problem, and a MUST that was not judged",
    { requirements: [notJudgedMust], problem: true },
    "error",
    3,
    "problem",
  ],
  [
    "a check that ended in an error",
    { requirements: [pass, { verdict: "error", level: "must" }] },
    "error",
    3,
    "check-error",
  ],
  ["invalid load", { load: [{ verdict: "pass" }, { verdict: "invalid" }] }, "error", 3, "load-invalid"],
  ["nothing judged", { requirements: [] }, "error", 3, "nothing-run"],
  ["a MUST that was not judged", { requirements: [pass, notJudgedMust] }, "incomplete", 4, "not-judged"],
  [
    "a MUST that the config excuses",
    { requirements: [pass, { ...notJudgedMust, excused: "optional" }] },
    "conformant",
    0,
    "none",
  ],
  [
    "only what the config excuses",
    { requirements: [{ ...notJudgedMust, excused: "optional" }] },
    "incomplete",
    4,
    "nothing-judged",
  ],
  ["a SHOULD that was not judged", { requirements: [pass, notJudgedShould] }, "conformant", 0, "none"],
  [
    "an active and an unused waiver",
    { waivers: [{ state: "active" }, { state: "unused" }] },
    "conformant",
    0,
    "none",
  ],
  [
    "a stale waiver, and everything passes",
    { waivers: [{ state: "stale" }] },
    "violations",
    1,
    "waiver-stale",
  ],
  [
    "an expired waiver, and everything passes",
    { waivers: [{ state: "expired" }] },
    "violations",
    1,
    "waiver-expired",
  ],
  [
    "a stale waiver, and a MUST that was not judged",
    { requirements: [notJudgedMust], waivers: [{ state: "stale" }] },
    "violations",
    1,
    "waiver-stale",
  ],
  [
    "an expired waiver and a problem",
    { waivers: [{ state: "expired" }], problem: true },
    "violations",
    1,
    "waiver-expired",
  ],
  [
    "breaking drift",
    { drift: [{ rank: "harmless" }, { rank: "breaking" }] },
    "violations",
    1,
    "contract-broken",
  ],
  [
    "drift that is not breaking",
    { drift: [{ rank: "harmless" }, { rank: "notable" }] },
    "conformant",
    0,
    "none",
  ],
  [
    "notable drift, and a MUST that was not judged",
    { requirements: [notJudgedMust], drift: [{ rank: "notable" }] },
    "incomplete",
    4,
    "not-judged",
  ],
  [
    "interrupted with an expired waiver",
    { waivers: [{ state: "expired" }], interrupted: true },
    "violations",
    130,
    "waiver-expired",
  ],
  ["interrupted", { interrupted: true }, "incomplete", 130, "interrupted"],
  [
    "interrupted after a failure",
    { requirements: [fail], interrupted: true },
    "violations",
    130,
    "requirement-failed",
  ],
  ["interrupted before anything", { requirements: [], interrupted: true }, "incomplete", 130, "interrupted"],
  [
    "interrupted load",
    { load: [{ verdict: "invalid" }], interrupted: true },
    "incomplete",
    130,
    "interrupted",
  ],
  ["a partial run in which nothing failed", { partial: true }, "partial", 0, "partial"],
  [
    "a partial run with a failure",
    { requirements: [fail], partial: true },
    "violations",
    1,
    "requirement-failed",
  ],
  [
    "a partial run in which nothing was judged",
    { requirements: [{ verdict: "notApplicable", level: "must" }], partial: true },
    "incomplete",
    4,
    "nothing-judged",
  ],
  [
    "only a SHOULD that was not judged",
    { requirements: [notJudgedShould] },
    "incomplete",
    4,
    "nothing-judged",
  ],
  [
    "everything at once",
    {
      requirements: [fail, notJudgedMust],
      load: [{ verdict: "slower" }, { verdict: "fail" }],
      waivers: [{ state: "stale" }, { state: "expired" }],
      drift: [{ rank: "breaking" }],
      problem: true,
    },
    "violations",
    1,
    "requirement-failed",
  ],
])("%s", (_name, change, verdict, exitCode, cause) => {
  expect(judge({ ...good, ...change })).toEqual({ verdict, exitCode, cause });
});

test("the cause of a run from an older version is found by the same rules", () => {
  expect(causeOf(exampleResults())).toBe("none");
  expect(causeOf(exampleResults({ cause: "waiver-stale" }))).toBe("waiver-stale");
  const problem = { what: "The run was interrupted", where: "gate", fix: "Again." };
  expect(causeOf(exampleResults({ verdict: "incomplete", exitCode: 130, problem }))).toBe("interrupted");
  expect(causeOf(exampleResults({ verdict: "error", exitCode: 3, problem }))).toBe("problem");
  expect(causeOf(exampleResults({ scope: { requirements: 1, of: 77 } }))).toBe("partial");
});
