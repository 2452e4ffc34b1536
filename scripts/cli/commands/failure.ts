import { CommanderError } from "commander";
import { createRedaction } from "../../../schemas/redaction.ts";
import { secretsIn } from "../../config/secrets.ts";
import { CannotRunError, type ExitCode, UsageError } from "../../errors.ts";
import { fileProblem } from "../../files.ts";
import type { Io } from "../../io.ts";
import { plainProse } from "../../report/text.ts";

/** Prints why a command ended without results, and returns its exit code. Prints a stack trace only with SHELFCHECK_DEBUG. */
export function reportFailure(error: unknown, { stderr, env }: Pick<Io, "stderr" | "env">): ExitCode {
  // Commander has already printed its message. Its exit code for help and version is 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UsageError || error instanceof CannotRunError) {
    stderr.write(plainProse(`shelfcheck: ${error.what}: ${error.where}\n${error.fix}\n`));
    return error.exitCode;
  }
  const refused = fileProblem(error);
  if (refused !== undefined) {
    stderr.write(`shelfcheck: ${refused.what}: ${refused.where}\n${refused.fix}\n`);
    return 3;
  }
  // The message may contain anything, and the config that names the key variables may not have been read.
  const { redact, excerpt } = createRedaction(secretsIn(env));
  const message = String(error instanceof Error ? error.message : error);
  stderr.write(`shelfcheck: Internal error: ${excerpt(message, longestMessage)}\n`);
  stderr.write(
    "This is a bug in shelfcheck, not in the target: please report it. SHELFCHECK_DEBUG=1 prints the stack trace.\n",
  );
  if (env.SHELFCHECK_DEBUG && error instanceof Error) stderr.write(`${redact(error.stack ?? "")}\n`);
  return 3;
}

const longestMessage = 1000;
