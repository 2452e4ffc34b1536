import jStat from "jstat";
import { logarithm } from "./curve.ts";

/** A statistic of one run. */
export interface RunValue {
  readonly run: string;
  readonly milliseconds: number;
  /** Standard deviation of its logarithm due to sampling, from resampling the run. */
  readonly samplingError: number;
}

/** The change from before to after as a share (0.2 is 20 % slower), with its calculation. */
export interface Change {
  /** Geometric mean of the runs, in milliseconds. */
  readonly before: number;
  readonly after: number;
  readonly change: number;
  readonly low: number;
  readonly high: number;
  /** What the interval was calculated from. */
  readonly spread: Spread;
}

/** Two estimates for the spread of a statistic's logarithm, and the resulting half width of the interval. */
export interface Spread {
  /** Standard deviation between runs, pooled over before and after; 0 when neither has two runs. */
  readonly betweenRuns: number;
  readonly degreesOfFreedom: number;
  /** Quantile of Student's t distribution for `betweenRuns`. */
  readonly studentQuantile: number;
  /** Standard deviation due to sampling alone, from resampling within the runs. */
  readonly withinRuns: number;
  /** Quantile of the normal distribution for `withinRuns`. */
  readonly normalQuantile: number;
  readonly halfWidth: number;
}

/**
 * Confidence interval of the ratio after/before, with a confidence of `1 - leftOut`. Needs a run before and one after.
 *
 * Three runs before and three after are too few for a bootstrap over runs: it has only 27 combinations, and its intervals
 * are far too short. Instead, a t interval of the logarithms uses the spread between runs, which is larger than the spread
 * within them on real machines. The spread is pooled, because runs before and after are equally noisy if only the service
 * has changed. With one run after, the result is a prediction interval for that run. The spread between a few runs can be
 * small by chance, but cannot really be smaller than the spread due to sampling, which resampling within each run
 * estimates. Therefore the larger of the two half widths is used.
 */
export function changeInterval(
  before: readonly RunValue[],
  after: readonly RunValue[],
  leftOut: number,
): Change {
  const first = before.map(({ milliseconds }) => logarithm(milliseconds));
  const second = after.map(({ milliseconds }) => logarithm(milliseconds));
  const meanBefore = jStat.mean(first);
  const meanAfter = jStat.mean(second);
  const degreesOfFreedom = before.length + after.length - 2;
  const squares = jStat.sumsqerr(first) + jStat.sumsqerr(second);
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
    // Without two runs before or after, the spread between runs is unknown.
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

/** Number of runs before, and of runs after, for which the half width of the interval is at most `width`; undefined if that takes too many. */
export function runsNeeded(spread: Spread, leftOut: number, width: number): number | undefined {
  for (let runs = 3; runs <= mostRuns; runs += 1) {
    const then = { ...spread, ...quantilesFor(leftOut, 2 * runs - 2) };
    if (halfWidthOf(then, runs, runs) <= width) return runs;
  }
  return undefined;
}
