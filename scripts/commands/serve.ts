import { once } from "node:events";
import type { Command } from "commander";
import { CatalogueError } from "../../service/catalogue/import.ts";
import {
  type ChangeEntry,
  listChanges,
  type RunningService,
  type ServiceOptions,
  startService,
  UnknownChangeError,
} from "../../service/start.ts";

import { DatabaseError } from "../../service/store/database.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { CannotRunError, UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { defineCommand } from "./command.ts";
import { positiveNumber, wholeNumber } from "./flags.ts";

interface ServeFlags {
  readonly port?: number;
  readonly products?: number;
  readonly seed?: number;
  readonly rate?: number;
  readonly burst?: number;
  readonly db?: string;
  readonly catalogue?: string;
  readonly variant?: readonly string[];
  readonly fault?: readonly string[];
  readonly list?: boolean;
  readonly json?: boolean;
}

/** `serve`: the reference service, until Ctrl-C or SIGTERM. */
export const serve = defineCommand<ServeFlags>({
  flags: (command) => withServiceFlags(command),
  run: async (flags, io) => {
    if (flags.list === true) {
      io.stdout.write(
        flags.json === true ? `${JSON.stringify(listChanges(), null, 2)}\n` : renderChanges(listChanges()),
      );
      return 0;
    }
    const service = await start(flags, io);
    const { primary, sameOrg, otherOrg } = service.keys;
    const keys = { primary, same_org: sameOrg, other_org: otherOrg };
    io.stdout.write(
      `${JSON.stringify({ base_url: service.baseUrl, keys, categories: service.categories })}\n`,
    );
    if (!io.signal.aborted) await once(io.signal, "abort");
    await service.stop();
    return 0;
  },
});

function withServiceFlags(command: Command): Command {
  return command
    .option("--port <n>", "port on 127.0.0.1; 0 takes a free one (default: 0)", wholeNumber(0, 65_535))
    .option("--products <n>", "size of the made-up catalogue (default: 400)", wholeNumber(0))
    .option("--seed <n>", "the same number makes the same catalogue (default: 1)", wholeNumber(0))
    .option("--rate <n>", "requests a second that an organization may send (default: 40)", positiveNumber)
    .option("--burst <n>", "requests that it may send at once (default: 200)", wholeNumber(1))
    .option("--db <file>", "keep the catalogue in this SQLite file")
    .option("--catalogue <file>", "take the catalogue from this file instead of making one up")
    .option("--variant <names>", "allowed but unusual choices, separated by commas", names)
    .option("--fault <names>", "break one sentence of the spec each, separated by commas", names)
    .option("--list", "list the variants and faults with the sentence that each concerns")
    .option("--json", "with --list: as JSON");
}

function names(text: string, previous: readonly string[] = []): string[] {
  return [...previous, ...text.split(",").flatMap((name) => name.trim() || [])];
}

async function start({ list, json, variant, fault, ...rest }: ServeFlags, io: Io): Promise<RunningService> {
  const options: ServiceOptions = {
    ...rest,
    ...(variant === undefined ? {} : { variants: variant }),
    ...(fault === undefined ? {} : { faults: fault }),
    log: (line) => {
      io.stderr.write(`${line}\n`);
    },
  };
  try {
    return await startService(options);
  } catch (error) {
    throw explained(error, rest.port);
  }
}

function explained(error: unknown, port: number | undefined): unknown {
  if (error instanceof UnknownChangeError) {
    return new UsageError(
      {
        what: `There is no ${error.kind} ${JSON.stringify(error.name)}`,
        where: `--${error.kind}`,
        mend: `${didYouMean(error.name, error.known)} shelfcheck serve --list shows all.`,
      },
      { cause: error },
    );
  }
  if (error instanceof DatabaseError) {
    return new UsageError(
      { what: "The database cannot be used", where: "--db", mend: error.message },
      { cause: error },
    );
  }
  if (error instanceof CatalogueError) {
    return new UsageError(
      { what: "The catalogue cannot be imported", where: "--catalogue", mend: error.message },
      { cause: error },
    );
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE" || code === "EACCES") {
    const what = code === "EADDRINUSE" ? "The port is in use" : "The port may not be opened by this user";
    return new CannotRunError(
      { what, where: `--port ${port}`, mend: "Name another, or leave --port out to get a free one." },
      { cause: error },
    );
  }
  return error;
}

function renderChanges(variants: readonly ChangeEntry[]): string {
  const width = Math.max(...variants.map(({ name }) => name.length));
  const groups = [...Map.groupBy(variants, ({ kind }) => kind)].map(([kind, group]) =>
    [
      `${kind}s`,
      ...group.map(({ name, section, sentence }) => `  ${name.padEnd(width)}  ${section}: ${sentence}`),
    ].join("\n"),
  );
  return `${groups.join("\n\n")}\n`;
}
