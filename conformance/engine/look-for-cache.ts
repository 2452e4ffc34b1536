import type { FailureCode } from "../../schemas/contracts/conformance-findings.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { type Exchange, sameRequest } from "../client/exchange.ts";
import { NotJudged, type Outcome } from "../client/outcome.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { withUnusedParameter } from "../client/requests.ts";
import type { Responders } from "../client/responder.ts";
import type { Target } from "../client/target.ts";

/** Failures that a cache may cause which takes one request for another. */
const ofCaches: ReadonlySet<Finding["code"]> = new Set([
  "wrong-status",
  "not-granted",
  "retailer-of-other-organization",
  "other-product",
  "item-missing",
  "shown-by-one-only",
  "status-differs",
] satisfies FailureCode[]);

/** Looks without a result after which no more are taken. */
const mostFruitless = 5;
/** The request as it was and the control, in turn: what changes by itself, as between instances, is no cache. */
const turns = { untilShown: 2, later: 1 } as const;

/** Finds out whether a failure comes from a cache. */
export type CacheSearch = (outcome: Outcome, signal: AbortSignal) => Promise<void>;

/**
 * Repeats the request of a failure that no header explains, in turn with the same request with one unused parameter. If the
 * first gets the same response again and the second another one, a cache gave it, which `responders` is told.
 */
export function cacheSearch(client: PoliteClient, responders: Responders, target: Target): CacheSearch {
  let fruitless = 0;
  let turnsOfLook: number = turns.untilShown;
  return async ({ kind, findings, evidence }, signal) => {
    const [finding] = findings;
    const shown = evidence[finding?.exchange ?? 0];
    if (kind !== "fail" || finding === undefined || !ofCaches.has(finding.code) || fruitless >= mostFruitless)
      return;
    if (shown === undefined || !mayBeCached(shown) || responders.of(shown) !== undefined) return;
    fruitless++;
    const request = sameRequest(shown, target);
    try {
      for (let turn = 1; turn <= turnsOfLook; turn++) {
        const again = await client.ask(request, signal);
        const control = await client.ask(withUnusedParameter(request), signal);
        if (!isSame(again, shown) || isSame(control, shown) || !isUsable(control)) return;
        if (turn === turnsOfLook) responders.showCache(shown, control);
      }
      fruitless--;
      turnsOfLook = turns.later;
    } catch (error) {
      // Without a response, the failure stands as it is.
      if (!(error instanceof NotJudged) && !signal.aborted) throw error;
    }
  };
}

function mayBeCached({ request, endpoint, response, isOfBurst }: Exchange): boolean {
  return request.method === "GET" && endpoint !== "other" && response.status < 500 && isOfBurst !== true;
}

function isSame({ response: one }: Exchange, { response: other }: Exchange): boolean {
  return one.status === other.status && one.text === other.text;
}

/** A service may reject a parameter that it does not know, and an outage shows nothing. */
function isUsable({ response: { status } }: Exchange): boolean {
  return status !== 400 && status !== 429 && status < 500;
}
