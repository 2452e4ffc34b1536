import type { Baseline, LoadComparison, RecordedRun, Results } from "../../schemas/types.ts";
import {
  differenceFinding,
  differencesAmong,
  isNoMeasurement,
  type LoadRun,
  loadRunOf,
  loadRunsOf,
  type MeasuredLatency,
  type RunDifference,
} from "./align.ts";
import { compareLatency, defaultRule, type LatencyRule, leastRuns, leastSamples } from "./latency.ts";

/** Latency of several runs of each scenario, as a baseline keeps it: the curves of the results, about 60 points an endpoint. */
export type RecordedLoad = NonNullable<Baseline["load"]>;

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
  const given = runs.flatMap(({ name, results }) => loadRunsOf(name, results)).flatMap(recordedRun);
  const kept = (before?.runs ?? []).filter((old) => {
    const renewed = given.filter(({ scenario }) => scenario === old.scenario);
    return renewed.every(
      (run) => run.startedAt !== old.startedAt && run.comparability.hash === old.comparability.hash,
    );
  });
  const byScenario = Map.groupBy([...kept, ...given], ({ scenario }) => scenario);
  const recorded = [...byScenario.values()].flatMap((group) =>
    group
      .toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
      .slice(-mostRecorded),
  );
  return recorded.length === 0 ? undefined : { runs: recorded };
}

function recordedRun({ verdict, comparability, curves, ...run }: LoadRun): RecordedRun[] {
  const enough = curves.filter(({ count }) => count >= leastSamples);
  if (verdict === "invalid" || comparability === undefined || enough.length === 0) return [];
  return [{ ...run, verdict, comparability, curves: enough }];
}

/**
 * Compares one new run with the recorded ones: is its latency what a run like them would be expected to have? Undefined
 * when no run of the scenario is recorded, or the result has no latency to compare.
 *
 * `refused` when the circumstances differ, as those of another machine do: the findings say in what. `inconclusive` with
 * fewer than three recorded runs. Five or more are better: with three the prediction is wide.
 *
 * @param scenarios Number of scenarios that are compared together, and share the false alarms.
 */
export function compareWithRecorded(
  recorded: RecordedLoad,
  result: MeasuredLatency,
  startedAt: string,
  { rule = defaultRule, scenarios = 1 }: { readonly rule?: LatencyRule; readonly scenarios?: number } = {},
): LoadComparison | undefined {
  const now = loadRunOf("this run", startedAt, result);
  const before = recorded.runs.filter(({ scenario }) => scenario === result.scenario);
  if (before.length === 0 || isNoMeasurement(now)) return undefined;
  const runs = { before: before.length, after: 1 };
  const differing = differencesAmong([now, ...before]);
  if (differing.length > 0) {
    return { answer: "refused", findings: differing.map(turned).map(differenceFinding), runs, endpoints: [] };
  }
  if (before.length < leastRuns) {
    const few = { code: "latency-too-few-runs", expected: leastRuns, actual: before.length } as const;
    return { answer: "inconclusive", findings: [few], runs, endpoints: [] };
  }
  return compareLatency(before, [now], rule, scenarios).comparison;
}

// The recorded run came first.
function turned({ part, before, after, run, other }: RunDifference): RunDifference {
  return { part, before: after, after: before, run: other, other: run };
}
