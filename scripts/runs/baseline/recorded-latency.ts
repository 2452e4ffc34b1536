import type { Baseline, RecordedRun } from "../../../schemas/contracts/baseline.ts";
import type { LoadComparison } from "../../../schemas/contracts/load-result.ts";
import type { Results } from "../../../schemas/contracts/results.ts";
import {
  compareLatency,
  defaultRule,
  type LatencyRule,
  leastRuns,
  leastSamples,
} from "../compare/latency.ts";
import {
  differenceFinding,
  differencesAmong,
  isNoMeasurement,
  type LoadRun,
  loadRunOf,
  loadRunsOf,
  type MeasuredLatency,
  type RunDifference,
} from "../compare/load-runs.ts";

/** Latency of several runs of each scenario in a baseline: the curves of the results, with about 60 points per endpoint. */
export type RecordedLoad = NonNullable<Baseline["load"]>;

/** Number of runs per scenario that a baseline keeps. Older ones are dropped. */
const mostRecorded = 10;

/**
 * The latency that a baseline records: that of the given runs, and of earlier recorded runs with the same conditions, so
 * that each acceptance adds runs. Omits runs without measurements, and endpoints with too few samples. Undefined when
 * nothing is left.
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
 * Compares the latency of a new run with the recorded runs of the same scenario; undefined when none is recorded, or when
 * the run has no latency to compare.
 *
 * The answer is `refused` when the conditions differ, for example the machine; its findings name the differences. It is
 * `inconclusive` with fewer than three recorded runs. Five or more give a narrower interval.
 *
 * @param scenarios Number of scenarios that are compared together and share the probability of false alarms.
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
    return {
      answer: "refused",
      findings: differing.map(swapped).map(differenceFinding),
      runs,
      endpoints: [],
    };
  }
  if (before.length < leastRuns) {
    const few = { code: "latency-too-few-runs", expected: leastRuns, actual: before.length } as const;
    return { answer: "inconclusive", findings: [few], runs, endpoints: [] };
  }
  return compareLatency(before, [now], rule, scenarios).comparison;
}

// The recorded run is the earlier one.
function swapped({ part, before, after, run, other }: RunDifference): RunDifference {
  return { part, before: after, after: before, run: other, other: run };
}
