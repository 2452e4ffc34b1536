import { expect, test } from "vitest";
import type { Results } from "../../schemas/contracts/results.ts";
import { driftExamples, usual } from "../../test/support/samples/drift-examples.ts";
import { exampleLoad, exampleResults } from "../../test/support/samples/example.ts";
import type { EarlierRun } from "../runs/read-run.ts";
import { type Compared, compareRuns, judgeComparison } from "./compare-runs.ts";
import type { Contract } from "./drift.ts";
import { driftRules } from "./drift-rules.ts";

const nothing: Compared = {
  requirements: [],
  drift: [],
  load: [],
  thresholds: [],
  hasVerdicts: true,
  hasContract: true,
  hasLimits: false,
};
const elsewhere = [
  { scenario: "lookup", differing: [{ part: "host", before: "a machine", after: "another" }] },
];
const requirement = (kind: Compared["requirements"][number]["kind"], level: "must" | "should" = "must") => [
  { kind, level, id: "errors.unknown-product" },
];
const threshold = (kind: Compared["thresholds"][number]["kind"]) => [{ kind, scenario: "lookup" }];
const drift = (rank: "breaking" | "notable"): Compared["drift"] => [
  { kind: "retailer", rank, rule: "retailer.vanished", subject: "acme" },
];

test.each<[string, Partial<Compared>, 0 | 1 | 4]>([
  ["nothing changed", {}, 0],
  ["a new failure", { requirements: requirement("newly-failing") }, 1],
  ["a failure that is fixed", { requirements: requirement("fixed") }, 0],
  ["a failure that was not judged before", { requirements: requirement("failing-not-judged-before") }, 4],
  ["a MUST no longer judged", { requirements: requirement("no-longer-judged") }, 4],
  ["a SHOULD no longer judged", { requirements: requirement("no-longer-judged", "should") }, 0],
  ["breaking drift", { drift: drift("breaking") }, 1],
  ["notable drift", { drift: drift("notable") }, 0],
  ["a threshold newly crossed", { thresholds: threshold("newly-crossed") }, 1],
  [
    "a threshold newly crossed by runs with different conditions",
    { load: elsewhere, thresholds: threshold("newly-crossed") },
    4,
  ],
  ["a threshold crossed, not measured before", { thresholds: threshold("crossed-not-judged-before") }, 4],
  ["a load no longer measured", { thresholds: threshold("no-longer-measured") }, 4],
  ["only load, with limits", { hasVerdicts: false, hasContract: false, hasLimits: true }, 0],
  ["nothing to compare", { hasVerdicts: false, hasContract: false }, 4],
  ["only the rate limits of two probes", { hasVerdicts: false }, 0],
])("%s", (_title, change, exitCode) => {
  const judged = judgeComparison({ ...nothing, ...change });
  const verdict = { 0: "same", 1: "worse", 4: "not judged" }[exitCode];
  expect(judged).toMatchObject({ exitCode, verdict });
  expect(judged.reasons.length > 0).toBe(exitCode !== 0);
});

/** A run with this contract. */
function runOf(day: number, contract: Contract, change: Partial<Results> = {}): EarlierRun {
  const { keyFingerprint, accepted, refused, limit, ...discovered } = contract;
  const rateLimit = { refused, ...(accepted === undefined ? {} : { accepted }) };
  const startedAt = `2026-11-0${day}T00:00:00.000Z`;
  const example = exampleResults();
  const results: Results = {
    ...example,
    startedAt,
    target: { ...example.target, keyFingerprint },
    discovered: { ...example.discovered, ...discovered, rateLimit },
    load: limit === undefined ? [] : [probeOf(limit)],
    ...change,
  };
  return { name: `run-${day}`, path: `/reports/run-${day}`, results };
}

function probeOf(limit: NonNullable<Contract["limit"]>) {
  return exampleLoad({
    scenario: "rate-limit",
    rateLimit: { mode: "probe", limit: { ...limit, burst: 10 } },
  });
}

const compareTwo = (before: EarlierRun, after: EarlierRun) => compareRuns({ before, after });

// The first example of each rule.
const examples = Object.keys(driftRules).map((rule) => {
  const [, , after = {}, before = {}] = driftExamples.find(([, id]) => id === rule) ?? [];
  return { rule, after, before, ...driftRules[rule as keyof typeof driftRules] };
});

test.each(examples)(
  "drift by $rule is $rank, and fails only if it is breaking",
  ({ rule, rank, after, before }) => {
    const { exitCode, drift } = compareTwo(
      runOf(1, { ...usual, ...before }),
      runOf(2, { ...usual, ...after }),
    );
    expect(exitCode).toBe(rank === "breaking" ? 1 : 0);
    expect(drift?.map((change) => ({ rule: change.rule, rank: change.rank }))).toEqual([{ rule, rank }]);
  },
);

test.each([
  [20, 1],
  [40, 0],
])("two runs of rate-limit only, 40 and then %i requests per second: exit %i", (perSecond, expected) => {
  const limitOf = (rate: number) => ({ perSecond: rate, low: rate * 0.9, high: rate * 1.1 });
  const alone: Partial<Results> = { command: "load", requirements: [] };
  const before = runOf(1, { ...usual, limit: limitOf(40) }, alone);
  const after = runOf(2, { ...usual, limit: limitOf(perSecond) }, alone);
  expect(compareTwo(before, after).exitCode).toBe(expected);
});

test("a run that did not reach its end is noted with the reason", () => {
  const problem = { what: "The target does not respond", where: "http://127.0.0.1:1/v1", fix: "Start it." };
  const unreached: Partial<Results> = {
    command: "load",
    verdict: "error",
    exitCode: 3,
    requirements: [],
    problem,
  };
  const { exitCode, notes } = compareTwo(runOf(1, usual), runOf(2, usual, unreached));
  expect(exitCode).toBe(4);
  expect(notes[0]).toMatchObject({
    code: "run-not-complete",
    details: { run: "run-2", problem: "The target does not respond: http://127.0.0.1:1/v1" },
  });
});
