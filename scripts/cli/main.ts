import type { ExitCode } from "../errors.ts";
import type { Io } from "../io.ts";
import { refuseRemovedWords } from "../refuse-removed.ts";
import { reportFailure } from "./commands/failure.ts";
import { createProgram } from "./registry.ts";

/** Runs the command line `argv` (without node and the script) and returns its exit code; never throws, never exits. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  try {
    refuseRemovedWords(argv);
    const program = await createProgram(argv, { ...io, argv }, (code) => {
      exitCode = code;
    });
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    // After Ctrl-C, any error is a consequence of the interruption.
    if (io.signal.aborted) return 130;
    return reportFailure(error, io);
  }
}
