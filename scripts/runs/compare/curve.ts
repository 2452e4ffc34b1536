import { randomBeta } from "d3-random";
import jStat from "jstat";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";

/** Latency distribution of one endpoint in one run: milliseconds at ascending percentiles, and the number of samples. */
export type Curve = NonNullable<LoadResult["percentiles"]>[number];

/** Milliseconds at a share (0 to 1) of the samples, interpolated linearly between the points of the curve. */
export function quantile({ at, milliseconds }: Curve, share: number): number {
  const wanted = share * 100;
  const above = at.findIndex((percentile) => percentile >= wanted);
  const last = milliseconds.at(-1) ?? 0;
  if (above < 0) return last;
  const high = milliseconds[above] ?? last;
  const low = milliseconds[above - 1];
  const from = at[above - 1];
  const to = at[above] ?? wanted;
  if (low === undefined || from === undefined || to === from) return high;
  return low + ((high - low) * (wanted - from)) / (to - from);
}

/** Share (0 to 1) of the samples that take at most `limit` milliseconds, interpolated linearly between the points. */
export function shareBelow({ at, milliseconds }: Curve, limit: number): number {
  const above = milliseconds.findIndex((value) => value > limit);
  if (above < 0) return 1;
  const high = milliseconds[above];
  const low = milliseconds[above - 1];
  const [from, to] = [at[above - 1], at[above]];
  if (high === undefined || low === undefined || from === undefined || to === undefined) return 0;
  return (from + ((to - from) * (limit - low)) / (high - low)) / 100;
}

const halvings = 50;

/**
 * Merges curves, weighted by their samples, at the points of the first. Percentiles cannot be averaged, so for each point it
 * searches for the value below which that share of all samples lies.
 */
export function pooled([first, ...others]: readonly Curve[]): Curve | undefined {
  if (first === undefined || others.length === 0) return first;
  const curves = [first, ...others];
  const count = curves.reduce((sum, curve) => sum + curve.count, 0);
  const highest = Math.max(...curves.map(({ milliseconds }) => milliseconds.at(-1) ?? 0));
  const lowest = Math.min(...curves.map(({ milliseconds }) => milliseconds[0] ?? 0));
  const shareOfAll = (limit: number) =>
    curves.reduce((sum, curve) => sum + curve.count * shareBelow(curve, limit), 0) / count;
  const milliseconds = first.at.map((percentile) => {
    if (percentile <= 0) return lowest;
    if (percentile >= 100) return highest;
    let [low, high] = [lowest, highest];
    for (let step = 0; step < halvings; step += 1) {
      const middle = (low + high) / 2;
      if (shareOfAll(middle) < percentile / 100) low = middle;
      else high = middle;
    }
    return high;
  });
  return { endpoint: first.endpoint, count, at: [...first.at], milliseconds };
}

// Latencies are compared by their ratio, on a logarithmic scale. A microsecond is the minimum, since log(0) does not exist.
const leastMilliseconds = 0.001;

/** Natural logarithm of a latency in milliseconds. */
export function logarithm(milliseconds: number): number {
  return Math.log(Math.max(leastMilliseconds, milliseconds));
}

/**
 * How much a quantile of a run varies by chance: the standard deviation of its logarithm over bootstrap resamples of the
 * curve. The quantile of n resampled values lies at a share of the curve with the distribution
 * Beta(share (n + 1), (1 - share) (n + 1)), so a draw of that share replaces a whole resample.
 *
 * @param random Uniform numbers from 0 to 1, from a seed, so that the same runs give the same result.
 */
export function samplingError(curve: Curve, share: number, resamples: number, random: () => number): number {
  const size = curve.count + 1;
  const drawShare = randomBeta.source(random)(share * size, (1 - share) * size);
  return jStat.stdev(Array.from({ length: resamples }, () => logarithm(quantile(curve, drawShare()))));
}
