import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";

/** The file that many tools read without being asked. We read it only with `--env-file`, and mention it otherwise. */
export const customaryEnvFile = ".env";

/**
 * The environment with the variables of `--env-file`, in the syntax of Node's own flag. A variable that the environment
 * has already keeps its value there, as with Node. Node looks for the file too, wherever the flag stands, and ends with 9
 * without one; a path that Node finds and that cannot be read ends here.
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
        where: `--env-file ${file}`,
        fix: "Correct the path. It is relative to the current folder.",
      },
      { cause: error },
    );
  }
}
