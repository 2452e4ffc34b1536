import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Command } from "commander";
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

/**
 * The environment with the variables of `--env-file`, in the syntax of Node's own flag. A variable that the environment
 * has already keeps its value there, as with Node. Node looks for the file wherever the flag stands, and ends with 9
 * before we start if it cannot read it; its variables it sets only for a flag before the script.
 */
async function withEnvFile(file: string, { env, cwd }: Pick<Io, "env" | "cwd">) {
  return { ...parseEnv(await readFile(resolve(cwd, file), "utf8")), ...env };
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
