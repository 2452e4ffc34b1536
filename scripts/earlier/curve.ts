import { randomBeta } from "d3-random";
import jStat from "jstat";
import type { LoadResult } from "../../schemas/types.ts";

/** The latency distribution of one endpoint in one run: milliseconds at rising percentiles, and the number of samples. */
export type Curve = NonNullable<LoadResult["percentiles"]>[number];

/** Milliseconds at a share (0 to 1) of the samples, between the points of the curve by a straight line. */
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

// Latencies are compared by their ratio. Below a microsecond there is nothing to compare, and no logarithm of 0.
const leastMilliseconds = 0.001;

/** Natural logarithm of a latency. */
export function logarithm(milliseconds: number): number {
  return Math.log(Math.max(leastMilliseconds, milliseconds));
}

/**
 * How much a quantile of a run varies by chance: the standard deviation of its logarithm over bootstrap resamples of the
 * curve. The quantile of n resampled values lies at a share of the curve that
 * is distributed as Beta(share (n + 1), (1 - share) (n + 1)), so one draw of that share stands for a whole resample.
 *
 * @param random Uniform numbers from 0 to 1, seeded, so that the same runs give the same answer.
 */
export function samplingError(curve: Curve, share: number, resamples: number, random: () => number): number {
  const size = curve.count + 1;
  const drawShare = randomBeta.source(random)(share * size, (1 - share) * size);
  return jStat.stdev(Array.from({ length: resamples }, () => logarithm(quantile(curve, drawShare()))));
}
