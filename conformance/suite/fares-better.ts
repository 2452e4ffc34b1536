/**
 * How likely it is that of two who are accepted by the same chance one is accepted at least this much more often: the
 * upper tail of the hypergeometric distribution. Next to nothing means that they do not share a limit.
 *
 * @param one how often accepted, of how many requests
 * @param other the one that seems to fare better
 */
export function chanceToFareBetter(one: Tally, other: Tally): number {
  const accepted = one.accepted + other.accepted;
  let chance = 0;
  for (let count = other.accepted; count <= Math.min(accepted, other.asked); count++) {
    const rest = accepted - count;
    if (rest <= one.asked) chance += ways(other.asked, count) * ways(one.asked, rest);
  }
  return chance / ways(one.asked + other.asked, accepted);
}

/** How often somebody was accepted, of how many requests. */
export interface Tally {
  readonly accepted: number;
  readonly asked: number;
}

function ways(of: number, chosen: number): number {
  let product = 1;
  for (let step = 1; step <= chosen; step++) product *= (of - chosen + step) / step;
  return product;
}
