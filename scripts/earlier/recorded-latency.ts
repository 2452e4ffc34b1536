import type { LoadComparison, LoadResult, Results } from "../../schemas/types.ts";
import { differencesAmong, type LoadRun, loadRunOf, loadRunsOf } from "./align.ts";
import { compareLatency, defaultRule, type LatencyRule, leastRuns, leastSamples } from "./latency.ts";

/** Latency of several runs of each scenario, as a baseline keeps it: the curves of the results, about 60 points an endpoint. */
export interface RecordedLoad {
  readonly schemaVersion: 1;
  readonly runs: readonly LoadRun[];
}

/** Runs of a scenario that a baseline keeps at most: the newest. */
const mostRecorded = 10;

/**
 * What a baseline records of the load of runs: that of the given ones, and of those recorded before what is still like
 * them, so that each acceptance adds to it. Runs that measured nothing are left out, and so are endpoints with too few
 * samples to be compared; undefined when nothing is left.
 */
export function recordedLoad(
  runs: readonly { readonly name: string; readonly results: Results }[],
  before?: RecordedLoad,
): RecordedLoad | undefined {
  const given = runs
    .flatMap(({ name, results }) => loadRunsOf(name, results))
    .map((run) => ({ ...run, curves: run.curves.filter(({ count }) => count >= leastSamples) }))
    .filter(
      ({ verdict, curves, comparability }) => verdict !== "invalid" && curves.length > 0 && comparability,
    );
  const kept = (before?.runs ?? []).filter((old) => {
    const renewed = given.filter(({ scenario }) => scenario === old.scenario);
    return renewed.every(
      (run) => run.startedAt !== old.startedAt && run.comparability?.hash === old.comparability?.hash,
    );
  });
  const byScenario = Map.groupBy([...kept, ...given], ({ scenario }) => scenario);
  const recorded = [...byScenario.values()].flatMap((group) =>
    group
      .toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
      .slice(-mostRecorded),
  );
  return recorded.length === 0 ? undefined : { schemaVersion: 1, runs: recorded };
}

/**
 * Holds one new run against the recorded ones: is it where a run like them would be expected? Undefined when no run of
 * the scenario is recorded, or the result has no latency to compare.
 *
 * `refused` when the circumstances differ, as those of another machine do: the reason says in what. `inconclusive` too
 * with fewer than three recorded runs. Five or more are better: with three the prediction is wide.
 */
export function compareWithBaseline(
  recorded: RecordedLoad,
  result: Omit<LoadResult, "verdict" | "findings" | "thresholds">,
  startedAt: string,
  rule: LatencyRule = defaultRule,
  scenarios = 1,
): LoadComparison | undefined {
  const now = loadRunOf("this run", startedAt, { ...result, verdict: "pass" });
  const before = recorded.runs.filter(({ scenario }) => scenario === result.scenario);
  if (before.length === 0 || now.curves.length === 0) return undefined;
  const runs = { before: before.length, after: 1 };
  const differing = differencesAmong([now, ...before]);
  if (differing.length > 0) {
    const shown = differing.map((one) => `${one.part} was ${one.after} when recorded and is ${one.before}`);
    return {
      answer: "refused",
      reason: `not like the recorded runs: ${shown.join("; ")}`,
      runs,
      endpoints: [],
    };
  }
  if (before.length < leastRuns) {
    const reason = `${before.length} of the ${leastRuns} runs that it takes are recorded: shelfcheck baseline accept RUN RUN RUN`;
    return { answer: "inconclusive", reason, runs, endpoints: [] };
  }
  return compareLatency(before, [now], rule, scenarios).comparison;
}
