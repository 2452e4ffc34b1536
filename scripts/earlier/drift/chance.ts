/** A share as it was met: on `hits` of `of`. */
export interface Met {
  readonly hits: number;
  readonly of: number;
}

/** Below this, chance does not explain a change. */
export const improbable = 0.01;

/**
 * Probability of meeting at most this few in the second sample, had nothing changed since the first. The share
 * itself is only known from the first sample, so this is the predictive distribution under Jeffreys' prior
 * (beta-binomial): 1 of 40 says little about 38 others, and 2 of 2 little about a third.
 */
export function chanceOfSoFew(first: Met, second: Met): number {
  const a = first.hits + 0.5;
  const b = first.of - first.hits + 0.5;
  let log = 0;
  for (let i = 0; i < second.of; i++) log += Math.log((b + i) / (a + b + i));
  let sum = Math.exp(log);
  for (let k = 0; k < second.hits; k++) {
    log += Math.log(((second.of - k) * (a + k)) / ((k + 1) * (b + second.of - k - 1)));
    sum += Math.exp(log);
  }
  return Math.min(1, sum);
}

/** Whether a field, a status or the like that was met is gone, rather than not met by chance. */
export function isGone(before: Met, after: Met): boolean {
  return after.hits === 0 && chanceOfSoFew(before, after) < improbable;
}
