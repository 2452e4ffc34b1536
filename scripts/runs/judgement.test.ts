import { expect, test } from "vitest";
import type { causes } from "../../schemas/contracts/verdicts.ts";
import { type Judged, judge } from "./judgement.ts";

const good: Judged = {
  requirements: [{ verdict: "pass", level: "must" }],
  load: [],
  waivers: [],
  problem: false,
  interrupted: false,
  partial: false,
};

/** Verdict and exit code by cause, unless the run was interrupted. */
const meanings: Readonly<Record<keyof typeof causes, readonly [verdict: string, exitCode: number]>> = {
  none: ["conformant", 0],
  partial: ["partial", 0],
  "requirement-failed": ["violations", 1],
  "load-failed": ["violations", 1],
  "requests-failed": ["violations", 1],
  "waiver-expired": ["violations", 1],
  "waiver-stale": ["violations", 1],
  problem: ["error", 3],
  "nothing-run": ["error", 3],
  "check-error": ["error", 3],
  "load-invalid": ["error", 3],
  "not-judged": ["incomplete", 4],
  "nothing-judged": ["incomplete", 4],
  "load-not-sent": ["incomplete", 4],
  interrupted: ["incomplete", 130],
};

const pass = { verdict: "pass", level: "must" } as const;
const fail = { verdict: "fail", level: "must" } as const;
const notJudgedMust = { verdict: "inconclusive", level: "must" } as const;
const notJudgedShould = { verdict: "inconclusive", level: "should" } as const;

test.each<[string, Partial<Judged>, keyof typeof causes]>([
  ["everything passes", {}, "none"],
  [
    "warnings and checks that do not apply",
    {
      requirements: [
        { verdict: "warn", level: "should" },
        { verdict: "notApplicable", level: "must" },
      ],
    },
    "none",
  ],
  ["only load, which passes", { requirements: [], load: [{ verdict: "pass" }] }, "none"],
  ["a failure", { requirements: [pass, fail] }, "requirement-failed"],
  ["failed load", { load: [{ verdict: "fail" }] }, "load-failed"],
  [
    "more failed requests in conformance than the config allows",
    { failures: { outcome: "above" } },
    "requests-failed",
  ],
  ["a share of failed requests that is too close to its limit", { failures: { outcome: "open" } }, "none"],
  ["a failure and a problem", { requirements: [fail], problem: true }, "requirement-failed"],
  [
    "a failure and invalid load",
    { requirements: [fail], load: [{ verdict: "invalid" }] },
    "requirement-failed",
  ],
  ["no load was sent", { loadMissing: true }, "load-not-sent"],
  [
    "no load was sent, and a MUST was not judged",
    { requirements: [notJudgedMust], loadMissing: true },
    "not-judged",
  ],
  ["a problem", { problem: true }, "problem"],
  ["a problem, and a MUST that was not judged", { requirements: [notJudgedMust], problem: true }, "problem"],
  [
    "a check that ended in an error",
    { requirements: [pass, { verdict: "error", level: "must" }] },
    "check-error",
  ],
  ["invalid load", { load: [{ verdict: "pass" }, { verdict: "invalid" }] }, "load-invalid"],
  ["nothing judged", { requirements: [] }, "nothing-run"],
  ["a MUST that was not judged", { requirements: [pass, notJudgedMust] }, "not-judged"],
  [
    "a MUST that the config excuses",
    { requirements: [pass, { ...notJudgedMust, excused: "optional" }] },
    "none",
  ],
  [
    "only what the config excuses",
    { requirements: [{ ...notJudgedMust, excused: "optional" }] },
    "nothing-judged",
  ],
  ["a SHOULD that was not judged", { requirements: [pass, notJudgedShould] }, "none"],
  ["an active and an unused waiver", { waivers: [{ state: "active" }, { state: "unused" }] }, "none"],
  ["a stale waiver, and everything passes", { waivers: [{ state: "stale" }] }, "waiver-stale"],
  ["an expired waiver, and everything passes", { waivers: [{ state: "expired" }] }, "waiver-expired"],
  [
    "a stale waiver, and a MUST that was not judged",
    { requirements: [notJudgedMust], waivers: [{ state: "stale" }] },
    "waiver-stale",
  ],
  ["an expired waiver and a problem", { waivers: [{ state: "expired" }], problem: true }, "waiver-expired"],
  [
    "interrupted with an expired waiver",
    { waivers: [{ state: "expired" }], interrupted: true },
    "waiver-expired",
  ],
  ["interrupted", { interrupted: true }, "interrupted"],
  ["interrupted after a failure", { requirements: [fail], interrupted: true }, "requirement-failed"],
  ["interrupted before anything", { requirements: [], interrupted: true }, "interrupted"],
  ["interrupted load", { load: [{ verdict: "invalid" }], interrupted: true }, "interrupted"],
  ["a partial run in which nothing failed", { partial: true }, "partial"],
  ["a partial run with a failure", { requirements: [fail], partial: true }, "requirement-failed"],
  [
    "a partial run in which nothing was judged",
    { requirements: [{ verdict: "notApplicable", level: "must" }], partial: true },
    "nothing-judged",
  ],
  ["only a SHOULD that was not judged", { requirements: [notJudgedShould] }, "nothing-judged"],
  [
    "everything at once",
    {
      requirements: [fail, notJudgedMust],
      load: [{ verdict: "fail" }],
      waivers: [{ state: "stale" }, { state: "expired" }],
      problem: true,
    },
    "requirement-failed",
  ],
])("%s: %s", (_name, change, cause) => {
  const [verdict, usual] = meanings[cause];
  const exitCode = change.interrupted === true ? 130 : usual;
  expect(judge({ ...good, ...change })).toEqual({ verdict, exitCode, cause });
});
