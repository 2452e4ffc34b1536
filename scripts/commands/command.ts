import type { Command } from "commander";
import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";

/** Puts flags and action to a command; `done` hears the exit code. `argv` is the whole command line, as it came. */
export type CommandEntry = (
  command: Command,
  io: Io,
  done: (exitCode: ExitCode) => void,
  argv: readonly string[],
) => void;

/** One command: its flags, and what it does with them. */
interface CommandDefinition<Flags> {
  /** Adds the flags; their parsed values are `Flags`. */
  readonly flags: (command: Command) => Command;
  readonly run: (flags: Flags, io: Io) => Promise<ExitCode>;
}

/** Makes an entry of a definition, so that the type of its flags stays in the file that declares them. */
export function defineCommand<Flags extends object>({ flags, run }: CommandDefinition<Flags>): CommandEntry {
  return (command, io, done) => {
    flags(command).action(async (parsed: Flags) => done(await run(parsed, io)));
  };
}
