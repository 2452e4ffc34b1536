import { expect, test } from "vitest";
import type { Results } from "../../schemas/contracts/results.ts";
import {
  exampleDifference,
  exampleLoad,
  exampleResults,
  exampleThreshold,
} from "../../test/support/samples/example.ts";
import type { EarlierRun } from "../runs/read-run.ts";
import { type Compared, compareRuns, judgeComparison } from "./compare-runs.ts";

const nothing: Compared = {
  requirements: [],
  differences: [],
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
const threshold = (code: Compared["thresholds"][number]["code"]): Compared["thresholds"] =>
  code === "load-no-longer-measured"
    ? [{ code, subject: "lookup" }]
    : [{ code, subject: "lookup", details: { threshold: exampleThreshold() } }];
const difference = (breaking: boolean) => [{ ...exampleDifference("title"), breaking }];

test.each<[string, Partial<Compared>, 0 | 1 | 4]>([
  ["nothing changed", {}, 0],
  ["a new failure", { requirements: requirement("newly-failing") }, 1],
  ["a failure that is fixed", { requirements: requirement("fixed") }, 0],
  ["a failure that was not judged before", { requirements: requirement("failing-not-judged-before") }, 4],
  ["a MUST no longer judged", { requirements: requirement("no-longer-judged") }, 4],
  ["a SHOULD no longer judged", { requirements: requirement("no-longer-judged", "should") }, 0],
  ["a breaking change", { differences: difference(true) }, 1],
  ["a change that does not break", { differences: difference(false) }, 0],
  ["a threshold newly crossed", { thresholds: threshold("threshold-newly-crossed") }, 1],
  [
    "a threshold newly crossed by runs with different conditions",
    { load: elsewhere, thresholds: threshold("threshold-newly-crossed") },
    4,
  ],
  [
    "a threshold crossed, not measured before",
    { thresholds: threshold("threshold-crossed-not-judged-before") },
    4,
  ],
  ["a load no longer measured", { thresholds: threshold("load-no-longer-measured") }, 4],
  ["only load, with limits", { hasVerdicts: false, hasContract: false, hasLimits: true }, 0],
  ["nothing to compare", { hasVerdicts: false, hasContract: false }, 4],
  ["only the rate limits of two probes", { hasVerdicts: false }, 0],
])("%s", (_title, change, exitCode) => {
  const judged = judgeComparison({ ...nothing, ...change });
  const verdict = { 0: "same", 1: "worse", 4: "not judged" }[exitCode];
  expect(judged).toMatchObject({ exitCode, verdict });
  expect(judged.reasons.length > 0).toBe(exitCode !== 0);
});

function runOf(day: number, change: Partial<Results> = {}): EarlierRun {
  const startedAt = `2026-11-0${day}T00:00:00.000Z`;
  return {
    name: `run-${day}`,
    path: `/reports/run-${day}`,
    results: { ...exampleResults(), startedAt, ...change },
  };
}

const compareTwo = (before: EarlierRun, after: EarlierRun) => compareRuns({ before, after });

test.each([
  [20, 1],
  [40, 0],
])("two runs of rate-limit only, 40 and then %i requests per second: exit %i", (perSecond, expected) => {
  const probeOf = (rate: number) => {
    const limit = { perSecond: rate, low: rate * 0.9, high: rate * 1.1, burst: 10 };
    return [exampleLoad({ scenario: "rate-limit", rateLimit: { mode: "probe", limit } })];
  };
  const before = runOf(1, { command: "load", requirements: [], load: probeOf(40) });
  const after = runOf(2, { command: "load", requirements: [], load: probeOf(perSecond) });
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
  const { exitCode, notes } = compareTwo(runOf(1), runOf(2, unreached));
  expect(exitCode).toBe(4);
  expect(notes[0]).toMatchObject({
    code: "run-not-complete",
    details: { run: "run-2", problem: "The target does not respond: http://127.0.0.1:1/v1" },
  });
});
