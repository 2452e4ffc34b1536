import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { profiles } from "../../../scenarios/profiles.ts";
import { keyVariables } from "../../../schemas/redaction.ts";
import { startService } from "../../../service/start.ts";
import type { WireChange } from "../../../service/wire.ts";
import type { Front, OpenFront, Software } from "../../support/gateway-programs.ts";
import { deadBaseUrl } from "../../support/server.ts";
import type { AcceptanceRow, Expectation } from "../row.ts";

const commands = {
  conformance: ["conformance"],
  doctor: ["doctor"],
  load: ["load"],
  batch: ["load", "--scenario", "batch"],
  "rate-limit": ["load", "--scenario", "rate-limit"],
  gate: ["gate"],
} as const;
/** The commands that a configuration is tried with. */
export type GatewayCommand = keyof typeof commands;

/** Gateways in front of the reference service, and what commands must say of them. */
export interface Configuration {
  readonly name: string;
  /** The gateways, the one next to the service first. */
  readonly fronts: readonly (readonly [Software, OpenFront])[];
  /** Requests of an organization per second, and at once. Default: 20, and so many that only the last checks reach it */
  readonly limit?: { readonly rate: number; readonly burst: number };
  /** Changes of the service. Default: none */
  readonly wire?: readonly WireChange[];
  /** Nothing listens where the service should be. Default: false */
  readonly isDown?: true;
  /** Default: not run */
  readonly expect: Partial<Readonly<Record<GatewayCommand, Expectation>>>;
  /** Whether `.ci/run` runs its conformance. Default: false */
  readonly inCi?: true;
}

/** The rows of a configuration: the commands for which it has an expectation. */
export function rowsOf(configuration: Configuration): AcceptanceRow[] {
  const { name: target, fronts, limit = { rate: 20, burst: 450 }, wire = [], isDown, inCi } = configuration;
  const expected = Object.entries(configuration.expect) as [GatewayCommand, Expectation][];
  return expected.map(([name, expect]) => ({
    target,
    command: commands[name].join(" "),
    expect: { seconds: 120, ...expect },
    inCi: inCi === true && name === "conformance",
    needs: fronts.map(([software]) => software),
    async run(place) {
      await using parts = new AsyncDisposableStack();
      const service = await startService({ keys: place.keys, ...limit, wire });
      parts.defer(() => service.stop());
      const behind = isDown === true ? await deadBaseUrl() : service.baseUrl;
      let last: Pick<Front, "address" | "ca"> = { address: new URL(behind).host };
      for (const [, open] of fronts) last = parts.use(await open(last.address));
      const ca = join(place.cwd, "ca.pem");
      if (last.ca !== undefined) await writeFile(ca, last.ca);
      const staging = {
        baseUrl: `${last.ca === undefined ? "http" : "https"}://${last.address}/v1`,
        ...(last.ca === undefined ? {} : { ca }),
        categories: service.categories,
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
  }));
}
