import { isDeepStrictEqual } from "node:util";
import type { WireChange, WireRequest, WireResponse } from "../service/wire.ts";

/**
 * The same change. It calls `note` once for the first response that is not the service's own response to that request, or is
 * missing.
 */
export function noting(change: WireChange, note: () => void): WireChange {
  return (send, keys) => {
    let isNoted = false;
    const own: (readonly [WireRequest, WireResponse])[] = [];
    const changed = change(async (request) => {
      const response = await send(request);
      if (!isNoted) own.push([request, response]);
      return response;
    }, keys);
    return async (request) => {
      const outcome = changed(request);
      const response = await outcome.catch(() => "closed");
      if (!isNoted && !own.some((exchange) => isDeepStrictEqual(exchange, [request, response]))) {
        isNoted = true;
        own.length = 0;
        note();
      }
      return outcome;
    };
  };
}
