import type { Command } from "commander";
import type { ServiceOptions } from "../../../service/start.ts";
import type { Settings } from "../../config/settings.ts";
import type { Additions } from "../../core/added.ts";
import type { ExitCode } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { Run } from "../../runs/stages/record.ts";

/** What a command is made of. */
export interface CommandDefinition<Flags> {
  /** Adds the flags, which commander parses into `Flags`, and the arguments. */
  readonly flags: (command: Command) => Command;
  /** Resolves to the exit code. */
  readonly run: (
    flags: Flags,
    io: Io,
    operands: readonly string[],
    additions: readonly Addition[],
  ) => Promise<ExitCode>;
}

/** A command as the help of the program shows it. */
export interface RegisteredCommand {
  readonly summary: string;
  /** Imported only when the command is used: the suite takes a good part of a second to load. */
  readonly load: () => Promise<CommandDefinition<never>>;
}

/** What a gate judges, before it begins. */
export interface GateToBegin {
  readonly settings: Settings;
  readonly io: Io;
  /** It judges some of the requirements only. */
  readonly isPartial: boolean;
}

/** What a capability knows of a check, or of a requirement on clients, in sentences. */
export type Explains = (id: string) => readonly string[];

/** What a capability adds to a command of the core. It declares the type of its own flags. */
export interface Addition {
  readonly flags?: (command: Command) => Command;
  /** What the command does instead if a flag says so; otherwise undefined. */
  instead?(flags: object, io: Io): Promise<ExitCode | undefined>;
  /** For gate: what is done when conformance has ended; undefined if no flag asks for it. */
  begin?(flags: object, gate: GateToBegin): Promise<((run: Run) => void) | undefined>;
  /** For serve: in what the reference service is changed. */
  changes?(flags: object): Partial<ServiceOptions>;
  /** For explain. */
  readonly explains?: Explains;
}

interface ToCommands {
  readonly commands?: Readonly<Record<string, RegisteredCommand>>;
  /** By the command of the core that it adds to. */
  readonly adds?: Readonly<Partial<Record<"gate" | "load" | "serve" | "explain", () => Promise<Addition>>>>;
}

/** One folder beside the core, with all that it adds. */
export interface Capability extends Additions, ToCommands {}

/** Of a capability. By its type, the declarations of the package have its contract, and no command. */
export function door<Own extends Additions>(own: Own, commands: ToCommands): Own {
  return { ...own, ...commands };
}

/** What a command prints on stdout: a value as JSON for `--json`, otherwise a text. */
export interface Printed {
  readonly value: unknown;
  readonly text: () => string;
}

export function print({ stdout }: Pick<Io, "stdout">, json: boolean | undefined, { value, text }: Printed) {
  stdout.write(json === true ? `${JSON.stringify(value, null, 2)}\n` : text());
}
