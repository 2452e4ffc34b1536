import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { CatalogueError } from "../catalogue/import.ts";
import { DatabaseError, openDatabase } from "../store/database.ts";
import { AdministrationError, createAdministration } from "./administration.ts";
import { type AdminCommand, adminCommands } from "./commands.ts";

/** Where an admin command writes; `now` is for the times that it notes down. */
export interface AdminIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly now?: () => Date;
}

/**
 * Runs one admin command on the database of a service, which may be running: it follows with its next request.
 * @param argv words after `service`, such as `["grant", "ORGANIZATION", "SLUG", "--db", "FILE"]`.
 * @returns 0 when done; 2 for a wrong command line or a name that is not there; 3 when the database cannot be used.
 */
export async function runAdmin(argv: readonly string[], io: AdminIo): Promise<number> {
  const parsed = parse(argv);
  if (typeof parsed === "string") {
    io.stderr(`${parsed}\n${renderUsage()}`);
    return 2;
  }
  if (parsed.help) {
    io.stdout(renderUsage());
    return 0;
  }
  const { command, db } = parsed;
  if (command.creates !== true && !existsSync(db)) {
    io.stderr(`${db}: there is no such database. Name the file that \`serve --db\` uses.\n`);
    return 2;
  }
  try {
    const database = openDatabase(db);
    try {
      const administration = createAdministration(database, io.now ?? (() => new Date()));
      io.stdout(await command.run({ ...parsed, administration, database }));
      return 0;
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof AdministrationError || error instanceof CatalogueError) {
      io.stderr(`${error.message}\n`);
      return 2;
    }
    if (error instanceof DatabaseError || "errcode" in error) {
      const busy = "errcode" in error && error.errcode === 5;
      const mend = busy ? " Another command writes to it: try again when that is done." : "";
      io.stderr(`${error instanceof DatabaseError ? "" : `${db}: `}${error.message}.${mend}\n`);
      return 3;
    }
    throw error;
  }
}

interface Parsed {
  readonly help: boolean;
  readonly command: AdminCommand;
  readonly operands: readonly string[];
  readonly db: string;
  readonly name: string | undefined;
  readonly label: string | undefined;
  readonly domains: readonly string[];
}

/** What is asked for, or what is wrong with the command line. */
function parse(argv: readonly string[]): Parsed | { help: true; command?: never; db?: never } | string {
  let parsed: ReturnType<typeof parseOptions>;
  try {
    parsed = parseOptions(argv);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { values, positionals } = parsed;
  if (values.help === true) return { help: true };
  const said = positionals.join(" ");
  const command = adminCommands.find(({ words }) => said === words || said.startsWith(`${words} `));
  if (command === undefined) return said === "" ? "Name a command." : `There is no command "${said}".`;
  const operands = positionals.slice(command.words.split(" ").length);
  if (operands.length !== command.operands.length) {
    return `\`${command.words}\` takes ${command.operands.join(" ") || "no argument"}.`;
  }
  if (values.db === undefined) return "Name the database with --db FILE.";
  const { db, name, label, domain = [] } = values;
  return { help: false, command, operands, db, name, label, domains: domain };
}

function parseOptions(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      db: { type: "string" },
      name: { type: "string" },
      label: { type: "string" },
      domain: { type: "string", multiple: true },
      help: { type: "boolean", short: "h" },
    },
  });
}

function renderUsage(): string {
  const lines = adminCommands.map(({ words, operands, options, does }) => {
    const command = [words, ...operands, ...(options === undefined ? [] : [options])].join(" ");
    return `  service ${command.padEnd(58)} ${does}`;
  });
  return `Commands, each with --db FILE:\n${lines.join("\n")}\n`;
}
