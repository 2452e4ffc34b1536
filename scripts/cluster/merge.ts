import { type RunSummary, shownStatistics, slices } from "../../scenarios/lib/summary.ts";
import { judgedLimits } from "../../scenarios/lib/thresholds.ts";

type Values = Readonly<Record<string, number>>;
type Distribution = RunSummary["distributions"][string];

/** How many samples have a value, by the value. */
type Samples = Map<number, number>;

/**
 * Merges the summaries of pods: counts are added, shares computed from those, percentiles read from all
 * samples, and the thresholds judged on the whole run.
 */
export function mergedSummaries(all: readonly RunSummary[]): RunSummary {
  const [first] = all;
  if (first === undefined) throw new TypeError("no summary to merge");
  if (all.length === 1) return first;
  const durationMilliseconds = Math.max(...all.map((one) => one.durationMilliseconds));
  const metrics: Record<string, Values> = {};
  const distributions: Record<string, Distribution> = {};
  for (const name of new Set(all.flatMap((one) => Object.keys(one.metrics)))) {
    const values: Values[] = all.flatMap(({ metrics: { [name]: own } }) => (own === undefined ? [] : [own]));
    const samples: Samples = new Map();
    for (const part of all.flatMap((one) => one.distributions[name] ?? [])) addSamples(part, samples);
    if (values.every((one) => !("avg" in one)))
      metrics[name] = mergedCounts(values, durationMilliseconds / 1000);
    else if (samples.size === 0) metrics[name] = { count: countOf(values) };
    else {
      const at = percentilesOf(samples);
      metrics[name] = mergedTrend(values, at);
      distributions[name] = { count: metrics[name].count ?? 0, slices: slices().map(at) };
    }
  }
  const thresholds = judgedLimits(first.thresholds, metrics);
  return { ...first, durationMilliseconds, metrics, distributions, thresholds };
}

function countOf(parts: readonly Values[]): number {
  return parts.reduce((total, { count = 0 }) => total + count, 0);
}

/** The values of a rate, a counter or a gauge. */
function mergedCounts(parts: readonly Values[], seconds: number): Values {
  const all = (statistic: string) => parts.map((values) => values[statistic] ?? values.value ?? 0);
  const sum = (statistic: string) => all(statistic).reduce((total, value) => total + value, 0);
  const has = (statistic: string) => parts.some((values) => statistic in values);
  if (has("passes")) {
    const [passes, fails] = [sum("passes"), sum("fails")];
    return { rate: passes / Math.max(1, passes + fails), passes, fails };
  }
  if (has("count")) return { count: sum("count"), rate: seconds === 0 ? 0 : sum("count") / seconds };
  const [min, max] = [Math.min(...all("min")), Math.max(...all("max"))];
  return { value: Math.min(...all("value")), min, max };
}

function mergedTrend(parts: readonly Values[], at: (percent: number) => number): Values {
  const filled = parts.filter(({ count = 0 }) => count > 0);
  const count = countOf(filled);
  const known: Values = {
    count,
    avg: filled.reduce((total, { avg = 0, count: samples = 0 }) => total + avg * samples, 0) / count,
    min: Math.min(...filled.map(({ min = 0 }) => min)),
    max: Math.max(...filled.map(({ max = 0 }) => max)),
    med: at(50),
  };
  return Object.fromEntries(
    shownStatistics.map((name) => [name, known[name] ?? at(Number(name.slice("p(".length, -1)))]),
  );
}

/** Four significant digits, within 0.05 %, so that the samples of a thousand pods need little memory. */
const digits = 4;
/** A distribution of more samples is read in as many groups. */
const mostGroups = 10_000;

/**
 * Adds samples to others: percentiles are read from the whole and never averaged. k6 interpolates linearly
 * between samples, so each is found again at its rank, where the slices are denser.
 */
export function addSamples({ count, slices: values }: Distribution, samples: Samples): void {
  const places = slices();
  const group = Math.max(1, Math.ceil(count / mostGroups));
  let next = 1;
  for (let rank = 0; rank < count; rank += group) {
    const those = Math.min(group, count - rank);
    const at = (100 * (rank + (those - 1) / 2)) / Math.max(1, count - 1);
    while (next < places.length - 1 && (places[next] ?? 0) < at) next += 1;
    const [from = 0, to = 0] = [places[next - 1], places[next]];
    const [below = 0, above = 0] = [values[next - 1], values[next]];
    const value = Number((below + ((above - below) * (at - from)) / (to - from)).toPrecision(digits));
    samples.set(value, (samples.get(value) ?? 0) + those);
  }
}

/** Reads the value at a percentile, from 0 to 100, interpolated between two samples as k6 does. */
export function percentilesOf(samples: Samples): (percent: number) => number {
  const values = [...samples.keys()].sort((one, other) => one - other);
  let total = 0;
  /** Number of samples up to and including each value. */
  const until = values.map((value) => (total += samples.get(value) ?? 0));
  const ranked = (rank: number) => values[until.findIndex((end) => end > rank)] ?? 0;
  return (percent) => {
    const place = (percent / 100) * Math.max(0, total - 1);
    const rank = Math.floor(place);
    const [below, above] = [ranked(rank), ranked(rank + 1)];
    return below + (above - below) * (place - rank);
  };
}
