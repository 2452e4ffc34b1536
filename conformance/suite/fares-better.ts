/**
 * How likely it is that of two who are let in by the same chance one is let in at least this much more often: the
 * upper tail of the hypergeometric distribution. Next to nothing means that they do not share a limit.
 *
 * @param one who was let in how many times of how many
 * @param other the one that seems to fare better
 */
export function chanceToFareBetter(one: Tally, other: Tally): number {
  const letIn = one.letIn + other.letIn;
  let chance = 0;
  for (let count = other.letIn; count <= Math.min(letIn, other.asked); count++) {
    const rest = letIn - count;
    if (rest <= one.asked) chance += ways(other.asked, count) * ways(one.asked, rest);
  }
  return chance / ways(one.asked + other.asked, letIn);
}

/** How often somebody was let in, of how many requests. */
export interface Tally {
  readonly letIn: number;
  readonly asked: number;
}

function ways(of: number, chosen: number): number {
  let product = 1;
  for (let step = 1; step <= chosen; step++) product *= (of - chosen + step) / step;
  return product;
}
