import { expect, test } from "vitest";
import { type Compared, judgeComparison } from "./compare.ts";
import type { Answer } from "./latency.ts";

const nothing: Compared = {
  requirements: [],
  drift: [],
  load: [],
  thresholds: [],
  isPair: false,
  hasVerdicts: true,
  hasContract: true,
};
const load = (...answers: Answer[]): Compared["load"] =>
  answers.map((answer) => ({
    scenario: "lookup",
    comparison: {
      answer,
      findings: [{ code: "recorded", subject: "so" }],
      runs: { before: 3, after: 3 },
      endpoints: [],
    },
  }));
const requirement = (kind: Compared["requirements"][number]["kind"], level: "must" | "should" = "must") => [
  { kind, level, id: "errors.unknown-product" },
];
const threshold = (kind: Compared["thresholds"][number]["kind"]) => [{ kind, scenario: "lookup" }];
const drift = (rank: "breaking" | "notable"): Compared["drift"] => [
  { kind: "retailer", rank, rule: "retailer.vanished", subject: "acme" },
];

test.each([
  ["nothing changed", nothing, 0],
  ["a new failure", { ...nothing, requirements: requirement("newly-failing") }, 1],
  ["a failure that is fixed", { ...nothing, requirements: requirement("fixed") }, 0],
  [
    "a failure that was not judged before",
    { ...nothing, requirements: requirement("failing-not-judged-before") },
    4,
  ],
  ["a MUST no longer judged", { ...nothing, requirements: requirement("no-longer-judged") }, 4],
  ["a SHOULD no longer judged", { ...nothing, requirements: requirement("no-longer-judged", "should") }, 0],
  ["breaking drift", { ...nothing, drift: drift("breaking") }, 1],
  ["notable drift", { ...nothing, drift: drift("notable") }, 0],
  ["a threshold newly crossed", { ...nothing, thresholds: threshold("newly-crossed") }, 1],
  [
    "a threshold newly crossed by runs that are not alike",
    { ...nothing, isPair: true, load: load("refused"), thresholds: threshold("newly-crossed") },
    4,
  ],
  [
    "a threshold crossed, not measured before",
    { ...nothing, thresholds: threshold("crossed-not-measured-before") },
    4,
  ],
  ["a load no longer measured", { ...nothing, thresholds: threshold("no-longer-measured") }, 4],
  ["slower", { ...nothing, load: load("same", "slower") }, 1],
  ["faster", { ...nothing, load: load("faster", "same") }, 0],
  ["inconclusive", { ...nothing, load: load("same", "inconclusive") }, 4],
  ["slower and inconclusive", { ...nothing, load: load("inconclusive", "slower") }, 1],
  ["one run a side, with verdicts", { ...nothing, isPair: true, load: load("inconclusive") }, 0],
  [
    "one run a side, with load alone",
    { ...nothing, isPair: true, hasVerdicts: false, load: load("inconclusive") },
    4,
  ],
  ["one run a side, unlike in their load", { ...nothing, isPair: true, load: load("refused") }, 0],
  ["nothing to compare", { ...nothing, hasVerdicts: false, hasContract: false }, 4],
  ["the limit of two probes alone", { ...nothing, hasVerdicts: false }, 0],
] as const)("%s", (_title, compared, exitCode) => {
  const judged = judgeComparison(compared);
  const verdict = { 0: "no regression", 1: "regression", 4: "incomplete" }[exitCode];
  expect(judged).toMatchObject({ exitCode, verdict });
  expect(judged.reasons.length > 0).toBe(exitCode !== 0);
});

test("nothing but load of runs that are not alike is a mistake in what was asked", () => {
  const compared = { ...nothing, isPair: true, hasVerdicts: false, load: load("refused") };
  expect(() => judgeComparison(compared)).toThrow(/not alike.*--allow-different/s);
});
