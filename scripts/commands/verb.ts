import type { Command } from "commander";
import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";

/** One command of the command line: its flags and what it does with them. */
export interface Verb<Flags> {
  readonly name: string;
  readonly summary: string;
  /** Adds the flags; their parsed values are `Flags`. */
  readonly flags: (command: Command) => Command;
  readonly run: (flags: Flags, io: Io) => Promise<ExitCode>;
}
