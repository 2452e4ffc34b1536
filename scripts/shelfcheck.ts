#!/usr/bin/env node
import { main } from "./main.ts";

// The only file that knows the process: it hands its parts in, and sets the exit code.
const interruption = new AbortController();

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // The first asks for an orderly end, with results; the second wants out.
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort(new Error(`stopped by ${signal}`));
  });
}
// A pipe that is closed early (`shelfcheck … | head`) is no failure of ours.
process.stdout.on("error", () => undefined);

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
  signal: interruption.signal,
});
