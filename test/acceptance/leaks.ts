import { setTimeout as sleep } from "node:timers/promises";
import * as is from "../../proof/changes/conditions.ts";
import { callerOf, objectIn, objectOf, sentAs, withJson } from "../../proof/changes/messages.ts";
import type { WireChange, WireKeys, WireRequest, WireResponse } from "../../service/wire.ts";

// Services that mix up organizations only when many requests of several overlap.

type CallerWithKey = keyof WireKeys;

/** What the requests of a leaky service share. */
interface Shared {
  readonly buffers: WireResponse[];
  next: number;
  lastCounters: unknown;
  lastCaller: CallerWithKey | undefined;
}

interface Leaking {
  readonly request: WireRequest;
  /** Whose key the request carries. */
  readonly caller: CallerWithKey;
  readonly shared: Shared;
  isBusy(): boolean;
  /** The response of a correct service to the request, with the key of any caller. */
  forward(caller: CallerWithKey): Promise<WireResponse>;
}

export type Leak = (leaking: Leaking) => Promise<WireResponse>;

/**
 * A service is busy from this number of requests under way of each organization on. A volley of the scenario has nine, lists
 * of retailers aside; conformance never has more than four of the second organization.
 */
const busyFrom = 7;
const bufferCount = 4;
/** Time of a step, as at a service with a database: a whole volley has arrived before its first request goes on. */
const stepMilliseconds = 20;

export const leaks = {
  /** Responses wait in buffers that are used in turn: with more responses than buffers, the last one written is sent. */
  "a shared buffer": async ({ caller, shared, isBusy, forward }) => {
    const own = await forward(caller);
    if (!isBusy()) return own;
    const place = shared.next++ % bufferCount;
    shared.buffers[place] = own;
    await sleep(stepMilliseconds);
    return shared.buffers[place] ?? own;
  },
  /** When no connection is free, one is shared, and it keeps the key of its last user. */
  "a pooled connection with the other's key": async ({ caller, shared, isBusy, forward }) => {
    const used = isBusy() ? shared.lastCaller : undefined;
    shared.lastCaller = caller;
    return await forward(used ?? caller);
  },
  /** The counters of a batch are kept outside of the request between counting and writing. */
  "mixed counters": async ({ request, caller, shared, isBusy, forward }) => {
    const own = await forward(caller);
    const body = objectOf(own);
    if (!is.batch(request) || own.status !== 200 || body === undefined) return own;
    shared.lastCounters = body.meta;
    if (isBusy()) await sleep(stepMilliseconds);
    return withJson(own, { ...body, meta: objectIn(shared.lastCounters) });
  },
} as const satisfies Record<string, Leak>;

/** The leak as a change of the service; undefined for a correct one that is as slow. */
export function leaking(leak: Leak = ({ caller, forward }) => forward(caller)): WireChange {
  return (send, keys) => {
    const shared: Shared = {
      buffers: [],
      next: 0,
      lastCounters: undefined,
      lastCaller: undefined,
    };
    const underWay = { own: 0, other: 0 };
    return async (request) => {
      const caller = callerOf(request, keys);
      // Each burst that looks for the rate limit sends hundreds of lists of retailers, so these leaks leave lists alone.
      if (caller === undefined || is.list(request)) return await send(request);
      const organization = caller === "otherOrg" ? "other" : "own";
      underWay[organization]++;
      try {
        await sleep(stepMilliseconds);
        return await leak({
          request,
          caller,
          shared,
          isBusy: () => Math.min(underWay.own, underWay.other) >= busyFrom,
          async forward(used) {
            await sleep(stepMilliseconds);
            return await send(used === caller ? request : sentAs(used, request, keys));
          },
        });
      } finally {
        underWay[organization]--;
      }
    };
  };
}
