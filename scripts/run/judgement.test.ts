import { expect, test } from "vitest";
import { type Judged, judge } from "./judgement.ts";

const good: Judged = {
  requirements: [{ verdict: "pass", level: "must" }],
  load: [],
  waivers: [],
  drift: [],
  problem: false,
  interrupted: false,
};

const pass = { verdict: "pass", level: "must" } as const;
const fail = { verdict: "fail", level: "must" } as const;
const unjudgedMust = { verdict: "inconclusive", level: "must" } as const;
const unjudgedShould = { verdict: "inconclusive", level: "should" } as const;

test.each<[string, Partial<Judged>, string, number]>([
  ["all passes", {}, "conformant", 0],
  [
    "warnings and what does not apply",
    {
      requirements: [
        { verdict: "warn", level: "should" },
        { verdict: "notApplicable", level: "must" },
      ],
    },
    "conformant",
    0,
  ],
  ["load alone that holds", { requirements: [], load: [{ verdict: "pass" }] }, "conformant", 0],
  ["a failure", { requirements: [pass, fail] }, "violations", 1],
  ["failed load", { load: [{ verdict: "fail" }] }, "violations", 1],
  ["slower load", { load: [{ verdict: "slower" }] }, "violations", 1],
  ["a failure, then a problem", { requirements: [fail], problem: true }, "violations", 1],
  [
    "a failure beside invalid load",
    { requirements: [fail], load: [{ verdict: "invalid" }] },
    "violations",
    1,
  ],
  ["a problem", { problem: true }, "error", 3],
  ["a problem beside what could not be judged", { requirements: [unjudgedMust], problem: true }, "error", 3],
  ["our own error", { requirements: [pass, { verdict: "error", level: "must" }] }, "error", 3],
  ["invalid load", { load: [{ verdict: "pass" }, { verdict: "invalid" }] }, "error", 3],
  ["nothing judged at all", { requirements: [] }, "error", 3],
  ["a MUST that could not be judged", { requirements: [pass, unjudgedMust] }, "incomplete", 4],
  ["a SHOULD that could not be judged", { requirements: [pass, unjudgedShould] }, "conformant", 0],
  [
    "a waiver in use, and one that nothing told of",
    { waivers: [{ state: "active" }, { state: "unused" }] },
    "conformant",
    0,
  ],
  ["a stale waiver, though nothing is broken", { waivers: [{ state: "stale" }] }, "violations", 1],
  ["an expired waiver, though nothing is broken", { waivers: [{ state: "expired" }] }, "violations", 1],
  [
    "a stale waiver beside what could not be judged",
    { requirements: [unjudgedMust], waivers: [{ state: "stale" }] },
    "violations",
    1,
  ],
  ["an expired waiver, then a problem", { waivers: [{ state: "expired" }], problem: true }, "violations", 1],
  ["drift that breaks clients", { drift: [{ rank: "harmless" }, { rank: "breaking" }] }, "violations", 1],
  ["drift that does not", { drift: [{ rank: "harmless" }, { rank: "notable" }] }, "conformant", 0],
  [
    "notable drift beside an unjudged MUST",
    { requirements: [unjudgedMust], drift: [{ rank: "notable" }] },
    "incomplete",
    4,
  ],
  [
    "interrupted with an expired waiver",
    { waivers: [{ state: "expired" }], interrupted: true },
    "violations",
    130,
  ],
  ["interrupted", { interrupted: true }, "incomplete", 130],
  ["interrupted after a failure", { requirements: [fail], interrupted: true }, "violations", 130],
  ["interrupted before anything", { requirements: [], interrupted: true }, "incomplete", 130],
  ["interrupted load", { load: [{ verdict: "invalid" }], interrupted: true }, "incomplete", 130],
])("%s", (_name, change, verdict, exitCode) => {
  expect(judge({ ...good, ...change })).toEqual({ verdict, exitCode });
});
