import { longestTriedWait, retryAfterHeader } from "../../schemas/api.ts";
import { cacheIn } from "../../schemas/gateway.ts";
import { given } from "../../schemas/json.ts";
import { answeredOnTheWay, type Exchange, isLostOnTheWay, secondsToWait } from "../client/exchange.ts";
import { need } from "../discovery/fixtures.ts";
import { failed, mustSucceed, NotJudged, passed } from "../requirements/outcome.ts";
import type { Check, CheckContext } from "./check/check.ts";
import {
  isAccepted,
  isRefusal,
  mostProvoking,
  type ProvokedLimit,
  provokedLimit,
  refusedOtherwise,
  secondKeySharesLimit,
  sharing,
} from "./check/provoked-limit.ts";
import { hasStatus, section } from "./check/rows.ts";

/** Spec, Limits. Exceeds the rate limit on purpose, so it runs last. Batch size: batch-lookup.check.ts. */
export default section("limits", [
  {
    id: "limits.rate/burst",
    title: "Exceeding the rate limit returns 429",
    requests: mostProvoking,
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
    requests: mostProvoking,
    bursts: true,
    async run(context) {
      const { refusal, last = refusal, afterWait } = await reached(context);
      const waitSeconds = secondsToWait(last);
      if (waitSeconds === undefined) throw new NotJudged({ code: "no-wait-given" }, last);
      const tooLong = { code: "wait-too-long", expected: longestTriedWait, unit: "s" } as const;
      if (afterWait === undefined) throw new NotJudged({ ...tooLong, actual: waitSeconds }, last);
      if (isLostOnTheWay(afterWait)) throw new NotJudged(answeredOnTheWay(afterWait));
      const wait = { unit: "s", comparedWith: 1 } as const;
      if (isRefusal(afterWait))
        return failed(
          { code: "refused-after-wait", subject: retryAfterHeader, ...wait, expected: waitSeconds },
          afterWait,
          last,
        );
      const accepted = mustSucceed(afterWait);
      return passed({ code: "accepted-after-wait", ...wait, actual: waitSeconds }, accepted, last);
    },
  },
  compared(
    "other-untouched",
    "While one organization is over its limit, another one is not limited",
    "otherOrg",
  ),
  compared(
    "keys-share",
    "While one key is over the limit, a second key of its organization is limited too",
    "sameOrg",
  ),
  compared(
    "headers-share",
    "While a key is over the limit, it is limited in the other header too, as another client and address unless the config sets those headers",
    "otherHeaders",
  ),
]);

/** The check whether a limit is shared, of an organization, or not, of two. */
function compared(name: string, title: string, group: "otherOrg" | "sameOrg" | "otherHeaders"): Check {
  const wrong = group === "otherOrg" ? "shared" : "apart";
  return {
    id: `limits.per-organization/${name}`,
    title,
    requests: mostProvoking,
    bursts: true,
    async run(context) {
      const key = group === "otherHeaders" ? undefined : need(context.fixtures[`${group}Key`]);
      const limit = await reached(context);
      const { primary, [group]: others } = limit.wave;
      const limits = sharing(primary, others);
      const tallies = {
        subject: group === "otherHeaders" ? "primary" : group,
        seen: { ...tallyOf(others), of: "requests" },
        details: { first: tallyOf(primary) },
      } as const;
      // One limit is right for keys of one organization, two for those of two: the roles must be sure.
      const isUnlike = group === "sameOrg" && key?.role === "contradicted";
      const isDoubted = isUnlike ? !secondKeySharesLimit(limit) : limits === wrong;
      if (key !== undefined && key.role !== "asNamed" && isDoubted) throw new NotJudged(key.doubt);
      const refused = others.find(isRefusal);
      const [shown, beside] =
        wrong === "shared" ? [refused, limit.refusal] : [others.find(isAccepted), primary.find(isRefusal)];
      const code = wrong === "shared" ? "limit-shared" : "limit-not-shared";
      const isSure = wrong === "apart" || limit.otherHasRoom !== false;
      if (limits === wrong && isSure && shown !== undefined && beside !== undefined)
        return failed({ code, ...tallies, comparedWith: 1 }, shown, beside);
      // A small limit of its own is exceeded, too; a shared one leaves it no more than the first gets at that time.
      const { recovered = 0, wave } = limit;
      const isNothing = ![...primary, ...wave.otherHeaders, ...wave.sameOrg].some(isAccepted);
      const isOwn = isNothing && others.filter(isAccepted).length > 1 + 3 * recovered;
      if (wrong === "shared" ? limits === "apart" || isOwn : refused !== undefined)
        return passed({ code: "limit-tally", ...tallies });
      // With a response that neither accepts nor refuses a request, if there is one.
      const exchange = others.find((one) => !isAccepted(one) && !isRefusal(one));
      const unclear = { code: "limit-unclear", ...tallies, actual: exchange?.response.status } as const;
      throw new NotJudged(unclear, exchange);
    },
  };
}

function tallyOf(exchanges: readonly Exchange[]) {
  return { count: exchanges.filter(isAccepted).length, total: exchanges.length };
}

/** @throws NotJudged when no request of the burst was refused with 429 */
async function reached(context: CheckContext): Promise<ProvokedLimit & { readonly refusal: Exchange }> {
  const { refusal, ...provoked } = await provokedLimit(context);
  if (refusal !== undefined) return { refusal, ...provoked };
  const { responses, sent: total, perSecond } = provoked;
  const first = responses.find(isLostOnTheWay);
  const isAlike = ({ response }: Exchange) => response.status === first?.response.status;
  const alike = responses.filter(isAlike);
  const count = first === undefined ? total - responses.length : alike.length;
  const by = first && answeredOnTheWay(first, alike);
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
        bound: context.target.maxRequestsPerSecond,
        refusedWith: refusedOtherwise({ refusal, ...provoked })?.response.status,
      }),
    },
  });
}
