import type { LoadResult, Results } from "../../../schemas/types.ts";
import type { Comparability } from "../../load/comparability.ts";
import type { Curve } from "./curve.ts";

/** One scenario of one run, as far as its latency is compared. */
export interface LoadRun {
  /** Name of the run. */
  readonly run: string;
  readonly startedAt: string;
  readonly scenario: string;
  readonly profile: string;
  readonly verdict: LoadResult["verdict"];
  /** Undefined in results of a version that did not write it. */
  readonly comparability: Comparability | undefined;
  readonly curves: readonly Curve[];
}

/** The scenarios of a run whose latency can be compared. The one about the limit paces itself: its latency says nothing. */
export function loadRunsOf(run: string, { startedAt, load }: Pick<Results, "startedAt" | "load">): LoadRun[] {
  return load
    .filter(({ scenario }) => scenario !== "rate-limit")
    .map((result) => loadRunOf(run, startedAt, result));
}

/** One load result as a run to compare. */
export function loadRunOf(run: string, startedAt: string, result: LoadResult): LoadRun {
  const { scenario, profile, verdict, comparability, percentiles = [] } = result;
  return { run, startedAt, scenario, profile, verdict, comparability, curves: percentiles };
}
