import { build, type Histogram } from "hdr-histogram-js";
import { slices } from "../../scenarios/lib/quantiles.ts";

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
  const shares = slices();
  for (const { count, slices: values } of distributions) {
    for (const [place, value] of values.entries()) {
      const share = shares[place]?.share ?? 0;
      const recorded = Math.min(options.highestTrackableValue, Math.max(0, Math.round(value * perUnit)));
      histogram.recordValueWithCount(recorded, Math.max(1, Math.round(count * share * countScale)));
    }
  }
  return histogram;
}

/** Value at a percentile (0 to 100), in the unit of the samples. */
export function percentile(histogram: Histogram, at: number): number {
  return histogram.getValueAtPercentile(at) / perUnit;
}

/** The histogram's distribution, in the form of a summary. */
export function distributionOf(histogram: Histogram, count: number): Distribution {
  return { count, slices: slices().map(({ at }) => percentile(histogram, at)) };
}
