#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { fileProblem } from "./files.ts";
import { main, reportFailure } from "./main.ts";

// The only file that knows the process: it hands its parts in, and sets the exit code.
const interruption = new AbortController();
const signals: readonly (string | symbol)[] = ["SIGINT", "SIGTERM", "SIGHUP"];

for (const signal of signals) {
  process.on(signal, () => {
    // The first asks for an orderly end, with results; the second wants out.
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort(new Error("interrupted"));
  });
}
// A library that listens would end the process on these before the results are written, or with a code that
// would blame the target.
const notForOthers: readonly (string | symbol)[] = [...signals, "unhandledRejection"];
process.on("newListener", (event, listener) => {
  if (notForOthers.includes(event)) queueMicrotask(() => process.off(event, listener));
});
// A mistake of ours that nothing caught; a rejection that nobody awaits ends here too.
process.on("uncaughtException", (error) => {
  process.exit(reportFailure(error, process));
});
// npm hands SIGTERM to the shell between it and us, which dies of it without telling: its death is the signal. A SIGKILL
// of npm leaves the shell alive, so npm is watched as well.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  const npm = npmAbove(parent);
  const watch = setInterval(() => {
    if (process.ppid !== parent || (npm !== undefined && !isAlive(npm))) {
      interruption.abort(new Error("npm ended"));
    }
  }, 250);
  watch.unref();
}

/** The process that started our parent, when that is the shell of npm. Known where the system has /proc. */
function npmAbove(parent: number): number | undefined {
  try {
    const [, name, rest = ""] =
      /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${parent}/stat`, "utf8")) ?? [];
    return /^(ba|da|a|k|z)?sh$/.test(name ?? "") ? Number(rest.split(" ")[1]) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not ours to signal, but there.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
// Nothing to bother a user with: Node warns of a config file whose package.json does not say "module", and the first
// releases of Node 24 of SQLite and of a config in TypeScript.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if ("code" in warning && warning.code === "MODULE_TYPELESS_PACKAGE_JSON") return;
  if (warning.name === "ExperimentalWarning") return;
  process.stderr.write(`${warning.name}: ${warning.message}\n`);
});
// A pipe that is closed early (`shelfcheck … | head`) is no failure of ours. A full device is: what nobody could read
// must not look like success.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  const { what } = fileProblem(error, "stdout") ?? { what: error.message };
  process.stderr.write(`shelfcheck: The output could not be written: ${what}: stdout\n`);
  process.on("exit", (code) => {
    if (code === 0 || code === 4) process.exitCode = 3;
  });
});
process.stderr.on("error", () => undefined);

process.exitCode = await main(process.argv.slice(2), {
  env: { ...process.env },
  hideFromPrograms: (names) => {
    for (const name of names) delete process.env[name];
  },
  cwd: process.cwd(),
  nodeVersion: process.versions.node,
  stdin: () => process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
  signal: interruption.signal,
});
