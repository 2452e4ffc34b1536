import { longestTriedWait } from "../../../schemas/api.ts";
import { cacheIn } from "../../../schemas/cache.ts";
import type { FindingOf } from "../../../schemas/contracts/finding.ts";
import { given } from "../../../schemas/json.ts";
import { type Exchange, keyHeadersIn, secondsToWait } from "../../client/exchange.ts";
import { failed, NotJudged, type Outcome, passed } from "../../client/outcome.ts";
import { answeredOnTheWay, isLostOnTheWay } from "../../client/responder.ts";
import type { Caller } from "../../client/target.ts";
import { need } from "../../discovery/fixtures.ts";
import type { CheckContext } from "../check/check.ts";
import { hasStatus } from "../check/expectations.ts";
import {
  burstRequests,
  isAccepted,
  isRefusal,
  type ProvokedLimit,
  provokedLimit,
  refusedEverSince,
  sharedHeaderRequests,
  sharedKeyRequests,
} from "../check/provoked-limit.ts";
import { section } from "../check/rows.ts";
import {
  isSeparate,
  type KeyTally,
  limitsApart,
  secondKeySharesLimit,
  tallyOf,
} from "../check/shared-limit.ts";

/**
 * Spec, Limits. These checks exceed the rate limit on purpose, so they run last. batch-lookup.check.ts judges the
 * batch size.
 */
export default section("limits", [
  {
    id: "limits.rate/burst",
    title: "Exceeding the rate limit returns 429",
    requests: burstRequests,
    bursts: true,
    async run(context) {
      const { otherwise, refusal } = await provokedLimit(context);
      // Other error statuses count only when there is no 429.
      if (otherwise !== undefined && refusal === undefined) {
        return hasStatus(otherwise, 429, { condition: "burst" });
      }
      const { sent: count } = await reached(context);
      return passed({ code: "limit-reached", seen: { count, of: "requests" } });
    },
  },
  {
    id: "limits.honest-wait/accepted-again",
    title: "After Retry-After seconds, a request succeeds again",
    requests: 1,
    bursts: true,
    async run(context) {
      const { refusal, waitSeconds, afterWait } = await reached(context).catch(
        (error: unknown) => refusedEverSince(context) ?? Promise.reject(error),
      );
      if (afterWait === undefined || waitSeconds === undefined) {
        throw new NotJudged(
          waitSeconds === undefined
            ? { code: "no-wait-given" }
            : { code: "wait-too-long", expected: longestTriedWait, actual: waitSeconds, unit: "s" },
        );
      }
      const wait = { unit: "s", comparedWith: 1 } as const;
      if (isLostOnTheWay(afterWait)) throw new NotJudged(answeredOnTheWay(afterWait, context.responders));
      return isRefusal(afterWait)
        ? failed({ code: "refused-after-wait", ...wait, expected: waitSeconds }, afterWait, refusal)
        : passed({ code: "accepted-after-wait", ...wait, actual: waitSeconds }, afterWait, refusal);
    },
  },
  {
    id: "limits.per-organization/other-untouched",
    title: "While one organization is over its limit, another one is not limited",
    requests: 4,
    bursts: true,
    async run(context) {
      const key = need(context.fixtures.otherOrgKey);
      const { refusal, primary, otherOrg } = await reached(context);
      const [own, other] = [tallyOf(primary), tallyOf(otherOrg)];
      const tallies = { subject: "otherOrg", ...talliesOf(own, other) } as const;
      const [first] = otherOrg.filter(isRefusal);
      if (first === undefined && other.accepted === 0) throw limitNotShown("otherOrg", otherOrg);
      const limits = limitsApart(own, other, first !== undefined && otherOrg.every(isRefusal));
      // Nothing is shown by requests that were accepted as those of the first were: its limit may have opened meanwhile.
      const isOpen = limits === "unclear" || (first === undefined && isAnotherLimit(context, primary));
      if (limits === "apart" && !isOpen) return passed({ code: "limit-tally", ...tallies });
      if (isOpen || first === undefined) throw new NotJudged({ code: "limit-unclear", ...tallies });
      // A shared limit is correct if both keys belong to one organization.
      if (key.role !== "asNamed") throw new NotJudged(key.doubt);
      return failed({ code: "limit-shared", ...tallies, comparedWith: 1 }, first, refusal);
    },
  },
  {
    id: "limits.per-organization/keys-share",
    title: "While one key is over the limit, a second key of its organization is limited too",
    requests: sharedKeyRequests,
    bursts: true,
    async run(context) {
      const key = need(context.fixtures.sameOrgKey);
      const limit = await reached(context);
      const { primary, otherHeader, acceptedInBursts, refusal } = limit;
      // If each header has a limit of its own, only requests in the same header can share one.
      const isPerHeader = isSeparate(tallyOf(primary), tallyOf(otherHeader), acceptedInBursts);
      const sameOrg = isPerHeader
        ? limit.sameOrg.filter((one) => keyHeadersIn(one).join() === keyHeadersIn(refusal).join())
        : limit.sameOrg;
      if (key.role === "contradicted" && !secondKeySharesLimit(limit)) throw new NotJudged(key.doubt);
      const separate = isSeparate(tallyOf(primary), tallyOf(sameOrg), acceptedInBursts);
      // A separate limit is correct for a key of another organization.
      if (separate && key.role === "unclear") throw new NotJudged(key.doubt);
      return sharedLimit({ code: "limit-per-key", subject: "sameOrg" }, separate, primary, sameOrg);
    },
  },
  {
    id: "limits.per-organization/headers-share",
    title: "While a key is over the limit in one header, it is limited in the other header too",
    requests: sharedHeaderRequests,
    bursts: true,
    async run(context) {
      const { primary, otherHeader, acceptedInBursts } = await reached(context);
      const separate = isSeparate(tallyOf(primary), tallyOf(otherHeader), acceptedInBursts);
      return sharedLimit({ code: "limit-per-header", subject: "primary" }, separate, primary, otherHeader);
    },
  },
]);

/**
 * Whether the other organization was refused earlier in the run by a limit with other waits than the one that refuses the first
 * now: a gateway may have a limit of its own, which takes longer to open.
 */
function isAnotherLimit({ exchanges }: CheckContext, primary: readonly Exchange[]): boolean {
  const longest = (ones: readonly Exchange[]) =>
    Math.max(0, ...ones.filter(isRefusal).map((one) => secondsToWait(one) ?? 0));
  const before = longest(exchanges.filter(({ caller }) => caller === "otherOrg"));
  return before > 2 * longest(primary) + 1;
}

/**
 * The outcome for requests that should share the limit of the primary ones.
 *
 * @throws NotJudged when none of them was refused by the limit
 */
function sharedLimit(
  found: { readonly code: "limit-per-key" | "limit-per-header"; readonly subject: Caller },
  separate: boolean,
  primary: readonly Exchange[],
  others: readonly Exchange[],
): Outcome {
  const tallies = { subject: found.subject, ...talliesOf(tallyOf(primary), tallyOf(others)) };
  const [accepted] = others.filter(isAccepted);
  if (separate && accepted !== undefined) {
    const refused = primary.filter(isRefusal).slice(0, 1);
    const comparedWith = refused.length === 0 ? undefined : 1;
    return failed({ ...found, ...tallies, comparedWith }, accepted, ...refused);
  }
  if (others.some(isRefusal)) return passed({ code: "limit-tally", ...tallies });
  if (accepted === undefined) throw limitNotShown(found.subject, others);
  throw new NotJudged({ code: "limit-unclear", ...tallies });
}

/** Why requests that were neither accepted nor refused by the limit show nothing of it: their most frequent status. */
function limitNotShown(subject: Caller, exchanges: readonly Exchange[]): NotJudged {
  const byStatus = Map.groupBy(exchanges, ({ response }) => response.status);
  const [most] = [...byStatus].toSorted(([, one], [, other]) => other.length - one.length);
  const seen = { count: most?.[1].length ?? 0, total: exchanges.length, of: "requests" } as const;
  const [exchange] = most?.[1] ?? [];
  return new NotJudged({ code: "limit-not-shown", subject, seen, actual: most?.[0] }, { exchange });
}

/** How many concurrent requests of each key were accepted. */
function talliesOf(
  own: KeyTally,
  other: KeyTally,
): Required<Pick<FindingOf<"limit-tally">, "seen" | "details">> {
  const seen = { count: other.accepted, total: other.sent, of: "requests" } as const;
  return { seen, details: { first: { count: own.accepted, total: own.sent } } };
}

type ReachedLimit = ProvokedLimit & { readonly refusal: Exchange };

async function reached(context: CheckContext): Promise<ReachedLimit> {
  const { refusal, ...provoked } = await provokedLimit(context);
  const { lost, unanswered, sent } = provoked;
  const [first] = lost;
  if (refusal === undefined && first !== undefined) {
    const seen = { count: lost.length, total: sent, of: "requests" } as const;
    throw new NotJudged({ ...answeredOnTheWay(first, context.responders), code: "limited-on-the-way", seen });
  }
  if (refusal === undefined && unanswered > 0) {
    throw new NotJudged({ code: "burst-lost", seen: { count: unanswered, total: sent, of: "requests" } });
  }
  if (refusal === undefined) {
    const isCached = (one: Exchange) => one.isOfBurst === true && cacheIn(one.response.headers) !== undefined;
    const cached = context.exchanges.filter(isCached).length;
    throw new NotJudged({
      code: "limit-not-reached",
      seen: { count: provoked.sent, of: "requests" },
      actual: provoked.perSecond,
      unit: "requests/s",
      details: {
        refused: context.exchanges.filter(isRefusal).length,
        ...given({ cached: cached || undefined, refusedWith: provoked.otherwise?.response.status }),
      },
    });
  }
  return { refusal, ...provoked };
}
