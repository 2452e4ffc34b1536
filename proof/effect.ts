import { AsyncLocalStorage } from "node:async_hooks";
import { isDeepStrictEqual } from "node:util";
import type { WireChange, WireRequest, WireResponse } from "../service/wire.ts";

// Whether a change has an effect on the responses that a client gets.

/**
 * The same change. It calls `note` for each response that differs from the one after `other`, which gets the same
 * responses of the service and no more, or is missing only with the change.
 */
export function comparing(change: WireChange, other: WireChange, note: () => void): WireChange {
  return (send, keys) => {
    const exchanges = new AsyncLocalStorage<[request: WireRequest, response: WireResponse][]>();
    const changed = change(async (request) => {
      const response = await send(request);
      exchanges.getStore()?.push([request, response]);
      return response;
    }, keys);
    const unchanged = other(async (request) => {
      const known = exchanges.getStore()?.find(([earlier]) => isDeepStrictEqual(earlier, request));
      return known?.[1] ?? notSent;
    }, keys);
    const outcome = (response: Promise<WireResponse>) => response.catch(() => "closed");
    return (request) =>
      exchanges.run([], async () => {
        const response = changed(request);
        const first = await outcome(response);
        // Not awaited: a variant that delays a response must not do it twice.
        void outcome(unchanged(request)).then((second) => {
          if (!isDeepStrictEqual(first, second)) note();
        });
        return response;
      });
  };
}

const notSent: WireResponse = { status: 0, headers: {}, body: Buffer.alloc(0) };

/** The same change. It calls `note` for each response that differs from the unchanged one, or is missing. */
export function noting(change: WireChange, note: () => void): WireChange {
  return comparing(change, (send) => send, note);
}
