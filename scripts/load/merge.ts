import { shownStatistics } from "../../scenarios/lib/quantiles.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { holds, measuredOf } from "../../scenarios/lib/thresholds.ts";
import { type Distribution, distributionOf, mergedHistogram, percentile } from "./histogram.ts";

type Values = Readonly<Record<string, number>>;

/**
 * One summary of the processes that shared a run. Counts are added, shares made from the added counts,
 * percentiles read from the merged histogram, and the thresholds judged on the whole: what a process found of
 * its own part says nothing.
 */
export function mergeSummaries([first, ...others]: readonly [RunSummary, ...RunSummary[]]): RunSummary {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const durationMilliseconds = Math.max(...all.map((summary) => summary.durationMilliseconds));
  const names = new Set(all.flatMap(({ metrics }) => Object.keys(metrics)));
  const metrics: Record<string, Values> = {};
  const distributions: Record<string, Distribution> = {};
  for (const name of names) {
    const values = all.map((summary) => summary.metrics[name]).filter((each) => each !== undefined);
    const parts = all.map((summary) => summary.distributions[name]).filter((each) => each !== undefined);
    const merged = mergeMetric(values, parts, durationMilliseconds / 1000);
    metrics[name] = merged.values;
    if (merged.distribution !== undefined) distributions[name] = merged.distribution;
  }
  return {
    ...first,
    durationMilliseconds,
    metrics,
    distributions,
    thresholds: first.thresholds.map((limit) => ({
      ...limit,
      held: holds(limit, measuredOf(limit, metrics)),
    })),
  };
}

interface MergedMetric {
  readonly values: Values;
  readonly distribution?: Distribution;
}

function mergeMetric(
  parts: readonly Values[],
  distributions: readonly Distribution[],
  seconds: number,
): MergedMetric {
  const sum = (statistic: string) => parts.reduce((total, values) => total + (values[statistic] ?? 0), 0);
  const has = (statistic: string) => parts.some((values) => statistic in values);
  if (has("passes")) {
    const passes = sum("passes");
    const fails = sum("fails");
    return { values: { rate: passes + fails === 0 ? 0 : passes / (passes + fails), passes, fails } };
  }
  if (has("avg")) return mergeTrend(parts, distributions, sum("count"));
  if (has("count"))
    return { values: { count: sum("count"), rate: seconds === 0 ? 0 : sum("count") / seconds } };
  const of = (pick: (...values: number[]) => number, statistic: string) =>
    pick(...parts.map((values) => values[statistic] ?? values.value ?? 0));
  return { values: { value: of(Math.min, "value"), min: of(Math.min, "min"), max: of(Math.max, "max") } };
}

/** One trend of several. */
export function mergeTrend(
  parts: readonly Values[],
  distributions: readonly Distribution[],
  count: number,
): MergedMetric {
  const filled = parts.filter((values) => (values.count ?? 0) > 0);
  if (distributions.length === 0) {
    return { values: filled[0] === undefined || filled.length > 1 ? { count } : filled[0] };
  }
  const histogram = mergedHistogram(distributions);
  const avg = filled.reduce((total, values) => total + (values.avg ?? 0) * (values.count ?? 0), 0) / count;
  const exact: Values = {
    count,
    avg,
    min: Math.min(...filled.map((values) => values.min ?? 0)),
    max: Math.max(...filled.map((values) => values.max ?? 0)),
    med: percentile(histogram, 50),
  };
  const values = shownStatistics.map((statistic) => {
    const at = /^p\(([0-9.]+)\)$/.exec(statistic)?.[1];
    return [statistic, at === undefined ? (exact[statistic] ?? 0) : percentile(histogram, Number(at))];
  });
  return { values: Object.fromEntries(values), distribution: distributionOf(histogram, count) };
}
