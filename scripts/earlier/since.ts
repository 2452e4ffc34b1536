import type { Results } from "../../schemas/contracts/results.ts";
import { UsageError } from "../errors.ts";
import { type RunPlaces, readRun } from "../runs/read-run.ts";
import { type ContractSource, contractOf, driftBetween } from "./drift.ts";

/**
 * Reads the run with which `gate --since` compares. `latest` is the run that is the latest now, not the one that begins.
 *
 * @param target Name of the target of the run that begins.
 * @throws UsageError as readRun; for a run that did not finish or judged a part only, and for one of another target.
 */
export async function readSince(places: RunPlaces, run: string, target: string): Promise<Results> {
  const { results } = await readRun(places, run);
  const why = unfit(results, target);
  if (why === undefined) return results;
  throw new UsageError({
    what: `The run cannot be compared with: ${why}`,
    where: `--since ${run}`,
    fix: `Name a finished, whole run of gate or conformance on ${target}.`,
  });
}

function unfit({ requirements, scope, verdict, exitCode, problem, target }: Results, name: string) {
  if (target.name !== name) return `its target is ${JSON.stringify(target.name)}`;
  if (exitCode === 130) return "it was interrupted";
  if (verdict === "error") return `it ended in an error${problem === undefined ? "" : ` (${problem.what})`}`;
  if (requirements.length === 0) return "it judged no requirement";
  return scope === undefined ? undefined : `it judged ${scope.requirements} of ${scope.of} requirements`;
}

/** The changes of the contract in a run since an earlier one. */
export function driftSince(earlier: Results, run: ContractSource): Results["drift"] & object {
  return { since: earlier.startedAt, changes: driftBetween(contractOf(earlier), contractOf(run)) };
}
