import { hash } from "node:crypto";
import { once } from "node:events";
import type { Command } from "commander";
import { requirement } from "../../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../../conformance/requirements/requirement.ts";
import { requirementOf } from "../../../proof/changes/entry.ts";
import { changesOf, faults, variants } from "../../../proof/table.ts";
import { keyVariables } from "../../../schemas/redaction.ts";
import { type Keys, organizationNames } from "../../../service/access.ts";
import { CatalogError } from "../../../service/catalog/import.ts";
import {
  type RunningService,
  type ServiceOptions,
  serviceDefaults,
  startService,
} from "../../../service/start.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { isLoopback } from "../../config/proxy.ts";
import { CannotRunError, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { prose } from "../../report/terminal.ts";
import { quotedForShell } from "../../runs/quoted-for-shell.ts";
import { defineCommand, print } from "./command.ts";
import { positiveNumber, wholeNumber } from "./flags.ts";

interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly products?: number;
  readonly seed?: number;
  readonly rate?: number;
  readonly burst?: number;
  readonly catalog?: string;
  readonly variant?: readonly string[];
  readonly fault?: readonly string[];
  readonly list?: boolean;
  readonly json?: boolean;
}

/** `serve`: runs the reference service until Ctrl-C or SIGTERM. */
export const serve = defineCommand<ServeFlags>({
  flags: (command) => withServiceFlags(command),
  run: async (flags, io) => {
    if (flags.list === true) {
      const all = listEntries();
      print(io, { json: flags.json, value: all, text: () => renderEntries(all) });
      return 0;
    }
    const service = await start(flags, io);
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
    .option("--catalog <file>", "read the catalog from this file instead of generating one")
    .option(
      "--variant <names>",
      "variants (unusual but allowed behaviour), separated by commas",
      commaSeparated,
    )
    .option(
      "--fault <names>",
      "faults (each violates a MUST, or a SHOULD, which is a warning), separated by commas",
      commaSeparated,
    )
    .option("--list", "list the variants and faults, each with what it does")
    .option("--json", "with --list: print JSON");
}

function commaSeparated(text: string, previous: readonly string[] = []): string[] {
  return [...previous, ...text.split(",").flatMap((name) => name.trim() || [])];
}

async function start(flags: ServeFlags, io: Io): Promise<RunningService> {
  const { list, json, variant, fault, ...rest } = flags;
  requireKnownNames("variant", variant);
  requireKnownNames("fault", fault);
  const options: ServiceOptions = {
    ...rest,
    ...changesOf({ faults: fault, variants: variant }),
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

function requireKnownNames(flag: "variant" | "fault", names: readonly string[] = []): void {
  const [known, other, otherFlag] =
    flag === "fault" ? ([faults, variants, "variant"] as const) : ([variants, faults, "fault"] as const);
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new UsageError({
    what: `There is no ${flag} ${JSON.stringify(unknown)}`,
    where: `--${flag}`,
    fix: other.has(unknown)
      ? `It is a ${otherFlag}: --${otherFlag} ${unknown}`
      : `${didYouMean(unknown, [...known.keys()])} To list all: npx shelfcheck serve --list`,
  });
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

/** A fault or variant, as `--list` shows it. */
interface ListedEntry {
  readonly name: string;
  readonly kind: "variant" | "fault";
  readonly does: string;
  readonly section: string;
  /** The sentence of the spec that allows a variant, or the requirement that a fault violates. */
  readonly statement: string;
  /** The checks that a fault makes fail. */
  readonly fails?: readonly string[];
}

function listEntries(): ListedEntry[] {
  return [
    ...[...variants].map(([name, { does, allowedBy }]): ListedEntry => {
      const [section, statement] = allowedBy;
      return { name, kind: "variant", does, section, statement };
    }),
    ...[...faults].map(([name, { does, fails }]): ListedEntry => {
      const { id, statement } = requirement(requirementOf(fails[0]));
      return { name, kind: "fault", does, section: sections[sectionOf(id)], statement, fails };
    }),
  ];
}

function renderEntries(entries: readonly ListedEntry[]): string {
  const width = Math.max(...entries.map(({ name }) => name.length));
  const groups = [...Map.groupBy(entries, ({ kind }) => kind)].map(([kind, group]) =>
    [`${kind}s`, ...group.map(({ name, does }) => `  ${name.padEnd(width)}  ${prose(does)}`)].join("\n"),
  );
  return `${groups.join("\n\n")}\n\nWhat each rests on in the spec: npx shelfcheck serve --list --json\n`;
}
