import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constantRate } from "../../../scenarios/lib/schedule.ts";
import { profiles } from "../../../scenarios/profiles.ts";
import { keyVariables } from "../../../schemas/redaction.ts";
import { startService } from "../../../service/start.ts";
import { acceptRows } from "../accept.ts";
import type { AcceptanceRow, Expectation } from "../row.ts";
import { gatewaySetups } from "./gateways.ts";
import { proxySetups } from "./proxies.ts";
import type { Setup } from "./setup.ts";
import { httpSetups, tlsSetups } from "./tls.ts";

// Conformance and load through each network between shelfcheck and the reference service. Keys, header values
// and passwords are looked for in files, output and arguments.

const setups: readonly Setup[] = [...tlsSetups, ...httpSetups, ...proxySetups, ...gatewaySetups];

const commands = {
  doctor: ["doctor"],
  conformance: ["conformance", "--only", "retailers", "--only", "by-id"],
  load: ["load"],
  gate: ["gate"],
} as const;

/** A short load run with latency limits that a busy machine can meet as well. */
const smoke = {
  ...profiles.smoke,
  stages: constantRate(10, 6),
  thresholds: {
    p95Milliseconds: 60_000,
    failedShare: 0.02,
    invalidShare: 0,
    droppedShare: 0.5,
    lagMilliseconds: 60_000,
  },
};

/** The rows of a network: the commands for which it has an expectation. */
function rowsOf(setup: Setup): AcceptanceRow[] {
  return (["doctor", "conformance", "load", "gate"] as const).flatMap((name) => {
    const expected = setup[name];
    return expected === undefined ? [] : [rowOf(setup, name, expected)];
  });
}

function rowOf(
  { name, needs, open, loadInCi }: Setup,
  command: keyof typeof commands,
  expected: Expectation,
): AcceptanceRow {
  return {
    target: name,
    command: commands[command].join(" "),
    expect: { seconds: 120, ...expected },
    inCi: command !== "load" || loadInCi === true,
    needs,
    async run(place) {
      const service = await startService({ rate: 1000, burst: 1000 });
      const folder = await mkdtemp(join(tmpdir(), "shelfcheck-network-"));
      await using servers = new AsyncDisposableStack();
      servers.defer(() => service.stop());
      servers.defer(() => rm(folder, { recursive: true, force: true }));
      const { target, env = {}, secrets = [], wrong } = await open({ service, folder, servers });
      const staging = { categories: service.categories, keys: { ...keyVariables }, ...target };
      const gate = { profile: "smoke" };
      const config = { targets: { staging }, defaultTarget: "staging", gate, profiles: { smoke } };
      const file = join(place.cwd, "shelfcheck.config.mjs");
      await writeFile(file, `export default ${JSON.stringify(config)};\n`);
      const { keys } = service;
      const outcome = await place.start(commands[command], { env, keys, secrets }).outcome;
      return { ...outcome, wrong: wrong?.() ?? [] };
    },
  };
}

acceptRows(setups.flatMap(rowsOf));
