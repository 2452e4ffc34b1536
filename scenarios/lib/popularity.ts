/** Exponent of the popularity law: the most popular product of a shop takes about this power law. */
export const popularityExponent = 1;

/**
 * Rank, from 0 to `count - 1`, of the thing that the draw `u` in [0, 1) picks when popularity follows Zipf's
 * law. The law's continuous form is inverted, so that a draw costs one power and no table: rank k takes
 * the share of [k + 1, k + 2) under x^-exponent on [1, count + 1).
 */
export function popularRank(u: number, count: number, exponent: number = popularityExponent): number {
  if (count <= 1) return 0;
  const x =
    exponent === 1 ? (count + 1) ** u : (u * ((count + 1) ** (1 - exponent) - 1) + 1) ** (1 / (1 - exponent));
  return Math.min(count - 1, Math.floor(x) - 1);
}
