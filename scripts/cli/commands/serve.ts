import { hash } from "node:crypto";
import { once } from "node:events";
import type { Command } from "commander";
import { given } from "../../../schemas/json.ts";
import { keyVariables } from "../../../schemas/redaction.ts";
import { type Keys, organizationNames } from "../../../service/access.ts";
import { CatalogError } from "../../../service/catalog/import.ts";
import {
  type RunningService,
  type ServiceOptions,
  serviceDefaults,
  startService,
} from "../../../service/start.ts";
import { isLoopback } from "../../config/proxy.ts";
import { CannotRunError, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { quotedForShell } from "../../runs/quoted-for-shell.ts";
import { defineCommand } from "./command.ts";
import { positiveNumber, wholeNumber } from "./flags.ts";

interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly products?: number;
  readonly seed?: number;
  readonly rate?: number;
  readonly burst?: number;
  readonly catalog?: string;
}

/** `serve`: runs the reference service until Ctrl-C or SIGTERM. */
export const serve = defineCommand<ServeFlags>({
  flags: (command) => withServiceFlags(command),
  run: async (flags, io, _operands, additions) => {
    const changes = additions.map((one) => one.changes?.(flags));
    const service = await start(flags, Object.assign({}, ...changes), io);
    const { primary, sameOrg, otherOrg } = service.keys;
    const keys = { primary, same_org: sameOrg, other_org: otherOrg };
    io.stdout.write(
      `${JSON.stringify({ base_url: service.baseUrl, keys, categories: service.categories })}\n`,
    );
    io.stderr.write(exportLines(service, flags));
    if (!io.signal.aborted) await once(io.signal, "abort");
    await service.stop();
    return 0;
  },
});

/** Lines for a POSIX shell that make the service the target of commands. Stdout has the same as JSON, for programs. */
function exportLines({ baseUrl, keys, categories }: RunningService, flags: ServeFlags): string {
  const variables = {
    SHELFCHECK_BASE_URL: baseUrl,
    [keyVariables.primary]: keys.primary,
    [keyVariables.sameOrg]: keys.sameOrg,
    [keyVariables.otherOrg]: keys.otherOrg,
    SHELFCHECK_CATEGORIES: categories.join(","),
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quotedForShell(value)}\n`);
  const [first, second] = organizationNames;
  return [
    `To test this service, paste these lines into another terminal:\n${lines.join("")}`,
    `The first two keys are of "${first}", the third is of "${second}".\n`,
    flags.host === undefined || isLoopback(flags.host)
      ? ""
      : "Warning: other machines can reach this service. It is for tests only.\n",
  ].join("");
}

/** The keys of this start: with `--seed` the same ones each time, or else random ones. */
function keysFor({ seed }: ServeFlags): Partial<Keys> {
  if (seed === undefined) return {};
  const roles = ["primary", "sameOrg", "otherOrg"] as const;
  return Object.fromEntries(
    roles.map((role) => [role, `pcl_${hash("sha256", `${role} ${seed}`, "base64url").slice(0, 32)}`]),
  );
}

function withServiceFlags(command: Command): Command {
  const { products, seed, rate, burst } = serviceDefaults;
  return command
    .option("--port <n>", "port; 0 picks a free one (default: 0)", wholeNumber(0, 65_535))
    .option(
      "--host <address>",
      "address to listen on, such as 0.0.0.0 in a container (default: 127.0.0.1, which only this machine reaches)",
    )
    .option(
      "--products <n>",
      `number of products in the generated catalog (default: ${products})`,
      wholeNumber(0),
    )
    .option(
      "--seed <n>",
      `seed of the generated catalog: the same seed gives the same catalog and, if given, the same keys (default: ${seed})`,
      wholeNumber(0),
    )
    .option(
      "--rate <n>",
      `rate limit of each organization, in requests per second (default: ${rate})`,
      positiveNumber,
    )
    .option("--burst <n>", `burst size of the rate limit, in requests (default: ${burst})`, wholeNumber(1))
    .option("--catalog <file>", "read the catalog from this file instead of generating one");
}

async function start(flags: ServeFlags, changes: Partial<ServiceOptions>, io: Io): Promise<RunningService> {
  const { host, port, products, seed, rate, burst, catalog } = flags;
  const rest = given({ host, port, products, seed, rate, burst, catalog });
  const options: ServiceOptions = {
    ...rest,
    ...changes,
    keys: keysFor(flags),
    log: (line) => {
      io.stderr.write(`${line}\n`);
    },
  };
  try {
    return await startService(options);
  } catch (error) {
    throw explainedError(error, rest);
  }
}

/** The error of a service that could not be started, with the flag at fault. */
export function explainedError(error: unknown, { host = "127.0.0.1", port = 0 }: ServiceOptions): unknown {
  const cause = { cause: error };
  if (error instanceof CatalogError) {
    return new UsageError(
      { what: "The catalog cannot be imported", where: "--catalog", fix: error.message },
      cause,
    );
  }
  const whats: Readonly<Record<string, string>> = {
    EADDRINUSE: "The port is in use",
    EACCES: "This user is not allowed to open the port",
    EADDRNOTAVAIL: "This machine does not have the address",
    ENOTFOUND: "There is no such address",
  };
  const what = whats[error instanceof Error && "code" in error ? String(error.code) : ""];
  if (what === undefined) return error;
  const fix = "Choose others, or omit --host and --port to use a free port on 127.0.0.1.";
  return new CannotRunError({ what, where: `--host ${host} --port ${port}`, fix }, cause);
}
