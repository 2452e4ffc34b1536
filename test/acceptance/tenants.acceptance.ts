import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { constantRate } from "../../scenarios/lib/schedule.ts";
import { profiles } from "../../scenarios/profiles.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { type ServiceOptions, startService } from "../../service/start.ts";
import { acceptRows } from "./accept.ts";
import { type Leak, leaking, leaks } from "./leaks.ts";
import type { AcceptanceRow, Expectation } from "./row.ts";

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
const load = ["load", "--scenario", "tenants", "--profile", "volleys"];
const unlimited = { rate: 100_000, burst: 100_000 };
/** Conformance looks for the limit: a busy machine must exceed it, too. */
const limited = { rate: 8, burst: 450 };

function row(
  target: string,
  argv: readonly string[],
  leak: Leak | undefined,
  size: ServiceOptions,
  expect: Expectation,
): AcceptanceRow {
  return {
    target,
    command: argv.join(" "),
    expect: { seconds: 120, ...expect },
    async run(place) {
      const service = await startService({ ...size, keys: place.keys, wire: [leaking(leak)] });
      try {
        const { baseUrl, categories } = service;
        const timeoutMilliseconds = 60_000;
        const leaky = { baseUrl, categories, timeoutMilliseconds, keys: { ...keyVariables } };
        const config = { targets: { leaky }, defaultTarget: "leaky", profiles: { volleys } };
        await writeFile(
          join(place.cwd, "shelfcheck.config.mjs"),
          `export default ${JSON.stringify(config)};\n`,
        );
        return await place.start(argv).outcome;
      } finally {
        await service.stop();
      }
    },
  };
}

// One after the other: a volley has to arrive as a whole, and all services run in this process.
acceptRows(
  [
    ...Object.entries(leaks).flatMap(([name, leak]) => [
      row(name, load, leak, unlimited, {
        exit: [1],
        cause: ["load-failed"],
        // Counters name no product: they are wrong like those of any batch.
        finds: [name === "mixed counters" ? "invalid-responses" : "foreign-responses"],
      }),
      row(name, ["conformance"], leak, limited, { exit: [0] }),
    ]),
    row("organizations kept apart", load, undefined, unlimited, {
      exit: [0],
      finds: ["tenants-kept-apart"],
      spares: ["foreign-responses"],
    }),
  ],
  { atOnce: false },
);
