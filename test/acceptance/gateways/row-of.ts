import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { profiles } from "../../../scenarios/profiles.ts";
import { keyVariables } from "../../../schemas/redaction.ts";
import type { Front } from "../../support/gateway-programs.ts";
import { deadBaseUrl } from "../../support/server.ts";
import type { AcceptanceRow } from "../row.ts";
import type { Configuration, GatewayCommand } from "./configurations.ts";
import { startIndependent } from "./independent-service.ts";

const commands: Readonly<Record<GatewayCommand, readonly string[]>> = {
  conformance: ["conformance"],
  doctor: ["doctor"],
  load: ["load"],
  batch: ["load", "--scenario", "batch"],
  "rate-limit": ["load", "--scenario", "rate-limit"],
  gate: ["gate"],
};

const longestSeconds = {
  conformance: 60,
  doctor: 30,
  load: 60,
  batch: 60,
  "rate-limit": 120,
  gate: 120,
} as const;

/** The rows of a configuration: the commands for which it has an expectation. */
export function rowsOf(configuration: Configuration): AcceptanceRow[] {
  return (Object.keys(commands) as GatewayCommand[]).flatMap((name) => {
    const expect = configuration.expect[name];
    if (expect === undefined) return [];
    return [
      {
        target: configuration.name,
        command: commands[name].join(" "),
        expect: { seconds: longestSeconds[name], ...expect },
        inCi: configuration.inCi === true && name === "conformance",
        needs: configuration.needs,
        run: async (place) => {
          await using parts = new AsyncDisposableStack();
          const behind: string[] = [];
          for (const options of configuration.isDown === true ? [] : (configuration.services ?? [{}]))
            behind.push(parts.use(await startIndependent({ keys: place.keys, ...options })).address);
          if (behind.length === 0) behind.push(new URL(await deadBaseUrl()).host);
          let last: Pick<Front, "address" | "ca"> = { address: behind[0] ?? "" };
          for (const [at, open] of configuration.fronts.entries())
            last = parts.use(await open(at === 0 ? behind : [last.address]));
          const ca = join(place.cwd, "ca.pem");
          if (last.ca !== undefined) await writeFile(ca, last.ca);
          const staging = {
            baseUrl: `${last.ca === undefined ? "http" : "https"}://${last.address}/v1`,
            ...(last.ca === undefined ? {} : { ca }),
            categories: ["lamps", "rain wear"],
            keys: { ...keyVariables },
          };
          const smoke = {
            ...profiles.smoke,
            thresholds: { ...profiles.smoke.thresholds, p95Milliseconds: 60_000, lagMilliseconds: 60_000 },
          };
          const config = { targets: { staging }, defaultTarget: "staging", profiles: { smoke } };
          const file = join(place.cwd, "shelfcheck.config.mjs");
          await writeFile(file, `export default ${JSON.stringify(config)};\n`);
          return await place.start(commands[name]).outcome;
        },
      } satisfies AcceptanceRow,
    ];
  });
}
