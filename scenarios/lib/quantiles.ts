/** Statistics of a trend that a summary shows. */
export const shownStatistics = [
  "count",
  "min",
  "avg",
  "med",
  "p(90)",
  "p(95)",
  "p(99)",
  "p(99.9)",
  "max",
] as const;

/** A slice of a distribution: `share` of the samples lie about the percentile `at` (0 to 100). */
export interface Slice {
  readonly at: number;
  readonly share: number;
}

const bodySlices = 990;
const tailSlices = 200;

/**
 * The slices that a summary records of each latency, fine enough to make its histogram again: a thousandth
 * of the samples each up to the 99th percentile, and a twenty-thousandth above. k6 keeps all samples of a
 * trend and sorts them at the end, so this costs nothing for each request and needs no output of samples.
 * A function, not a constant: a virtual user has no use for it, and would make it at its start.
 */
export function slices(): Slice[] {
  const slice = (from: number, length: number, count: number) => (_: unknown, place: number) => ({
    at: from + ((place + 0.5) * length) / count,
    share: length / 100 / count,
  });
  return [
    ...Array.from({ length: bodySlices }, slice(0, 99, bodySlices)),
    ...Array.from({ length: tailSlices }, slice(99, 1, tailSlices)),
  ];
}

/** k6's name for the statistic of a slice. */
export function statisticOf({ at }: Slice): string {
  return `p(${Number(at.toFixed(4))})`;
}

/** Everything that k6 is asked for. */
export function trendStatistics(): string[] {
  return [...new Set([...shownStatistics, ...slices().map(statisticOf)])];
}
