import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Io } from "../io.ts";

/** The file that many tools read without being asked. We read it only with `--env-file`, and mention it otherwise. */
export const customaryEnvFile = ".env";

/**
 * The environment with the variables of `--env-file`, in the syntax of Node's own flag. A variable that the environment
 * has already keeps its value there, as with Node. Node looks for the file wherever the flag stands, and ends with 9
 * before we start if it cannot read it; its variables it sets only for a flag before the script.
 */
export async function withEnvFile(file: string, { env, cwd }: Pick<Io, "env" | "cwd">) {
  return { ...parseEnv(await readFile(resolve(cwd, file), "utf8")), ...env };
}
