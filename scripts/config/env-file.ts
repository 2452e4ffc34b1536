import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";

/** The file that many tools read without being asked. We read it only with `--variables`, and mention it otherwise. */
export const customaryEnvFile = ".env";

/**
 * The environment with the variables of `--variables`, in the syntax of Node's `--env-file`. A variable that the environment
 * has already keeps its value there, as with Node.
 *
 * @throws UsageError when the file cannot be read.
 */
export async function withEnvFile(file: string, { env, cwd }: Pick<Io, "env" | "cwd">) {
  try {
    return { ...parseEnv(await readFile(resolve(cwd, file), "utf8")), ...env };
  } catch (error) {
    throw new UsageError(
      {
        what: "The file with environment variables cannot be read",
        where: `--variables ${file}`,
        fix: "Correct the path. It is relative to the current folder.",
      },
      { cause: error },
    );
  }
}
