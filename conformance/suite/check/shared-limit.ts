import type { Exchange } from "../../client/exchange.ts";
import { NotJudged, type Outcome } from "../../client/outcome.ts";
import { need } from "../../discovery/fixtures.ts";
import type { CheckContext } from "./check.ts";
import { isAccepted, isRefusal, knownLimit, type ProvokedLimit } from "./provoked-limit.ts";

// Whether two keys share a rate limit, by Fisher's exact test on the accepted requests of each.

export interface KeyTally {
  readonly accepted: number;
  readonly sent: number;
}

export function tallyOf(exchanges: readonly Exchange[]): KeyTally {
  return { accepted: exchanges.filter(isAccepted).length, sent: exchanges.length };
}

/** Probability below which a difference is not due to chance. */
export const beyondChance = 0.001;

/**
 * The probability that, of two keys with the same chance of acceptance, one is accepted at least this much more
 * often: the p-value of the one-sided Fisher test, the upper tail of the hypergeometric distribution. A very small one
 * means that they do not share a limit.
 *
 * @param one accepted and sent requests of one key
 * @param other those of the key that was accepted more often
 */
export function fisherTail(one: KeyTally, other: KeyTally): number {
  const accepted = one.accepted + other.accepted;
  let chance = 0;
  for (let count = other.accepted; count <= Math.min(accepted, other.sent); count++) {
    const rest = accepted - count;
    if (rest <= one.sent) chance += combinations(other.sent, count) * combinations(one.sent, rest);
  }
  return chance / combinations(one.sent + other.sent, accepted);
}

/** Whether the second tally comes from a limit of its own and not from the one that the first requests exceeded. */
export function isSeparate(own: KeyTally, other: KeyTally, acceptedInBursts: number): boolean {
  // A small limit of its own accepts some requests while the others are all refused. With a shared limit, some of the
  // first would have been accepted in the bursts as well.
  const ofItsOwn = own.accepted === 0 && other.accepted >= 5 && acceptedInBursts <= other.accepted;
  return ofItsOwn || fisherTail(own, other) < beyondChance;
}

/** Probability below which a key is accepted more often than another one because of a limit of its own. */
const hardlyChance = 0.05;

/**
 * What concurrent requests of two organizations, of which the first is over its limit, show about the limit of the other.
 *
 * @param other a key of which some requests were refused
 * @param allRefused whether all of them were
 */
export function limitsApart(
  own: KeyTally,
  other: KeyTally,
  allRefused: boolean,
): "apart" | "shared" | "unclear" {
  // Occasional refusals may come from a small limit of its own. A shared limit refuses both alike.
  const noBetter = other.accepted / other.sent <= (1.5 * own.accepted) / own.sent;
  if (allRefused || (own.accepted >= 3 && other.accepted * 2 <= other.sent && noBetter)) return "shared";
  // A difference by chance fits a shared limit as well as separate ones.
  return fisherTail(own, other) < hardlyChance ? "apart" : "unclear";
}

/**
 * Whether the second key is refused together with the first one and the other organization is not. That shows that
 * both keys belong to one organization (spec, Limits: "applied per organization").
 */
export function secondKeySharesLimit({ primary, sameOrg, otherOrg }: ProvokedLimit): boolean {
  const [own, same, other] = [tallyOf(primary), tallyOf(sameOrg), tallyOf(otherOrg)];
  return (
    sameOrg.some(isRefusal) &&
    fisherTail(own, same) >= beyondChance &&
    fisherTail(own, other) < beyondChance &&
    fisherTail(same, other) < beyondChance
  );
}

/**
 * Confirms an outcome that compares the second key with the first one. A failure counts only if both keys belong to
 * one organization, as shown by their retailers or by a shared limit.
 *
 * @throws NotJudged when either the key or the service may be at fault
 */
export async function ofSameOrganization(context: CheckContext, outcome: Outcome): Promise<Outcome> {
  const key = need(context.fixtures.sameOrgKey);
  if (outcome.kind !== "fail" || key.role !== "contradicted") return outcome;
  const limit = await knownLimit(context);
  if (limit !== undefined && secondKeySharesLimit(limit)) return outcome;
  throw new NotJudged(key.doubt);
}

/** Binomial coefficient: in how many ways so many of these can be chosen. */
function combinations(of: number, chosen: number): number {
  let product = 1;
  for (let step = 1; step <= chosen; step++) product *= (of - chosen + step) / step;
  return product;
}
