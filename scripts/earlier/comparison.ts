import { type ExitCode, UsageError } from "../errors.ts";
import type { EarlierRun } from "../runs/read-run.ts";
import { differencesBetween, probedLimit } from "./contract.ts";
import { type LoadChange, loadChanges } from "./load-changes.ts";
import type { ContractDifference } from "./since-result.ts";
import { type ChangeWeight, type VerdictChange, verdictChanges, weightOf } from "./verdict-changes.ts";

/** What changed from one run to another. */
export interface Comparison {
  readonly verdict: "worse" | "same" | "not judged";
  readonly exitCode: ExitCode;
  readonly before: string;
  readonly after: string;
  readonly requirements: readonly VerdictChange[];
  /** Omitted when one of the runs did not finish, or judged nothing of the contract. */
  readonly differences?: readonly ContractDifference[];
  readonly load: readonly LoadChange[];
}

export interface RunsToCompare {
  readonly before: EarlierRun;
  readonly after: EarlierRun;
}

/**
 * Decides the verdict of a comparison, in this order:
 *
 * - worse (exit code 1): a requirement newly fails, a limit is newly exceeded, or the contract changed in a breaking way
 * - not judged (4): a MUST is no longer judged, a load is no longer measured, something fails that was not judged before, or
 *   there was nothing to judge
 * - same (0): nothing got worse
 *
 * @throws UsageError when both are the same run.
 */
export function compareRuns({ before, after }: RunsToCompare): Comparison {
  refuseRepeated(before, after);
  const [old, now] = [before.results, after.results];
  const both = [old, now];
  const hasVerdicts = both.every((run) => run.requirements.length > 0);
  const requirements = hasVerdicts ? verdictChanges(old.requirements, now.requirements) : [];
  const isFinished = both.every((run) => run.verdict !== "error" && run.exitCode !== 130);
  const isProbed = both.every((run) => probedLimit(run.load) !== undefined);
  const hasContract = isFinished && (hasVerdicts || isProbed);
  const differences = hasContract ? differencesBetween(old, now) : [];
  const load = loadChanges(old, now);
  // Runs of another command need not send the same loads.
  const isMissing = old.command === now.command && load.some(({ measured }) => measured === "before");
  const hasNothing = !hasVerdicts && !hasContract && load.every(({ limits }) => limits === 0);
  const weights: readonly ChangeWeight[] = [
    ...requirements.map(weightOf),
    ...differences.map(({ breaking }) => (breaking ? "worse" : "none")),
    ...load.flatMap(({ exceeded }) => exceeded.map(({ weight }) => weight)),
    isMissing || hasNothing ? "open" : "none",
  ];
  const judged = weights.includes("worse")
    ? ({ verdict: "worse", exitCode: 1 } as const)
    : weights.includes("open")
      ? ({ verdict: "not judged", exitCode: 4 } as const)
      : ({ verdict: "same", exitCode: 0 } as const);
  const names = { before: before.name, after: after.name };
  return { ...judged, ...names, requirements, ...(hasContract ? { differences } : {}), load };
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
