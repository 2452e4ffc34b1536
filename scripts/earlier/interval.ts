import jStat from "jstat";
import { logarithm } from "./curve.ts";

/** A statistic of one run. */
export interface RunValue {
  readonly run: string;
  readonly milliseconds: number;
  /** Standard deviation of its logarithm by chance of the samples, from resampling the run. */
  readonly samplingError: number;
}

/** The change from before to after, as a share (0.2 is 20 % slower), with the arithmetic that gave it. */
export interface Change {
  /** Geometric mean of the runs, in milliseconds. */
  readonly before: number;
  readonly after: number;
  readonly change: number;
  readonly low: number;
  readonly high: number;
  /** How the ends came about. */
  readonly spread: Spread;
}

/** Spread of a statistic's logarithm, by two estimates, and the half width of the interval that follows. */
export interface Spread {
  /** Standard deviation from run to run, pooled over before and after; 0 when neither has two runs. */
  readonly betweenRuns: number;
  readonly degreesOfFreedom: number;
  /** Quantile of Student's t for it. */
  readonly studentQuantile: number;
  /** Standard deviation by the chance of the samples alone, as resampling within the runs gives it. */
  readonly withinRuns: number;
  /** Quantile of the normal distribution for it. */
  readonly normalQuantile: number;
  readonly halfWidth: number;
}

/**
 * The interval of the ratio after/before that holds the true one with probability `1 - leftOut`.
 *
 * Three runs before and three after are too few to resample: a bootstrap over runs knows 27 combinations, and its
 * intervals come out far too short. So the samples within each run are resampled, and the spread between runs, which is
 * the larger part on any real machine, enters a t interval of the runs' logarithms. It is pooled, because runs before and
 * after are equally noisy when nothing but the service has changed. With one run after, this is a prediction interval for
 * it. The spread between few runs can be small by luck, but is never truly smaller than what the samples alone make: the
 * larger of the two half widths counts.
 */
export function changeInterval(
  before: readonly RunValue[],
  after: readonly RunValue[],
  leftOut: number,
): Change {
  const [first, second] = [before, after].map((runs) =>
    runs.map(({ milliseconds }) => logarithm(milliseconds)),
  );
  const meanBefore = jStat.mean(first ?? []);
  const meanAfter = jStat.mean(second ?? []);
  const degreesOfFreedom = Math.max(0, before.length + after.length - 2);
  const squares = jStat.sumsqerr(first ?? []) + jStat.sumsqerr(second ?? []);
  const betweenRuns = degreesOfFreedom > 0 ? Math.sqrt(squares / degreesOfFreedom) : 0;
  const withinRuns = Math.sqrt(jStat.mean([...before, ...after].map((run) => run.samplingError ** 2)));
  const quantiles = quantilesFor(leftOut, degreesOfFreedom);
  const spread = { betweenRuns, withinRuns, degreesOfFreedom, ...quantiles };
  const halfWidth = halfWidthOf(spread, before.length, after.length);
  const difference = meanAfter - meanBefore;
  return {
    before: Math.exp(meanBefore),
    after: Math.exp(meanAfter),
    change: Math.expm1(difference),
    low: Math.expm1(difference - halfWidth),
    high: Math.expm1(difference + halfWidth),
    spread: { ...spread, halfWidth },
  };
}

function quantilesFor(leftOut: number, degreesOfFreedom: number) {
  const at = 1 - leftOut / 2;
  return {
    // Without two runs before or after there is no spread between runs.
    studentQuantile: degreesOfFreedom > 0 ? jStat.studentt.inv(at, degreesOfFreedom) : 0,
    normalQuantile: jStat.normal.inv(at, 0, 1),
  };
}

function halfWidthOf(
  { betweenRuns, studentQuantile, withinRuns, normalQuantile }: Omit<Spread, "halfWidth">,
  before: number,
  after: number,
): number {
  return (
    Math.max(studentQuantile * betweenRuns, normalQuantile * withinRuns) * Math.sqrt(1 / before + 1 / after)
  );
}

const mostRuns = 30;

/** Runs before, and as many after, with which the half width of an interval of this spread is `width` or less; undefined for too many. */
export function runsNeeded(spread: Spread, leftOut: number, width: number): number | undefined {
  for (let runs = 3; runs <= mostRuns; runs += 1) {
    const then = { ...spread, ...quantilesFor(leftOut, 2 * runs - 2) };
    if (halfWidthOf(then, runs, runs) <= width) return runs;
  }
  return undefined;
}
