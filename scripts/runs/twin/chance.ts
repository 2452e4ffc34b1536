import jStat from "jstat";

/** What two equal deployments show with a lower probability is not chance. Each place is tested once, at the end of a run. */
export const improbable = 0.001;

/** Probability that so many of a total, or more, are of one kind, if each is with a probability of `share`. */
export function chanceOfSoMany(count: number, total: number, share: number): number {
  let sum = 0;
  for (let seen = count; seen <= total; seen++) {
    const ways = jStat.combinationln(total, seen);
    sum += Math.exp(ways + seen * Math.log(share) + (total - seen) * Math.log1p(-share));
  }
  return Math.min(1, sum);
}
