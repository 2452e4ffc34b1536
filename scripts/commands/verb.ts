import type { Command } from "commander";
import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";

/** One command of the command line: its flags and what it does with them. */
interface VerbDefinition<Flags> {
  /** Adds the flags; their parsed values are `Flags`. */
  readonly flags: (command: Command) => Command;
  readonly run: (flags: Flags, io: Io) => Promise<ExitCode>;
}

/** Puts flags and action to a command; `done` hears the exit code. `argv` is the whole command line, as it came. */
export type Verb = (
  command: Command,
  io: Io,
  done: (exitCode: ExitCode) => void,
  argv: readonly string[],
) => void;

/** Makes a verb of its definition: from here on the type of its flags is its own affair. */
export function defineVerb<Flags extends object>({ flags, run }: VerbDefinition<Flags>): Verb {
  return (command, io, done) => {
    flags(command).action(async (parsed: Flags) => done(await run(parsed, io)));
  };
}
