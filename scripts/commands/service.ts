import { runAdmin } from "../../service/admin/run.ts";
import type { ExitCode } from "../errors.ts";
import type { Verb } from "./verb.ts";

/** `service`: changes the database of a reference service, running or not. Its words and flags are the service's own. */
export const service: Verb = (command, io, done) => {
  command
    .argument("[words...]", "the command and its operands; --help lists them")
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const exitCode = await runAdmin(words, {
        stdout: (text) => io.stdout.write(text),
        stderr: (text) => io.stderr.write(text),
        now: io.now,
      });
      done(exitCode as ExitCode);
    });
};
