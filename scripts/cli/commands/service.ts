import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Command } from "commander";
import { Administration, AdministrationError } from "../../../service/administration.ts";
import { DatabaseError, openDatabase } from "../../../service/catalog/database.ts";
import { CatalogError, importCatalog } from "../../../service/catalog/import.ts";
import { CannotRunError, type ExitCode, UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { CommandEntry } from "./command.ts";
import { collect } from "./flags.ts";

/** What a subcommand works with: its arguments, its flags, and the database of `--db`. */
interface Task {
  readonly administration: Administration;
  readonly database: DatabaseSync;
  readonly operands: readonly string[];
  readonly flags: { readonly name?: string; readonly label?: string; readonly domain?: readonly string[] };
}

/** A subcommand of `service`. `run` returns the text for stdout. */
interface ServiceCommand {
  readonly summary: string;
  readonly flags?: (command: Command) => Command;
  /** Whether the subcommand may create the database. */
  readonly creates?: true;
  readonly run: (task: Task) => string | Promise<string>;
}

const jsonLines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** Subcommands by subject, then by name with arguments. Those without a subject are under "". */
const commands: Readonly<Record<string, Readonly<Record<string, ServiceCommand>>>> = {
  "": {
    "import <file>": {
      summary: "import a catalog (NDJSON); if it has a mistake, nothing is imported",
      creates: true,
      async run({ database, operands: [file = ""] }) {
        const { retailers, products } = await importCatalog(database, file);
        return `${retailers} retailers and ${products} products imported\n`;
      },
    },
    "grant <organization> <slug>": {
      summary: "entitle an organization to a retailer",
      run({ administration, operands: [organization = "", slug = ""] }) {
        administration.grant(organization, slug);
        return "granted\n";
      },
    },
    "revoke <organization> <slug>": {
      summary: "withdraw an organization's entitlement to a retailer",
      run({ administration, operands: [organization = "", slug = ""] }) {
        administration.revoke(organization, slug);
        return "revoked\n";
      },
    },
    "accept-terms <organization>": {
      summary: "record that an organization has accepted the terms, which activates its keys",
      run({ administration, operands: [organization = ""] }) {
        administration.acceptTerms(organization);
        return "terms accepted\n";
      },
    },
  },
  organization: {
    "add <name>": {
      summary: "add an organization that has no retailers and has not accepted the terms",
      run({ administration, operands: [name = ""] }) {
        administration.addOrganization(name);
        return "organization added: accept-terms makes its keys active\n";
      },
    },
    list: {
      summary: "list organizations with their retailers",
      run: ({ administration }) => jsonLines(administration.listOrganizations()),
    },
  },
  retailer: {
    "add <slug>": {
      summary: "add a retailer, or change its name and domains",
      flags: (command) =>
        command
          .option("--name <name>", "display name (default: the slug)")
          .option("--domain <host>", "host name; may be repeated", collect),
      run({ administration, operands: [slug = ""], flags: { name = slug, domain = [] } }) {
        administration.addRetailer(slug, name, domain);
        return "retailer added: grant it to an organization\n";
      },
    },
    "disable <slug>": {
      summary: "hide a retailer from every organization temporarily",
      run({ administration, operands: [slug = ""] }) {
        administration.setDisabled(slug, true);
        return "retailer disabled\n";
      },
    },
    "enable <slug>": {
      summary: "show a hidden retailer again",
      run({ administration, operands: [slug = ""] }) {
        administration.setDisabled(slug, false);
        return "retailer enabled\n";
      },
    },
    list: {
      summary: "list retailers",
      run: ({ administration }) => jsonLines(administration.listRetailers()),
    },
  },
  key: {
    "issue <organization>": {
      summary: "create a key and print it; it cannot be shown again",
      flags: (command) => command.option("--label <text>", "label shown by key list (default: issued)"),
      run({ administration, operands: [organization = ""], flags: { label = "issued" } }) {
        return `${JSON.stringify(administration.issueKey(organization, label))}\n`;
      },
    },
    "revoke <id>": {
      summary: "invalidate a key",
      run({ administration, operands: [id = ""] }) {
        administration.revokeKey(Number(id));
        return "key revoked\n";
      },
    },
    list: {
      summary: "list keys by id and label; the keys themselves are not stored",
      run: ({ administration }) => jsonLines(administration.listKeys()),
    },
  },
};

/** `service`: changes the database of a reference service. A running service uses the change from its next request on. */
export const service: CommandEntry = (command, io, done) => {
  command.requiredOption("--db <file>", "SQLite file, the same as for serve --db");
  for (const [subject, its] of Object.entries(commands)) {
    const names = Object.keys(its).map((usage) => usage.split(" ")[0]);
    const parent =
      subject === "" ? command : command.command(subject).description(`${subject}s: ${names.join(", ")}`);
    for (const [usage, definition] of Object.entries(its)) {
      const leaf = parent.command(usage).description(definition.summary);
      (definition.flags?.(leaf) ?? leaf).action(async () => {
        const { db, ...flags } = leaf.optsWithGlobals<{ db: string } & Task["flags"]>();
        done(await runOn(db, definition, { operands: leaf.args, flags }, io));
      });
    }
  }
};

async function runOn(
  db: string,
  { creates, run }: ServiceCommand,
  input: Pick<Task, "operands" | "flags">,
  io: Io,
): Promise<ExitCode> {
  if (creates !== true && !existsSync(db)) {
    throw new UsageError({
      what: "There is no such database",
      where: db,
      fix: "Correct --db, or create the database: npx shelfcheck serve --db FILE",
    });
  }
  try {
    using database = openDatabase(db);
    io.stdout.write(await run({ ...input, database, administration: new Administration(database, io.now) }));
    return 0;
  } catch (error) {
    throw explainedError(error, db);
  }
}

function explainedError(error: unknown, db: string): unknown {
  const cause = { cause: error };
  if (error instanceof AdministrationError) {
    const fix = `To list what exists: npx shelfcheck service ${error.list} list --db ${db}`;
    return new UsageError({ what: error.message, where: db, fix }, cause);
  }
  if (error instanceof CatalogError) {
    return new UsageError({ what: "The catalog cannot be imported", where: db, fix: error.message }, cause);
  }
  if (error instanceof DatabaseError) {
    return new CannotRunError({ what: "The database cannot be used", where: db, fix: error.message }, cause);
  }
  const sqliteBusy = 5;
  if (error instanceof Error && "errcode" in error) {
    const fix =
      error.errcode === sqliteBusy
        ? "Another command is writing to it. Try again when that command has finished."
        : error.message;
    return new CannotRunError({ what: "The database cannot be changed", where: db, fix }, cause);
  }
  return error;
}
