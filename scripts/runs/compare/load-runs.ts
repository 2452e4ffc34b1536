import type { FindingOf } from "../../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import { type Comparability, type Difference, differencesBetween } from "../../load/comparability.ts";
import type { EarlierRun } from "../read-run.ts";
import type { Curve } from "./curve.ts";

/** The latency of one scenario in one run. */
export interface LoadRun {
  readonly run: string;
  readonly startedAt: string;
  readonly scenario: string;
  readonly profile: string;
  readonly verdict: LoadResult["verdict"];
  /** Undefined in results of older versions. */
  readonly comparability: Comparability | undefined;
  readonly curves: readonly Curve[];
}

/** The part of a load result that is used to compare latency. Without a verdict if it has not been judged yet. */
export type MeasuredLatency = Pick<LoadResult, "scenario" | "profile" | "comparability" | "percentiles"> &
  Partial<Pick<LoadResult, "verdict">>;

export function loadRunOf(run: string, startedAt: string, result: MeasuredLatency): LoadRun {
  const { scenario, profile, verdict = "pass", comparability, percentiles = [] } = result;
  return { run, startedAt, scenario, profile, verdict, comparability, curves: percentiles };
}

/** The latency of the scenarios of a run. Without rate-limit, whose latency depends on its own pacing. */
export function loadRunsOf(run: string, { startedAt, load }: Pick<Results, "startedAt" | "load">): LoadRun[] {
  return load
    .filter(({ scenario }) => scenario !== "rate-limit")
    .map((result) => loadRunOf(run, startedAt, result));
}

/** Whether a load run has no latency to compare. */
export function isNoMeasurement({ verdict, curves }: LoadRun): boolean {
  return verdict === "invalid" || curves.length === 0;
}

/** The runs of one scenario before and after. */
interface SharedScenario {
  readonly scenario: string;
  readonly before: readonly LoadRun[];
  readonly after: readonly LoadRun[];
}

/** Splits scenarios into those that every run has, and those that only some have. */
export function alignScenarios(
  before: readonly EarlierRun[],
  after: readonly EarlierRun[],
): { readonly shared: readonly SharedScenario[]; readonly unshared: readonly string[] } {
  const byRun = (runs: readonly EarlierRun[]) => runs.map(({ name, results }) => loadRunsOf(name, results));
  const [earlier, later] = [byRun(before), byRun(after)];
  const all = [...earlier, ...later];
  const names = [...new Set(all.flat().map(({ scenario }) => scenario))];
  const isShared = (name: string) => all.every((run) => run.some(({ scenario }) => scenario === name));
  const pick = (runs: readonly LoadRun[][], name: string) =>
    runs.flat().filter(({ scenario }) => scenario === name);
  return {
    shared: names
      .filter(isShared)
      .map((scenario) => ({ scenario, before: pick(earlier, scenario), after: pick(later, scenario) })),
    unshared: names.filter((name) => !isShared(name)),
  };
}

/** A condition in which two runs differ, with the names of the runs. */
export interface RunDifference extends Difference {
  readonly run: string;
  readonly other: string;
}

/** The conditions in which runs differ from the first one, each condition once. */
export function differencesAmong([first, ...others]: readonly LoadRun[]): RunDifference[] {
  const found = new Map<string, RunDifference>();
  if (first === undefined) return [];
  for (const other of others) {
    for (const difference of differencesOf(first, other)) {
      if (found.has(difference.part)) continue;
      found.set(difference.part, { ...difference, run: first.run, other: other.run });
    }
  }
  return [...found.values()];
}

export function differenceFinding({
  part,
  before,
  after,
  run,
  other,
}: RunDifference): FindingOf<"runs-differ"> {
  return { code: "runs-differ", expected: before, actual: after, details: { part, run, other } };
}

function differencesOf({ comparability: before }: LoadRun, { comparability: after }: LoadRun): Difference[] {
  // If the conditions of both runs are unknown, they may differ.
  if (before === undefined && after === undefined) {
    return [{ part: "comparability", before: "unknown", after: "unknown" }];
  }
  const unknown: Comparability = { hash: "unknown", parts: {} };
  return differencesBetween(before ?? unknown, after ?? unknown);
}
