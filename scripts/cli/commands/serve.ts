import { hash } from "node:crypto";
import { once } from "node:events";
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
import { isLoopback } from "../../config/connection.ts";
import { CannotRunError, UsageError } from "../../errors.ts";
import { quotedForShell } from "../../report/text.ts";
import type { CommandDefinition } from "./command.ts";
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
export const serve: CommandDefinition<ServeFlags> = {
  flags: (command) =>
    command
      .option("--port <n>", "port; 0 picks a free one (default: 0)", wholeNumber(0, 65_535))
      .option(
        "--host <address>",
        "address to listen on, such as 0.0.0.0 in a container (default: 127.0.0.1, which only this machine reaches)",
      )
      .option(
        "--products <n>",
        `number of products in the generated catalog (default: ${serviceDefaults.products})`,
        wholeNumber(0),
      )
      .option(
        "--seed <n>",
        `seed of the generated catalog: the same seed gives the same catalog and, if given, the same keys (default: ${serviceDefaults.seed})`,
        wholeNumber(0),
      )
      .option(
        "--rate <n>",
        `rate limit of each organization, in requests per second (default: ${serviceDefaults.rate})`,
        positiveNumber,
      )
      .option(
        "--burst <n>",
        `burst size of the rate limit, in requests (default: ${serviceDefaults.burst})`,
        wholeNumber(1),
      )
      .option("--catalog <file>", "read the catalog from this file instead of generating one"),
  run: async (flags, io, _operands, additions) => {
    const { host, port, products, seed, rate, burst, catalog } = flags;
    const options = given({ host, port, products, seed, rate, burst, catalog });
    const changes: Partial<ServiceOptions> = Object.assign(
      {},
      ...additions.map((one) => one.changes?.(flags)),
    );
    const log = (line: string) => void io.stderr.write(`${line}\n`);
    const service = await startService({ ...options, ...changes, keys: keysFor(seed), log }).catch(
      (error: unknown) => {
        throw explainedError(error, options);
      },
    );
    const { primary, sameOrg, otherOrg } = service.keys;
    const keys = { primary, same_org: sameOrg, other_org: otherOrg };
    const ready = { base_url: service.baseUrl, keys, categories: service.categories };
    io.stdout.write(`${JSON.stringify(ready)}\n`);
    io.stderr.write(exportLines(service));
    if (host !== undefined && !isLoopback(host))
      io.stderr.write("Warning: other machines can reach this service. It is for tests only.\n");
    if (!io.signal.aborted) await once(io.signal, "abort");
    await service.stop();
    return 0;
  },
};

/** Lines for a POSIX shell that make the service the target. Stdout has the same as JSON, for programs. */
function exportLines({ baseUrl, keys, categories }: RunningService): string {
  const variables = {
    SHELFCHECK_BASE_URL: baseUrl,
    [keyVariables.primary]: keys.primary,
    [keyVariables.sameOrg]: keys.sameOrg,
    [keyVariables.otherOrg]: keys.otherOrg,
    // The others cannot be told in a list with commas.
    SHELFCHECK_CATEGORIES: categories.filter((name) => !/^\s|,|\s$/.test(name)).join(","),
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quotedForShell(value)}\n`);
  const [first, second] = organizationNames;
  return `To test this service, paste these lines into another terminal:
${lines.join("")}The first two keys are of "${first}", the third is of "${second}".
`;
}

/** The keys of this start: with `--seed` the same ones each time, or else random ones. */
function keysFor(seed: number | undefined): Partial<Keys> {
  if (seed === undefined) return {};
  const keyOf = (role: string) => `pcl_${hash("sha256", `${role} ${seed}`, "base64url").slice(0, 32)}`;
  return { primary: keyOf("primary"), sameOrg: keyOf("sameOrg"), otherOrg: keyOf("otherOrg") };
}

/** The error of a service that could not be started, with the flag at fault. */
export function explainedError(error: unknown, { host, port = 0 }: ServiceOptions): unknown {
  const cause = { cause: error };
  if (error instanceof CatalogError) {
    const what = "The catalog cannot be imported";
    return new UsageError({ what, where: "--catalog", fix: error.message }, cause);
  }
  const ofNetwork =
    error instanceof Error && "syscall" in error && /listen|getaddrinfo/.test(`${error.syscall}`);
  if (!ofNetwork) return error;
  const what =
    "code" in error && error.code === "EADDRINUSE"
      ? "The port is in use"
      : `The service cannot listen (${error.message})`;
  const where = `${host === undefined ? "" : `--host ${host} `}--port ${port}`;
  const fix = "Choose another, or none to use a free port on 127.0.0.1.";
  return new CannotRunError({ what, where, fix }, cause);
}
