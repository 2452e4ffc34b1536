import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "../../../dev/bench/bench.ts";
import { constantRate } from "../../../scenarios/lib/schedule.ts";
import { profiles } from "../../../scenarios/profiles.ts";
import { keyVariables } from "../../../schemas/redaction.ts";
import { type RunningService, startService } from "../../../service/start.ts";
import { type Cell, type Expectation, runCell } from "../cell.ts";
import { gatewaySetups } from "./gateways.ts";
import { nginxSetups } from "./nginx.ts";
import { proxySetups } from "./proxies.ts";
import type { Setup } from "./setup.ts";
import { httpSetups, tlsSetups } from "./tls.ts";

const setups = {
  tls: tlsSetups,
  http: httpSetups,
  proxies: proxySetups,
  gateways: gatewaySetups,
  nginx: nginxSetups,
} as const satisfies Record<string, readonly Setup[]>;
const setupParts = Object.keys(setups) as (keyof typeof setups)[];

const commands = {
  conformance: ["conformance", "--only", "retailers", "--only", "by-id"],
  load: ["load"],
  batch: ["load", "--scenario", "batch"],
} as const;

type CommandName = keyof typeof commands;

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

/**
 * Runs conformance and load through each network between shelfcheck and the reference service: TLS, HTTP versions,
 * proxies, gateways, nginx. Looks for keys, header values, passwords and passphrases in files, output and arguments. Ends
 * with 1 when a cell is wrong.
 */
export const networksBench: Bench = {
  summary: "conformance and load through TLS, proxies, gateways and nginx: exit code, cause, secrets",
  parts: setupParts,
  run: async (io, words) => {
    const service = await startService({ rate: 1000, burst: 1000 });
    const wanted = setupParts.filter((part) => words.length === 0 || words.includes(part));
    let right = 0;
    let total = 0;
    try {
      for (const setup of wanted.flatMap((part): readonly Setup[] => setups[part])) {
        for (const command of ["conformance", "load", "batch"] as const) {
          if (io.signal.aborted) return 1;
          const expected = setup[command];
          if (expected === undefined) continue;
          const { isRight, lines } = await runNetworkCell(setup, command, expected, {
            service,
            signal: io.signal,
          });
          io.stdout.write(lines);
          total += 1;
          if (isRight) right += 1;
        }
      }
    } finally {
      await service.stop();
    }
    io.stdout.write(`\n${right} of ${total} cells right\n`);
    return right === total ? 0 : 1;
  },
};

/** Runs a command through a setup; returns the lines of the table. */
async function runNetworkCell(
  setup: Setup,
  command: CommandName,
  expected: Expectation,
  { service, signal }: { service: RunningService; signal: AbortSignal },
): Promise<{ isRight: boolean; lines: string }> {
  const folder = await mkdtemp(join(tmpdir(), "shelfcheck-network-"));
  await using servers = new AsyncDisposableStack();
  try {
    const { target, env = {}, secrets = [], wrong } = await setup.open({ service, folder, servers });
    const staging = { categories: service.categories, keys: { ...keyVariables }, ...target };
    const config = { targets: { staging }, defaultTarget: "staging", profiles: { smoke } };
    const cell: Cell = {
      name: `${command}, ${setup.name}`,
      expect: { seconds: 120, ...expected },
      keys: { ...service.keys, ...Object.fromEntries(secrets.map((secret, place) => [place, secret])) },
      async run(place) {
        await writeFile(
          join(place.cwd, "shelfcheck.config.mjs"),
          `export default ${JSON.stringify(config)};\n`,
        );
        const outcome = await place.start(commands[command], { env }).outcome;
        return { ...outcome, wrong: [...(wrong?.() ?? [])] };
      },
    };
    return await runCell(cell, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
