import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { WaiverResult } from "../../schemas/contracts/waivers.ts";
import { given } from "../../schemas/json.ts";
import { UsageError } from "../errors.ts";
import type { RunState } from "../runs/assemble.ts";
import { type RunPlaces, readRun } from "../runs/read-run.ts";
import { inForce, type RunWaivers } from "../runs/waivers.ts";
import { type Contract, differencesBetween, isDifferenceName } from "./contract.ts";
import type { SinceResult } from "./since-result.ts";
import { changeKinds, verdictChanges } from "./verdict-changes.ts";

/** What a run knows of the target that it judges. */
interface SinceTarget {
  readonly name: string;
  /** Those that it browses. Default: not known yet */
  readonly categories?: readonly string[] | undefined;
}

/**
 * Reads the run with which `gate --since` compares. `latest` is the run that is the latest now, not the one that begins.
 *
 * @throws UsageError as readRun; for a run that did not finish or judged a part only, and for one of another target.
 */
export async function readSince(places: RunPlaces, run: string, target: SinceTarget): Promise<Results> {
  const { results } = await readRun(places, run);
  const why = unfit(results, target);
  if (why === undefined) return results;
  throw new UsageError({
    what: `The run cannot be compared with: ${why}`,
    where: `--since ${run}`,
    fix: `Name a finished, whole run of gate or conformance on ${target.name}.`,
  });
}

function unfit(
  { requirements, scope, verdict, exitCode, problem, target, discovered }: Results,
  { name, categories }: SinceTarget,
): string | undefined {
  if (target.name !== name) return `its target is ${JSON.stringify(target.name)}`;
  if (exitCode === 130) return "it was interrupted";
  if (verdict === "error") return `it ended in an error${problem === undefined ? "" : ` (${problem.what})`}`;
  if (requirements.length === 0) return "it judged no requirement";
  if (scope !== undefined) return `it judged ${scope.requirements} of ${scope.of} requirements`;
  // A field that only products of this category have would seem to be gone.
  const other = discovered.categories?.find((category) => !(categories ?? [category]).includes(category));
  return other === undefined
    ? undefined
    : `it browsed the category ${JSON.stringify(other)}, which is not named now`;
}

/** What changed since an earlier run. A difference that a waiver in force names is accepted. */
export function changesSince(
  earlier: Results,
  run: Contract & Pick<RunState, "requirements">,
  waivers: RunWaivers,
): SinceResult {
  const accepted = inForce(waivers);
  const worse = verdictChanges<Finding>(earlier.requirements, run.requirements).filter(
    ({ kind }) => changeKinds[kind].weight !== "none",
  );
  return {
    startedAt: earlier.startedAt,
    differences: differencesBetween(earlier, run).map((one) => ({
      ...one,
      ...given({ waiver: accepted.find(({ id }) => id === one.name) }),
    })),
    verdicts: worse.map(({ id, kind }) => ({ id, kind })),
  };
}

/** The states of waivers of differences, which only a run with `--since` shows. */
export function withDifferences(
  states: readonly WaiverResult[],
  { differences }: SinceResult,
): WaiverResult[] {
  return states.map((one) => {
    if (one.state === "expired" || !isDifferenceName(one.waiver.id)) return one;
    return { ...one, state: differences.some(({ name }) => name === one.waiver.id) ? "active" : "stale" };
  });
}
