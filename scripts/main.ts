import type { ExitCode } from "./errors.ts";
import { reportFailure } from "./failure.ts";
import type { Io } from "./io.ts";
import { createProgram } from "./program.ts";

/** Runs the command line `argv` (without node and the script) and returns its exit code; never throws, never exits. */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  try {
    const program = await createProgram(argv, io, (code) => {
      exitCode = code;
    });
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    // Whatever a command trips over after Ctrl-C is the interruption, not a failure of its own.
    if (io.signal.aborted) return 130;
    return reportFailure(error, io);
  }
}
