import { randomLcg } from "d3-random";
import { logarithm, quantile, samplingError } from "./curve.ts";
import { type Change, changeInterval, type RunValue } from "./interval.ts";
import type { LoadRun } from "./load-run.ts";
import type { LatencyRule } from "./rule.ts";

/** Statistics that are compared, and the share of the samples below each. */
const statistics = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;
export type Statistic = keyof typeof statistics;

/** The whole is judged by these two: a p99 of all endpoints is that of the rarest. */
const ofTheWhole: readonly Statistic[] = ["p50", "p95"];

/** Samples that must lie beyond a quantile in every run, or else it is the run's largest values and little more. */
const leastBeyond = 5;

/** Samples below which no statistic of an endpoint is compared. */
export const leastSamples = leastBeyond / (1 - statistics.p50);

/** Name of the row that is all endpoints together. */
export const allEndpoints = "all endpoints";

/** One statistic of one endpoint, in the runs of both sides. */
export interface Row {
  readonly endpoint: string;
  readonly statistic: Statistic;
  readonly before: readonly RunValue[];
  readonly after: readonly RunValue[];
  /** Samples of the endpoint in all runs. */
  readonly samples: number;
}

/** A row with its interval, and the probability that the interval leaves out. */
export interface MeasuredRow extends Row {
  /** Speaks for the scenario as a whole: all endpoints together, or the only one that has enough samples. */
  readonly isWhole: boolean;
  readonly change: Change;
  readonly leftOut: number;
}

/** What could not be judged, and why. */
export interface UnmeasuredRow {
  readonly endpoint: string;
  readonly statistic: Statistic;
  readonly reason: string;
}

interface Rows {
  readonly measured: readonly MeasuredRow[];
  readonly unmeasured: readonly UnmeasuredRow[];
}

/**
 * The rows of a comparison. The false alarms are shared out: half of them to the rows of the whole, so that an even
 * slowdown is found by few runs, and half to those of the endpoints, each of which may be slow alone.
 *
 * @param scenarios Number of scenarios that are compared together, and share the false alarms too.
 */
export function measureRows(
  before: readonly LoadRun[],
  after: readonly LoadRun[],
  rule: LatencyRule,
  scenarios = 1,
): Rows {
  const random = randomLcg(rule.seed);
  const rows: Row[] = [];
  const unmeasured: UnmeasuredRow[] = [];
  for (const endpoint of endpointsOf([...before, ...after])) {
    for (const statistic of Object.keys(statistics) as Statistic[]) {
      const reason = reasonAgainst([...before, ...after], endpoint, statistic);
      if (reason !== undefined) {
        unmeasured.push({ endpoint, statistic, reason });
        continue;
      }
      const values = (side: readonly LoadRun[]) =>
        side.map((run) => statisticOf(run, endpoint, statistic, rule, random));
      const samples = samplesOf([...before, ...after], endpoint).reduce((sum, count) => sum + count, 0);
      rows.push({ endpoint, statistic, before: values(before), after: values(after), samples });
    }
  }
  const whole = ofTheWhole.flatMap((statistic) => wholeRow(rows, statistic) ?? []);
  const single = rows.filter((row) => !whole.includes(row));
  const share = rule.falseAlarms / scenarios / (whole.length > 0 && single.length > 0 ? 2 : 1);
  const measure = (group: readonly Row[], isWhole: boolean) =>
    group.map((row) => {
      const leftOut = share / group.length;
      return { ...row, isWhole, leftOut, change: changeInterval(row.before, row.after, leftOut) };
    });
  return { measured: [...measure(whole, true), ...measure(single, false)], unmeasured };
}

/**
 * All endpoints together: the mean of their logarithms, weighted by their samples. Never one distribution of all, whose
 * quantiles would jump from one endpoint to another. Of a single endpoint its own row; undefined when there is none.
 */
function wholeRow(rows: readonly Row[], statistic: Statistic): Row | undefined {
  const parts = rows.filter((row) => row.statistic === statistic);
  if (parts.length < 2) return parts[0];
  const samples = parts.reduce((sum, row) => sum + row.samples, 0);
  const together = (side: "before" | "after"): RunValue[] =>
    (parts[0]?.[side] ?? []).map(({ run }, place) => {
      let sum = 0;
      let variance = 0;
      for (const row of parts) {
        const value = row[side][place];
        if (value === undefined) continue;
        const weight = row.samples / samples;
        sum += weight * logarithm(value.milliseconds);
        variance += (weight * value.samplingError) ** 2;
      }
      return { run, milliseconds: Math.exp(sum), samplingError: Math.sqrt(variance) };
    });
  return { endpoint: allEndpoints, statistic, before: together("before"), after: together("after"), samples };
}

function endpointsOf(runs: readonly LoadRun[]): string[] {
  const names = new Set(runs.flatMap(({ curves }) => curves.map(({ endpoint }) => endpoint)));
  const samples = (name: string) => samplesOf(runs, name).reduce((sum, count) => sum + count, 0);
  return [...names].sort((one, other) => samples(other) - samples(one) || one.localeCompare(other));
}

function samplesOf(runs: readonly LoadRun[], endpoint: string): number[] {
  return runs.map(({ curves }) => curves.find((curve) => curve.endpoint === endpoint)?.count ?? 0);
}

function reasonAgainst(runs: readonly LoadRun[], endpoint: string, statistic: Statistic): string | undefined {
  const fewest = Math.min(...samplesOf(runs, endpoint));
  const needed = Math.ceil(leastBeyond / (1 - statistics[statistic]) - 1e-9);
  return fewest >= needed ? undefined : `${fewest} samples in a run, ${needed} needed`;
}

function statisticOf(
  { run, curves }: LoadRun,
  endpoint: string,
  statistic: Statistic,
  { resamples }: LatencyRule,
  random: () => number,
): RunValue {
  const curve = curves.find((each) => each.endpoint === endpoint);
  if (curve === undefined) throw new Error(`${run} has no ${endpoint}`);
  const share = statistics[statistic];
  return {
    run,
    milliseconds: quantile(curve, share),
    samplingError: samplingError(curve, share, resamples, random),
  };
}
