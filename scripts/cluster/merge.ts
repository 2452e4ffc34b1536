import { type RunSummary, shownStatistics, slices } from "../../scenarios/lib/summary.ts";
import { holds, measuredOf } from "../../scenarios/lib/thresholds.ts";

type Values = Readonly<Record<string, number>>;

const allSlices = slices();

/**
 * Merges the summaries of the pods that shared a run: counts are added, shares computed from the added counts, percentiles
 * read from the samples of all, and the thresholds judged on the whole run. One at a time, so that those of a thousand
 * pods are never in memory together.
 */
export interface Merger {
  add(summary: RunSummary): void;
  end(): RunSummary;
}

/** The parts of a metric: the values from each summary, and the samples of all; none for a metric without a distribution. */
interface MetricParts {
  readonly values: Values[];
  readonly samples: Samples;
}

/** Creates a merger with the first summary. A single summary is returned unchanged. */
export function createMerger(first: RunSummary): Merger {
  const parts = new Map<string, MetricParts>();
  let count = 0;
  let durationMilliseconds = 0;
  function add(summary: RunSummary): void {
    count += 1;
    durationMilliseconds = Math.max(durationMilliseconds, summary.durationMilliseconds);
    for (const [name, values] of Object.entries(summary.metrics)) {
      const known: MetricParts = parts.get(name) ?? { values: [], samples: new Map() };
      parts.set(name, known);
      known.values.push(values);
      const distribution = summary.distributions[name];
      if (distribution !== undefined) record(distribution, known.samples);
    }
  }
  add(first);
  return {
    add,
    end() {
      if (count === 1) return first;
      const metrics: Record<string, Values> = {};
      const distributions: Record<string, Distribution> = {};
      for (const [name, { values, samples }] of parts) {
        const merged = mergeMetric(values, samples, durationMilliseconds / 1000);
        metrics[name] = merged.values;
        if (merged.distribution !== undefined) distributions[name] = merged.distribution;
      }
      const thresholds = first.thresholds.map((limit) => ({
        ...limit,
        met: holds(limit, measuredOf(limit, metrics)),
      }));
      return { ...first, durationMilliseconds, metrics, distributions, thresholds };
    },
  };
}

interface MergedMetric {
  readonly values: Values;
  readonly distribution?: Distribution;
}

function mergeMetric(parts: readonly Values[], samples: Samples, seconds: number): MergedMetric {
  const sum = (statistic: string) => parts.reduce((total, values) => total + (values[statistic] ?? 0), 0);
  const has = (statistic: string) => parts.some((values) => statistic in values);
  if (has("passes")) {
    const passes = sum("passes");
    const fails = sum("fails");
    return { values: { rate: passes + fails === 0 ? 0 : passes / (passes + fails), passes, fails } };
  }
  if (has("avg")) return mergeTrend(parts, samples, sum("count"));
  if (has("count"))
    return { values: { count: sum("count"), rate: seconds === 0 ? 0 : sum("count") / seconds } };
  const of = (pick: (...values: number[]) => number, statistic: string) =>
    pick(...parts.map((values) => values[statistic] ?? values.value ?? 0));
  return { values: { value: of(Math.min, "value"), min: of(Math.min, "min"), max: of(Math.max, "max") } };
}

/** Merges the values of one trend metric. Without distributions, percentiles are known only if one part has samples. */
function mergeTrend(parts: readonly Values[], samples: Samples, count: number): MergedMetric {
  const filled = parts.filter((values) => (values.count ?? 0) > 0);
  if (samples.size === 0) {
    return { values: filled[0] === undefined || filled.length > 1 ? { count } : filled[0] };
  }
  const read = percentilesOf(samples);
  const avg = filled.reduce((total, values) => total + (values.avg ?? 0) * (values.count ?? 0), 0) / count;
  const exact: Values = {
    count,
    avg,
    min: Math.min(...filled.map((values) => values.min ?? 0)),
    max: Math.max(...filled.map((values) => values.max ?? 0)),
    med: read(50),
  };
  const values = shownStatistics.map((statistic) => {
    const at = /^p\(([0-9.]+)\)$/.exec(statistic)?.[1];
    return [statistic, at === undefined ? (exact[statistic] ?? 0) : read(Number(at))];
  });
  return { values: Object.fromEntries(values), distribution: distributionOf(read, count) };
}

/** A distribution as in a summary: the number of samples, and a value for each of `slices()`. */
interface Distribution {
  readonly count: number;
  readonly slices: readonly number[];
}

/** How many samples have a value, by the value. */
type Samples = Map<number, number>;

/** Values keep four significant digits, which is within 0.05 %, so that the samples of a thousand pods need little memory. */
const digits = 4;

/** Adds the samples of a distribution to others, so that percentiles are read from the whole and never averaged. */
export function record(distribution: Distribution, samples: Samples): void {
  eachSample(distribution, (value, count) => {
    const step = 10 ** (Math.ceil(Math.log10(Math.max(value, Number.MIN_VALUE))) - digits);
    const kept = value <= 0 ? 0 : Math.round(value / step) * step;
    samples.set(kept, (samples.get(kept) ?? 0) + count);
  });
}

/**
 * Calls `take` with each value of a distribution and how many samples have it. k6 interpolates percentiles linearly
 * between samples, and so the samples are rebuilt from the slices: one by one where the slices are denser, so that a
 * sparse tail keeps its gaps when merged, and in groups elsewhere. Nothing is collected: a thousand pods have millions
 * of samples.
 */
function eachSample({ count, slices: values }: Distribution, take: (value: number, samples: number) => void) {
  const places = allSlices;
  let next = 1;
  const valueAt = (at: number) => {
    while (next < places.length - 1 && (places[next] ?? 0) < at) next += 1;
    const [from = 0, to = 0] = [places[next - 1], places[next]];
    const [below = 0, above = 0] = [values[next - 1], values[next]];
    return below + ((above - below) * (at - from)) / (to - from);
  };
  const most = Math.max(1, count - 1);
  for (let rank = 0; rank < count; ) {
    const width = (places[next] ?? 0) - (places[next - 1] ?? 0);
    const samples = Math.min(Math.max(1, Math.floor((count * width) / 100)), count - rank);
    take(valueAt((100 * (rank + (samples - 1) / 2)) / most), samples);
    rank += samples;
  }
}

/** Returns the value at a percentile (0 to 100), in the unit of the samples. */
type PercentileReader = (at: number) => number;

/** Reads percentiles of samples, interpolated between two of them as k6 does. */
export function percentilesOf(samples: Samples): PercentileReader {
  const values = [...samples.keys()].sort((one, other) => one - other);
  let total = 0;
  /** Number of samples up to and including each value. */
  const until = values.map((value) => (total += samples.get(value) ?? 0));
  const ranked = (rank: number) => values[until.findIndex((count) => count > rank)] ?? values.at(-1) ?? 0;
  return (at) => {
    const place = (at / 100) * Math.max(0, total - 1);
    const rank = Math.floor(place);
    const [below, above] = [ranked(rank), ranked(rank + 1)];
    return below + (above - below) * (place - rank);
  };
}

/** A distribution in the form of a summary. */
function distributionOf(read: PercentileReader, count: number): Distribution {
  return { count, slices: allSlices.map(read) };
}
