import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { type Leak, leaking, leaks } from "./leaks.ts";
import { acceptRows } from "./row.ts";
import { rowsOf, type SetUp } from "./set-up.ts";

// Services that mix up organizations only under concurrent load: conformance passes, the scenario tenants finds each.

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
