import jStat from "jstat";
import { logarithm } from "./curve.ts";

/** A statistic of one run. */
export interface RunValue {
  readonly run: string;
  readonly milliseconds: number;
  /** Standard deviation of its logarithm by chance of the samples, from resampling the run. */
  readonly samplingError: number;
}

/** The change from one side to the other, as a share (0.2 is 20 % slower), with the arithmetic that gave it. */
export interface Change {
  /** Geometric mean of the side's runs, in milliseconds. */
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
  /** Standard deviation from run to run, pooled over both sides; 0 when no side has two runs. */
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
 * Three runs a side are too few to resample: a bootstrap over runs knows 27 of them and its intervals come out far too
 * short. So the samples within each run are resampled, and the spread between runs, which is the larger part on any real
 * machine, is taken into a t interval of the runs' logarithms, pooled over both sides: they are as noisy as each other
 * when nothing but the service has changed. With one run on a side this is a prediction interval for it. The spread
 * between few runs can be small by luck, but in truth is never smaller than what the samples alone make: of the two
 * half widths the larger counts.
 */
export function changeInterval(
  before: readonly RunValue[],
  after: readonly RunValue[],
  leftOut: number,
): Change {
  const [first, second] = [before, after].map((side) =>
    side.map(({ milliseconds }) => logarithm(milliseconds)),
  );
  const meanBefore = mean(first ?? []);
  const meanAfter = mean(second ?? []);
  const degreesOfFreedom = Math.max(0, before.length + after.length - 2);
  const squares = sumOfSquares(first ?? []) + sumOfSquares(second ?? []);
  const betweenRuns = degreesOfFreedom > 0 ? Math.sqrt(squares / degreesOfFreedom) : 0;
  const withinRuns = Math.sqrt(mean([...before, ...after].map((run) => run.samplingError ** 2)));
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
    // Without two runs on a side there is no spread between runs to multiply.
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

/** Runs a side from which on an interval of this spread is no wider than `width` to either side; undefined for too many. */
export function runsNeeded(spread: Spread, leftOut: number, width: number): number | undefined {
  for (let runs = 3; runs <= mostRuns; runs += 1) {
    const then = { ...spread, ...quantilesFor(leftOut, 2 * runs - 2) };
    if (halfWidthOf(then, runs, runs) <= width) return runs;
  }
  return undefined;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function sumOfSquares(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
}
