import { build, type Histogram } from "hdr-histogram-js";
import { type RunSummary, shownStatistics, slices } from "../../scenarios/lib/summary.ts";
import { holds, measuredOf } from "../../scenarios/lib/thresholds.ts";

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

/** A distribution as a summary has it: the number of samples, and a value for each slice of quantiles.ts. */
export interface Distribution {
  readonly count: number;
  readonly slices: readonly number[];
}

/** Values are kept in thousandths of their unit, to three digits: 0.1 % of the value, from 1 us to an hour. */
const perUnit = 1000;
const options = {
  lowestDiscernibleValue: 1,
  highestTrackableValue: 3_600_000 * perUnit,
  numberOfSignificantValueDigits: 3 as const,
  bitBucketSize: 64 as const,
  useWebAssembly: false,
};
/** Slices hold fractions of samples: counts are multiplied so that they stay whole. */
const countScale = 10_000;

/** One histogram of all the distributions together. Percentiles are read from it; those of its parts are never averaged. */
export function mergedHistogram(distributions: readonly Distribution[]): Histogram {
  const histogram = build(options);
  for (const distribution of distributions) {
    for (const { value, samples } of samplesOf(distribution)) {
      const recorded = Math.min(options.highestTrackableValue, Math.max(0, Math.round(value * perUnit)));
      histogram.recordValueWithCount(recorded, Math.max(1, Math.round(samples * countScale)));
    }
  }
  return histogram;
}

interface Samples {
  readonly value: number;
  /** How many of the samples have it; may be a fraction. */
  readonly samples: number;
}

/** Above this the slices lie no denser than the samples anywhere, and stand for them well enough. */
const mostSamplesRead = 20_000;

/**
 * The samples of a distribution. k6 puts a percentile between the two samples next to it, in proportion; where slices
 * lie denser than samples, each sample is read back from them, so that a sparse tail keeps its gaps when merged.
 */
function samplesOf({ count, slices: values }: Distribution): Samples[] {
  const parts = slices();
  if (count > mostSamplesRead) {
    return values.map((value, place) => ({ value, samples: count * (parts[place]?.share ?? 0) }));
  }
  const read: Samples[] = [];
  let next = 0;
  for (let rank = 0; rank < count; rank += 1) {
    const at = count === 1 ? 0 : (100 * rank) / (count - 1);
    while (next < parts.length - 1 && (parts[next]?.at ?? 0) < at) next += 1;
    const [low, high] = [Math.max(0, next - 1), next];
    const [from, to] = [parts[low]?.at ?? 0, parts[high]?.at ?? 0];
    const share = from === to ? 0 : Math.min(1, Math.max(0, (at - from) / (to - from)));
    const [below, above] = [values[low] ?? 0, values[high] ?? 0];
    read.push({ value: below + (above - below) * share, samples: 1 });
  }
  return read;
}

/** Value at a percentile (0 to 100), in the unit of the samples: between two samples in proportion, as k6 has it. */
export function percentile(histogram: Histogram, at: number): number {
  const count = histogram.totalCount / countScale;
  const place = (at / 100) * Math.max(0, count - 1);
  const rank = Math.floor(place);
  // The middle of what the samples of that rank take up.
  const ranked = (of: number) =>
    histogram.getValueAtPercentile(Math.min(100, (100 * (of + 0.5)) / count)) / perUnit;
  const [below, above] = [ranked(rank), ranked(rank + 1)];
  return below + (above - below) * (place - rank);
}

/** The histogram's distribution, in the form of a summary. */
export function distributionOf(histogram: Histogram, count: number): Distribution {
  return { count, slices: slices().map(({ at }) => percentile(histogram, at)) };
}
