import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { type RunningService, type ServiceOptions, startService } from "../../service/start.ts";
import type { FrontProgram } from "../support/gateway-programs.ts";
import { deadBaseUrl } from "../support/server.ts";
import type { AcceptanceRow, Expectation } from "./row.ts";

// The reference service behind a network or gateways, and commands on it.

const commands = {
  doctor: ["doctor"],
  conformance: ["conformance"],
  some: ["conformance", "--only", "retailers", "--only", "by-id"],
  load: ["load"],
  batch: ["load", "--scenario", "batch"],
  "rate-limit": ["load", "--scenario", "rate-limit"],
  tenants: ["load", "--scenario", "tenants", "--profile", "volleys"],
  gate: ["gate"],
} as const;
type CommandName = keyof typeof commands;

/** The reference service with what is in front of it, and how commands end on it. */
export interface SetUp {
  readonly name: string;
  readonly needs?: AcceptanceRow["needs"];
  /** Default: no limit that is met */
  readonly service?: ServiceOptions;
  readonly open: (place: SetUpPlace) => Promise<Opened>;
  /** The commands that are tried. */
  readonly expect: Readonly<Partial<Record<CommandName, Expectation>>>;
  /** Those that `.ci/run` runs, too. Default: none */
  readonly inCi?: readonly CommandName[];
  readonly profiles?: Readonly<Record<string, Profile>>;
}

/** Where a set-up is built. */
export interface SetUpPlace {
  readonly service: RunningService;
  /** Folder for certificates and keys, which the run does not write to. */
  readonly folder: string;
  /** Servers and proxies that end with the row. */
  readonly servers: AsyncDisposableStack;
}

interface Opened {
  /** The target's entry in the config. Default of the categories: those of the service */
  readonly target: object;
  readonly env?: NodeJS.ProcessEnv;
  /** Secrets that must not appear anywhere, in addition to the API keys. */
  readonly secrets?: readonly string[] | undefined;
  /** What is wrong after the run, for example requests that did not go through the proxy; empty when nothing is. */
  readonly wrong?: (() => readonly string[]) | undefined;
}

/** The rows of a set-up: the commands for which it has an expectation. */
export function rowsOf({ name, needs, service, open, expect, inCi = [], profiles }: SetUp): AcceptanceRow[] {
  const expected = Object.entries(expect) as [CommandName, Expectation][];
  return expected.map(([command, end]) => ({
    target: name,
    command: commands[command].join(" "),
    expect: { seconds: 120, ...end },
    inCi: inCi.includes(command),
    needs,
    async run(place) {
      await using servers = new AsyncDisposableStack();
      const unlimited = { rate: 1000, burst: 1000, keys: place.keys };
      const running = await startService({ ...unlimited, ...service });
      servers.defer(() => running.stop());
      const { path: folder } = servers.use(await mkdtempDisposable(join(tmpdir(), "shelfcheck-network-")));
      const { target, env = {}, secrets = [], wrong } = await open({ service: running, folder, servers });
      await place.configure({ categories: running.categories, ...target }, profiles);
      const outcome = await place.start(commands[command], { env, secrets }).outcome;
      return { ...outcome, wrong: wrong?.() ?? [] };
    },
  }));
}

/** Gateways in front of the service, the one next to it first. */
export function behind(
  fronts: readonly FrontProgram[],
  { isDown = false }: { isDown?: boolean } = {},
): Pick<SetUp, "needs" | "open"> {
  return {
    needs: fronts.map(({ software }) => software),
    async open({ service, folder, servers }) {
      let address = new URL(isDown ? deadBaseUrl : service.baseUrl).host;
      let ca: string | undefined;
      for (const { open } of fronts) ({ address, ca } = servers.use(await open(address)));
      if (ca === undefined) return { target: { baseUrl: `http://${address}/v1` } };
      const file = join(folder, "ca.pem");
      await writeFile(file, ca);
      return { target: { baseUrl: `https://${address}/v1`, ca: file } };
    },
  };
}
