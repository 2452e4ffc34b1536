import { setTimeout as sleep } from "node:timers/promises";
import * as is from "../../proof/changes/conditions.ts";
import { callerOf, objectIn, objectOf, withJson } from "../../proof/changes/messages.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { WireChange, WireRequest, WireResponse } from "../../service/wire.ts";
import { acceptRows } from "./row.ts";
import { rowsOf, type SetUp } from "./set-up.ts";

// Services that mix up organizations only when many requests of several overlap: conformance passes, the scenario tenants finds each.

/** What the requests of a leaky service share. */
interface Shared {
  readonly buffers: WireResponse[];
  next: number;
  lastCounters: unknown;
}

interface Leaking {
  readonly request: WireRequest;
  readonly shared: Shared;
  isBusy(): boolean;
  /** The response of a correct service to the request. */
  forward(): Promise<WireResponse>;
}

type Leak = (leaking: Leaking) => Promise<WireResponse>;

/**
 * A service is busy from this number of requests under way of each organization on. A volley of the scenario has nine, lists
 * of retailers aside; conformance never has more than four of the second organization.
 */
const busyFrom = 7;
const bufferCount = 4;
/** Time of a step, as at a service with a database: a whole volley has arrived before its first request goes on. */
const stepMilliseconds = 20;

const leaks = {
  /** Responses wait in buffers that are used in turn: with more responses than buffers, the last one written is sent. */
  "a shared buffer": async ({ shared, isBusy, forward }) => {
    const own = await forward();
    if (!isBusy()) return own;
    const place = shared.next++ % bufferCount;
    shared.buffers[place] = own;
    await sleep(stepMilliseconds);
    return shared.buffers[place] ?? own;
  },
  /** The counters of a batch are kept outside of the request between counting and writing. */
  "mixed counters": async ({ request, shared, isBusy, forward }) => {
    const own = await forward();
    const body = objectOf(own);
    if (!is.batch(request) || own.status !== 200 || body === undefined) return own;
    shared.lastCounters = body.meta;
    if (isBusy()) await sleep(stepMilliseconds);
    return withJson(own, { ...body, meta: objectIn(shared.lastCounters) });
  },
} as const satisfies Record<string, Leak>;

/** The leak as a change of the service; undefined for a correct one that is as slow. */
function leaking(leak: Leak = ({ forward }) => forward()): WireChange {
  return (send, keys) => {
    const shared: Shared = { buffers: [], next: 0, lastCounters: undefined };
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
          shared,
          isBusy: () => Math.min(underWay.own, underWay.other) >= busyFrom,
          async forward() {
            await sleep(stepMilliseconds);
            return await send(request);
          },
        });
      } finally {
        underWay[organization]--;
      }
    };
  };
}

/** What a busy machine delays counts for nothing: slow responses, those that time out, late and dropped iterations. */
const volleys: Profile = {
  description: "200 requests a second",
  stages: constantRate(200, 20),
  walkers: 1,
  maxResponseSeconds: 2,
  // Each holds the code that judges invalid responses.
  virtualUsers: 6,
  thresholds: {
    ...profiles.smoke.thresholds,
    p95Milliseconds: 60_000,
    failedShare: 0.9,
    lagMilliseconds: 60_000,
    droppedShare: 0.95,
  },
};
const unlimited = { rate: 100_000, burst: 100_000 };
/** Conformance looks for the limit: a busy machine must exceed it, too. */
const limited = { rate: 8, burst: 450 };

const withLeak = (
  name: string,
  expect: SetUp["expect"],
  limit: { readonly rate: number; readonly burst: number },
  leak?: Leak,
): SetUp => ({
  name,
  service: { ...limit, wire: [leaking(leak)] },
  open: async ({ service: { baseUrl } }) => ({ target: { baseUrl, timeoutMilliseconds: 60_000 } }),
  expect,
  profiles: { volleys },
});

// One after the other: a volley has to arrive as a whole, and all services run in this process.
acceptRows(
  [
    ...Object.entries(leaks).flatMap(([name, leak]) => {
      // Counters name no product: they are wrong like those of any batch.
      const finds = [name === "mixed counters" ? "invalid-responses" : "foreign-responses"] as const;
      const found = { exit: [1], cause: ["load-failed"], finds } as const;
      return [
        withLeak(name, { tenants: found }, unlimited, leak),
        withLeak(name, { conformance: { exit: [0] } }, limited, leak),
      ];
    }),
    withLeak(
      "organizations kept apart",
      { tenants: { exit: [0], finds: ["tenants-kept-apart"], spares: ["foreign-responses"] } },
      unlimited,
    ),
  ].flatMap(rowsOf),
  { atOnce: false },
);
