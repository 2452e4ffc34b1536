import type { Finding, SaidFinding } from "../../schemas/contracts/finding.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import type { EarlierRun } from "../runs/read-run.ts";
import { said } from "../runs/said.ts";
import { hasProbed } from "./contract.ts";
import { type ComparedLoad, compareLoads } from "./latency.ts";
import { contractChanges } from "./since.ts";
import type { ContractDifference } from "./since-result.ts";
import {
  isWhole,
  type ThresholdChange,
  thresholdChanges,
  type VerdictChange,
  verdictChanges,
  worseFindings,
} from "./verdict-changes.ts";

/** What changed from one run to another. */
export interface Comparison {
  readonly verdict: "worse" | "same" | "not judged";
  readonly exitCode: ExitCode;
  /** What decided the verdict; empty when nothing got worse. */
  readonly reasons: readonly SaidFinding[];
  readonly before: string;
  readonly after: string;
  readonly requirements: readonly VerdictChange[];
  /** Omitted when one of these runs has no contract. */
  readonly differences?: readonly ContractDifference[];
  /** Shown, and part of no verdict. */
  readonly load: readonly ComparedLoad[];
  readonly notes: readonly SaidFinding[];
}

export interface RunsToCompare {
  readonly before: EarlierRun;
  readonly after: EarlierRun;
}

/** @throws UsageError when both are the same run. */
export function compareRuns({ before, after }: RunsToCompare): Comparison {
  refuseRepeated(before, after);
  const results = [before.results, after.results] as const;
  const hasContract = results.every(isWhole) || results.every(hasProbed);
  const hasVerdicts = results.every(({ requirements }) => requirements.length > 0);
  const requirements = hasVerdicts ? verdictChanges(results[0].requirements, results[1].requirements) : [];
  const differences = hasContract ? contractChanges(...results) : [];
  const thresholds = thresholdChanges(...results);
  const { shared, notes } = compareLoads(before, after);
  const { reasons, ...judged } = judgeComparison({
    requirements,
    differences,
    load: shared,
    thresholds,
    hasVerdicts,
    hasContract,
    hasLimits: shared.some(({ limits }) => limits > 0),
  });
  return {
    ...judged,
    reasons: reasons.map((one) => said(one)),
    before: before.name,
    after: after.name,
    requirements,
    ...(hasContract ? { differences } : {}),
    load: shared,
    notes: [...notes, ...notesOn(before, after)].map((one) => said(one)),
  };
}

/** What the verdict of a comparison depends on. */
export interface Compared {
  readonly requirements: readonly Pick<VerdictChange, "kind" | "id" | "level">[];
  readonly differences: readonly Pick<ContractDifference<Finding>, "breaking" | "finding">[];
  readonly load: readonly Pick<ComparedLoad, "scenario" | "differing">[];
  readonly thresholds: readonly ThresholdChange[];
  readonly hasVerdicts: boolean;
  readonly hasContract: boolean;
  /** Both runs had a limit of load that could be judged. */
  readonly hasLimits: boolean;
}

/**
 * Decides the verdict of a comparison, in this order:
 *
 * - worse (exit code 1): a requirement newly fails, a threshold is newly crossed, or the contract changed in a breaking way
 * - not judged (4): a MUST is no longer judged, a load is no longer measured, something fails that was not judged before, or
 *   there was nothing to judge
 * - same (0): nothing got worse
 */
export function judgeComparison(
  compared: Compared,
): Pick<Comparison, "verdict" | "exitCode"> & { readonly reasons: readonly Finding[] } {
  const { requirements, differences, load, thresholds, hasVerdicts, hasContract, hasLimits } = compared;
  const isElsewhere = ({ subject }: ThresholdChange) =>
    load.some((one) => one.scenario === subject && one.differing.length > 0);
  // With another load, or on another machine, a newly crossed threshold is no evidence of a change in the service.
  const isRegression = (change: ThresholdChange) =>
    change.code === "threshold-newly-crossed" && !isElsewhere(change);
  const regressions = [
    ...worseFindings(requirements, ["newly-failing"]),
    ...differences.filter(({ breaking }) => breaking).map(({ finding }) => finding),
    ...thresholds.filter(isRegression),
  ];
  if (regressions.length > 0) return { verdict: "worse", exitCode: 1, reasons: regressions };
  const nothing: Finding[] = hasVerdicts || hasContract || hasLimits ? [] : [{ code: "nothing-to-compare" }];
  const open = [
    ...worseFindings(requirements, ["failing-not-judged-before"]),
    ...worseFindings(
      requirements.filter(({ level }) => level === "must"),
      ["no-longer-judged"],
    ),
    ...thresholds.filter((change) => !isRegression(change)),
    ...nothing,
  ];
  return open.length > 0
    ? { verdict: "not judged", exitCode: 4, reasons: open }
    : { verdict: "same", exitCode: 0, reasons: [] };
}

// Runs are identified by their start, because `latest` is a second name of a run.
function refuseRepeated(before: EarlierRun, after: EarlierRun): void {
  const identity = ({ results }: EarlierRun) =>
    [results.startedAt, results.finishedAt, results.target.baseUrl].join(" ");
  if (identity(before) !== identity(after)) return;
  throw new UsageError({
    what: "A run is named twice",
    where: after.name,
    fix: "Name two runs; latest is another name for the newest run.",
  });
}

function notesOn(old: EarlierRun, now: EarlierRun): Finding[] {
  const [before, after] = [old.results.target, now.results.target];
  const unfinished = [old, now].filter(
    ({ results }) => results.problem !== undefined || (results.requirements.length > 0 && !isWhole(results)),
  );
  return [
    ...(before.name === after.name
      ? []
      : [{ code: "other-target" as const, expected: before.name, actual: after.name }]),
    ...(before.keyFingerprint === after.keyFingerprint || before.name === "embedded"
      ? []
      : [{ code: "other-key" as const }]),
    ...unfinished.map(({ name, results: { problem } }) => ({
      code: "run-not-complete" as const,
      details: {
        run: name,
        problem: problem === undefined ? undefined : `${problem.what}: ${problem.where}`,
      },
    })),
  ];
}
