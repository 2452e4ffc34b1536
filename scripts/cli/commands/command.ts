import type { Command } from "commander";
import type { ExitCode } from "../../errors.ts";
import type { Io } from "../../io.ts";

/** Adds flags and action to a command. The action passes its exit code to `done`. `argv` is the complete command line. */
export type CommandEntry = (
  command: Command,
  io: Io,
  done: (exitCode: ExitCode) => void,
  argv: readonly string[],
) => void;

/** A command as its flags and its action. */
interface CommandDefinition<Flags> {
  /** Adds the flags, which commander parses into `Flags`. */
  readonly flags: (command: Command) => Command;
  readonly run: (flags: Flags, io: Io) => Promise<ExitCode>;
}

/** Converts a definition into an entry, so that the type of the flags is known only in the file of the command. */
export function defineCommand<Flags extends object>({ flags, run }: CommandDefinition<Flags>): CommandEntry {
  return (command, io, done) => {
    flags(command).action(async (parsed: Flags) => done(await run(parsed, io)));
  };
}
