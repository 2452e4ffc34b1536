import type { Command } from "commander";
import { withEnvFile } from "../../config/env-file.ts";
import type { ExitCode } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { Addition, CommandEntry } from "./capability.ts";

interface CommandDefinition<Flags> {
  /** Adds the flags, which commander parses into `Flags`, and the arguments. */
  readonly flags: (command: Command) => Command;
  readonly run: (
    flags: Flags,
    io: Io,
    operands: readonly string[],
    additions: readonly Addition[],
  ) => Promise<ExitCode>;
}

/** Converts a definition into an entry, so that the type of the flags is known only in the file of the command. */
export function defineCommand<Flags extends object>({ flags, run }: CommandDefinition<Flags>): CommandEntry {
  return (command, io, done, additions) => {
    const own = additions.reduce((all, addition) => addition.flags?.(all) ?? all, flags(command));
    own.action(async () => {
      const { envFile } = own.opts<{ envFile?: string }>();
      const here = { ...io, env: envFile === undefined ? io.env : await withEnvFile(envFile, io) };
      for (const { instead } of additions) {
        const exitCode = await instead?.(own.opts(), here);
        if (exitCode !== undefined) return done(exitCode);
      }
      done(await run(own.opts<Flags>(), here, own.args, additions));
    });
  };
}

/** What a command prints on stdout: a value as JSON for `--json`, otherwise a text. */
export function print(
  { stdout }: Pick<Io, "stdout">,
  {
    json,
    value,
    text,
  }: { readonly json: boolean | undefined; readonly value: unknown; readonly text: () => string },
): void {
  stdout.write(json === true ? `${JSON.stringify(value, null, 2)}\n` : text());
}
