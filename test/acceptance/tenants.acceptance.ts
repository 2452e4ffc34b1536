import { setTimeout as sleep } from "node:timers/promises";
import * as is from "../../proof/changes/conditions.ts";
import { callerOf } from "../../proof/changes/messages.ts";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { WireChange, WireResponse } from "../../service/wire.ts";
import { acceptRows } from "./row.ts";
import { rowsOf, type SetUp } from "./set-up.ts";

// A service that mixes up organizations only when many requests of several overlap: conformance passes, and the scenario
// tenants finds it.

/**
 * A service is busy from this number of requests under way of each organization on. A volley of the scenario has nine, lists
 * of retailers aside; conformance never has more than four of the second organization.
 */
const busyFrom = 7;
const bufferCount = 4;
/** Time of a step, as at a service with a database: a whole volley has arrived before its first request goes on. */
const stepMilliseconds = 20;

/**
 * Responses wait in buffers that are used in turn: with more responses than buffers, the last one written is sent. Without the
 * leak, a correct service that is as slow.
 */
function buffering({ isLeaky }: { isLeaky: boolean }): WireChange {
  return (send, keys) => {
    const buffers: WireResponse[] = [];
    let next = 0;
    const underWay = { own: 0, other: 0 };
    return async (request) => {
      const caller = callerOf(request, keys);
      // Each burst that looks for the rate limit sends hundreds of lists of retailers, so the leak leaves lists alone.
      if (caller === undefined || is.list(request)) return await send(request);
      const organization = caller === "otherOrg" ? "other" : "own";
      underWay[organization]++;
      try {
        await sleep(2 * stepMilliseconds);
        const own = await send(request);
        if (!isLeaky || Math.min(underWay.own, underWay.other) < busyFrom) return own;
        const place = next++ % bufferCount;
        buffers[place] = own;
        await sleep(stepMilliseconds);
        return buffers[place] ?? own;
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

const withBuffers = (
  isLeaky: boolean,
  expect: SetUp["expect"],
  limit: { readonly rate: number; readonly burst: number } = unlimited,
): SetUp => ({
  name: isLeaky ? "a shared buffer" : "organizations kept apart",
  service: { ...limit, wire: [buffering({ isLeaky })] },
  open: async ({ service: { baseUrl } }) => ({ target: { baseUrl, timeoutMilliseconds: 60_000 } }),
  expect,
  profiles: { volleys },
});

// One after the other: a volley has to arrive as a whole, and all services run in this process.
acceptRows(
  [
    withBuffers(true, { tenants: { exit: [1], cause: ["load-failed"], finds: ["foreign-responses"] } }),
    withBuffers(true, { conformance: { exit: [0] } }, limited),
    withBuffers(false, {
      tenants: { exit: [0], finds: ["tenants-kept-apart"], spares: ["foreign-responses"] },
    }),
  ].flatMap(rowsOf),
  { atOnce: false },
);
