import { UsageError } from "../../errors.ts";
import type { EarlierRun } from "../earlier-run.ts";

/**
 * The runs, each once.
 * @throws UsageError for a run that did not come to its end, and for runs of different targets: neither is a contract.
 */
export function acceptableRuns(
  runs: readonly [EarlierRun, ...EarlierRun[]],
): readonly [EarlierRun, ...EarlierRun[]] {
  const [first, ...others] = runs;
  for (const { name, results } of runs) {
    const { verdict, exitCode, problem } = results;
    if (verdict !== "error" && exitCode !== 130 && exitCode !== 3 && problem === undefined) continue;
    throw new UsageError({
      what: exitCode === 130 ? "The run was interrupted" : "The run did not come to its end",
      where: problem === undefined ? name : `${name}: ${problem.what}`,
      mend: "What it did not reach would count as agreed. Make the run again, and accept that one.",
    });
  }
  const stranger = others.find(({ results }) => results.target.name !== first.results.target.name);
  if (stranger !== undefined) {
    throw new UsageError({
      what: "The runs are of different targets",
      where: `${first.name} of ${first.results.target.name}, ${stranger.name} of ${stranger.results.target.name}`,
      mend: "Accept the runs of one target at a time.",
    });
  }
  // `latest` and a name may be one run.
  const byStart = new Map(others.map((run) => [run.results.startedAt, run]));
  byStart.delete(first.results.startedAt);
  return [first, ...byStart.values()];
}
