import type { Finding } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { gatewayIn, isOfTheWay } from "../client/on-the-way.ts";
import { need } from "../discovery/fixtures.ts";
import { type CheckContext, section } from "../engine/check.ts";
import { failed, NotJudged, passed } from "../engine/outcome.ts";
import { hasStatus } from "./expectations.ts";
import {
  beyondChance,
  burstRequests,
  chanceToFareBetter,
  isAccepted,
  isRefusal,
  longestWaitSeconds,
  type ProvokedLimit,
  provokedLimit,
  refusedEverSince,
  secondKeySharesLimit,
  sharedKeyRequests,
  type Tally,
  tallyOf,
} from "./provoked-limit.ts";

/** At most one accepted request in so many counts as mostly refused. */
const mostlyRefused = 4;

/**
 * Spec, Limits. These checks exceed the rate limit on purpose, so they run last. batch-lookup.check.ts judges the
 * batch size.
 */
export default section("limits", [
  {
    id: "limits.rate/burst",
    requirement: "limits.rate",
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
    requirement: "limits.honest-wait",
    title: "After Retry-After seconds, a request succeeds again",
    requests: 1,
    bursts: true,
    async run(context) {
      const { refusal, waitSeconds, afterWait } = await reached(context).catch(
        async (error: unknown) => (await refusedEverSince(context)) ?? Promise.reject(error),
      );
      if (afterWait === undefined) {
        throw new NotJudged(
          waitSeconds === undefined
            ? { code: "no-wait-given" }
            : { code: "wait-too-long", expected: longestWaitSeconds, actual: waitSeconds, unit: "s" },
        );
      }
      const wait = { unit: "s", comparedWith: 1 } as const;
      if (isOfTheWay(afterWait))
        throw new NotJudged({
          code: "answered-on-the-way",
          subject: gatewayIn(afterWait) ?? "",
          actual: afterWait.response.status,
        });
      return isRefusal(afterWait)
        ? failed({ code: "refused-after-wait", ...wait, expected: waitSeconds }, afterWait, refusal)
        : passed({ code: "accepted-after-wait", ...wait, actual: waitSeconds }, afterWait, refusal);
    },
  },
  {
    id: "limits.per-organization/other-untouched",
    requirement: "limits.per-organization",
    title: "While one organization is over its limit, another one is not limited",
    requests: 4,
    bursts: true,
    async run(context) {
      const key = need(context.fixtures.otherOrgKey);
      const { refusal, primary, otherOrg } = await reached(context);
      if (otherOrg.length === 0)
        throw new NotJudged({
          code: "limit-unclear",
          subject: "otherOrg",
          ...talliesOf(tallyOf(primary), tallyOf(otherOrg)),
        });
      const [first] = otherOrg.filter(isRefusal);
      const [own, other] = [tallyOf(primary), tallyOf(otherOrg)];
      const tallies = { subject: "otherOrg", ...talliesOf(own, other) };
      // Occasional refusals may come from a small limit of its own. A shared limit refuses both alike.
      const never = otherOrg.every(isRefusal);
      const noBetter = other.accepted / other.asked <= (1.5 * own.accepted) / own.asked;
      const alike = own.accepted >= 3 && other.accepted * 2 <= other.asked && noBetter;
      if (first !== undefined && (never || alike)) {
        // A shared limit is correct if both keys belong to one organization.
        if (key.role !== "asNamed") throw new NotJudged(key.doubt);
        return failed({ code: "limit-shared", ...tallies, comparedWith: 1 }, first, refusal);
      }
      // The result fits neither separate limits nor a shared one, or the limit was hardly exceeded.
      const refusedMostly = other.accepted * mostlyRefused <= other.asked && own.accepted > 0;
      const hardlyLimited = own.accepted * 2 > own.asked && noBetter;
      if (first !== undefined && (refusedMostly || hardlyLimited))
        throw new NotJudged({ code: "limit-unclear", ...tallies });
      return passed({ code: "limit-tally", ...tallies });
    },
  },
  {
    id: "limits.per-organization/keys-share",
    requirement: "limits.per-organization",
    title: "While one key is over the limit, a second key of its organization is limited too",
    requests: sharedKeyRequests,
    bursts: true,
    async run(context) {
      const key = need(context.fixtures.sameOrgKey);
      const limit = await reached(context);
      const { primary, sameOrg, acceptedInBursts } = limit;
      if (key.role === "contradicted" && !secondKeySharesLimit(limit)) throw new NotJudged(key.doubt);
      const [own, same] = [tallyOf(primary), tallyOf(sameOrg)];
      const [accepted] = sameOrg.filter(isAccepted);
      const tallies = { subject: "sameOrg", ...talliesOf(own, same) };
      // A key with a small limit of its own is accepted while the other is refused throughout. With a shared limit,
      // the first key would have been accepted in the bursts as well.
      const ofItsOwn = own.accepted === 0 && same.accepted >= 5 && acceptedInBursts <= same.accepted;
      if (accepted !== undefined && (ofItsOwn || chanceToFareBetter(own, same) < beyondChance)) {
        // A separate limit is correct for a key of another organization.
        if (key.role === "unclear") throw new NotJudged(key.doubt);
        const refused = primary.filter(isRefusal).slice(0, 1);
        const compared = refused.length === 0 ? {} : { comparedWith: 1 };
        return failed({ code: "limit-per-key", ...tallies, ...compared }, accepted, ...refused);
      }
      if (sameOrg.some(isRefusal)) return passed({ code: "limit-tally", ...tallies });
      throw new NotJudged({ code: "limit-unclear", ...tallies });
    },
  },
]);

/** How many concurrent requests of each key were accepted. */
function talliesOf(own: Tally, other: Tally): Pick<Finding, "seen" | "details"> {
  const seen = { count: other.accepted, total: other.asked, of: "requests" } as const;
  return { seen, details: { first: { count: own.accepted, total: own.asked } } };
}

type ReachedLimit = ProvokedLimit & { readonly refusal: Exchange };

async function reached(context: CheckContext): Promise<ReachedLimit> {
  const { refusal, ...provoked } = await provokedLimit(context);
  if (refusal === undefined && provoked.onTheWay !== undefined) {
    const { gateway: subject, status: actual, count } = provoked.onTheWay;
    const seen = { count, total: provoked.sent, of: "requests" } as const;
    throw new NotJudged({ code: "limited-on-the-way", subject, actual, seen });
  }
  if (refusal === undefined) {
    throw new NotJudged({
      code: "limit-not-reached",
      seen: { count: provoked.sent, of: "requests" },
      actual: provoked.perSecond,
      unit: "requests/s",
      details: { refused: context.exchanges.filter(isRefusal).length },
    });
  }
  return { refusal, ...provoked };
}
