import type { LoadComparison } from "../../../schemas/types.ts";
import type { Change } from "./interval.ts";

export type Answer = LoadComparison["answer"];

/** What counts as a change of latency. */
export interface LatencyRule {
  /** As a share: a smaller change is none that anybody would act on. */
  readonly minimumEffect: number;
  /** A smaller difference is within what timers and the schedulers of two machines do. */
  readonly minimumMilliseconds: number;
  /** Probability that a whole comparison of two like sides calls any difference, in either direction. */
  readonly falseAlarms: number;
  /** Bootstrap resamples of each run and statistic. */
  readonly resamples: number;
  readonly seed: number;
}

export const defaultRule: LatencyRule = {
  minimumEffect: 0.1,
  minimumMilliseconds: 0.5,
  falseAlarms: 0.05,
  resamples: 500,
  seed: 1,
};

/**
 * Slower or faster: the whole interval lies on that side of no change, and the change itself reaches the minimum
 * effect and the minimum difference. Same: nothing in the interval would reach both. Else the runs do not tell.
 */
export function answerTo(
  { before, after, change, low, high }: Change,
  { minimumEffect, minimumMilliseconds }: LatencyRule,
): Exclude<Answer, "refused"> {
  const matters = (share: number): boolean => {
    const reachesEffect = share >= 0 ? share >= minimumEffect : share <= 1 / (1 + minimumEffect) - 1;
    return reachesEffect && Math.abs(share * before) >= minimumMilliseconds;
  };
  if (matters(change) && low > 0 && after > before) return "slower";
  if (matters(change) && high < 0 && after < before) return "faster";
  return matters(low) || matters(high) ? "inconclusive" : "same";
}
