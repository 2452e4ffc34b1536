import { longestTriedWait } from "../../schemas/api.ts";
import { cacheIn } from "../../schemas/gateway.ts";
import { given } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { answeredOnTheWay, isLostOnTheWay } from "../client/from.ts";
import type { KeyRole } from "../client/target.ts";
import { need } from "../discovery/fixtures.ts";
import { failed, NotJudged, type Outcome, passed } from "../requirements/outcome.ts";
import type { CheckContext } from "./check/check.ts";
import { hasStatus } from "./check/expectations.ts";
import {
  aroundWave,
  burstRequests,
  inWaves,
  isAccepted,
  isRefusal,
  type ProvokedLimit,
  provokedLimit,
  refusedOtherwise,
  secondKeySharesLimit,
  sharing,
} from "./check/provoked-limit.ts";
import { section } from "./check/rows.ts";

/**
 * Spec, Limits. These checks exceed the rate limit on purpose, so they run last. batch-lookup.check.ts judges the
 * batch size.
 */
export default section("limits", [
  {
    id: "limits.rate/burst",
    title: "Exceeding the rate limit returns 429",
    requests: burstRequests + aroundWave,
    bursts: true,
    async run(context) {
      const limit = await provokedLimit(context);
      const otherwise = refusedOtherwise(limit);
      // Other error statuses count only when there is no 429.
      if (otherwise !== undefined && limit.refusal === undefined)
        return hasStatus(otherwise, 429, { condition: "burst" });
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
      const { refusal, waitSeconds, afterWait } = await reached(context);
      if (waitSeconds === undefined) throw new NotJudged({ code: "no-wait-given" });
      if (afterWait === undefined)
        throw new NotJudged({
          code: "wait-too-long",
          expected: longestTriedWait,
          actual: waitSeconds,
          unit: "s",
        });
      if (isLostOnTheWay(afterWait)) throw new NotJudged(answeredOnTheWay(afterWait));
      const wait = { unit: "s", comparedWith: 1 } as const;
      return isRefusal(afterWait)
        ? failed({ code: "refused-after-wait", ...wait, expected: waitSeconds }, afterWait, refusal)
        : passed({ code: "accepted-after-wait", ...wait, actual: waitSeconds }, afterWait, refusal);
    },
  },
  {
    id: "limits.per-organization/other-untouched",
    title: "While one organization is over its limit, another one is not limited",
    requests: inWaves,
    bursts: true,
    async run(context) {
      const key = need(context.fixtures.otherOrgKey);
      const { refusal, wave } = await reached(context);
      const { limits, tallies, refused, unclear } = compared("otherOrg", wave.primary, wave.otherOrg);
      if (limits === "apart") return passed({ code: "limit-tally", ...tallies });
      if (limits === "unclear" || refused === undefined) throw unclear;
      // A shared limit is correct if both keys belong to one organization.
      if (key.role !== "asNamed") throw new NotJudged(key.doubt);
      return failed({ code: "limit-shared", ...tallies, comparedWith: 1 }, refused, refusal);
    },
  },
  {
    id: "limits.per-organization/keys-share",
    title: "While one key is over the limit, a second key of its organization is limited too",
    requests: inWaves,
    bursts: true,
    async run(context) {
      const key = need(context.fixtures.sameOrgKey);
      const limit = await reached(context);
      const { primary, sameOrg } = limit.wave;
      if (key.role === "contradicted" && !secondKeySharesLimit(limit)) throw new NotJudged(key.doubt);
      // A separate limit is correct for a key of another organization.
      if (key.role === "unclear" && sharing(primary, sameOrg) === "apart") throw new NotJudged(key.doubt);
      return sharedLimit("sameOrg", primary, sameOrg);
    },
  },
  {
    id: "limits.per-organization/headers-share",
    title: "While a key is over the limit in one header, it is limited in the other header too",
    requests: inWaves,
    bursts: true,
    async run(context) {
      const { primary, otherHeader } = (await reached(context)).wave;
      return sharedLimit("primary", primary, otherHeader);
    },
  },
]);

type Exchanges = readonly Exchange[];

/** How other requests fared beside the primary ones, while those were over the limit. */
function compared(subject: KeyRole, primary: Exchanges = [], others: Exchanges = []) {
  const tallyOf = (of: Exchanges) => ({ count: of.filter(isAccepted).length, total: of.length });
  const seen = { ...tallyOf(others), of: "requests" } as const;
  const tallies = { subject, seen, details: { first: tallyOf(primary) } };
  const exchange = others.find((one) => !isAccepted(one) && !isRefusal(one));
  return {
    limits: sharing(primary, others),
    tallies,
    accepted: others.find(isAccepted),
    refused: others.find(isRefusal),
    /** With a response that neither accepts nor refuses a request, if there is one. */
    unclear: new NotJudged(
      { code: "limit-unclear", ...tallies, actual: exchange?.response.status },
      { exchange },
    ),
  };
}

/**
 * The outcome for requests that should share the limit of the primary ones.
 *
 * @throws NotJudged when none of them was refused by the limit
 */
function sharedLimit(subject: KeyRole, primary: Exchanges = [], others: Exchanges = []): Outcome {
  const { limits, tallies, accepted, refused, unclear } = compared(subject, primary, others);
  const over = primary.find(isRefusal);
  if (limits === "apart" && accepted !== undefined && over !== undefined)
    return failed({ code: "limit-not-shared", ...tallies, comparedWith: 1 }, accepted, over);
  if (refused !== undefined) return passed({ code: "limit-tally", ...tallies });
  throw unclear;
}

type ReachedLimit = ProvokedLimit & { readonly refusal: Exchange };

/** @throws NotJudged when no request of the burst was refused with 429 */
async function reached(context: CheckContext): Promise<ReachedLimit> {
  const { refusal, ...provoked } = await provokedLimit(context);
  if (refusal !== undefined) return { refusal, ...provoked };
  const { responses, sent: total, perSecond } = provoked;
  const lost = responses.filter(isLostOnTheWay);
  const [first] = lost;
  const count = first === undefined ? total - responses.length : lost.length;
  const by = first && answeredOnTheWay(first);
  if (count > 0) throw new NotJudged({ ...by, code: "burst-lost", seen: { count, total, of: "requests" } });
  const cached = responses.filter(({ response }) => cacheIn(response.headers) !== undefined).length;
  throw new NotJudged({
    code: "limit-not-reached",
    seen: { count: total, of: "requests" },
    actual: perSecond,
    unit: "requests/s",
    details: {
      refused: context.exchanges.filter(isRefusal).length,
      ...given({
        cached: cached || undefined,
        refusedWith: refusedOtherwise({ refusal, ...provoked })?.response.status,
      }),
    },
  });
}
