import type { Send, WireChange, WireRequest, WireResponse } from "../../service/wire.ts";
import { inTurn, where } from "./change.ts";
import * as is from "./conditions.ts";
import {
  errorResponse,
  type Json,
  nextOf,
  objectOf,
  parameter,
  sentAs,
  withNext,
  withParameters,
  withRefused,
} from "./messages.ts";
import * as on from "./on.ts";

// What a key may see. Some ask with the key to every retailer, which the reference service makes for them.

/** Statuses of requests that were accepted as far as their entitlement. */
const readStatuses: readonly number[] = [200, 403, 404];

/** For some requests, except pages: as if their organization were entitled to every retailer. */
export const entitledToAll = (when: is.When): WireChange =>
  where(
    when,
    besideAll(async (response, _request, ask) =>
      readStatuses.includes(response.status) ? ask() : undefined,
    ),
  );

/** Changes responses; `ask` sends the same request with the key to every retailer. Undefined: no change. */
export function besideAll(
  change: (
    response: WireResponse,
    request: WireRequest,
    ask: () => Promise<WireResponse>,
  ) => Promise<WireResponse | undefined>,
): WireChange {
  return (send, keys) => async (request) => {
    const response = await send(request);
    const ask = () => send(sentAs("all", request, keys));
    return (await change(response, request, ask)) ?? response;
  };
}

/** Some pages of a category are not filtered by entitlement. */
export const pagesForAll =
  (when: is.When): WireChange =>
  (send: Send, keys) => {
    // A cursor is bound to its organization: the one of the same place for the key to every retailer.
    const counterparts = new Map<string | undefined, string | undefined>();
    return async (request) => {
      const response = await send(request);
      if (response.status !== 200 || !is.page(request)) return response;
      const cursor = counterparts.get(parameter(request, "cursor"));
      const whole = await send(sentAs("all", withParameters(request, { cursor }), keys));
      const next = nextOf(response);
      if (next !== undefined) counterparts.set(next, nextOf(whole));
      return when(request, keys) ? withNext(whole, next ?? "") : response;
    };
  };

/** One retailer is not there, as for an organization that may not use it. */
export const entitledToAllBut = (slug: string): WireChange => {
  const isIts = (entry: Json | undefined) => (entry?.slug ?? entry?.retailer) === slug;
  const others = (list: readonly Json[]) => list.filter((entry) => !isIts(entry));
  return inTurn(
    on.listed("retailers", others),
    on.listed("category-page", others),
    on.body("batch", (result) => withRefused(result, isIts, "other_errors", "forbidden")),
    on.response((response) => (isIts(objectOf(response)) ? errorResponse(403) : undefined)),
  );
};
