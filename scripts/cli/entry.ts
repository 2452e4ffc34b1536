#!/usr/bin/env node
import { dirname, join, relative } from "node:path";
import { fileProblem } from "../files.ts";
import type { Io } from "../io.ts";
import { quotedForShell } from "../report/text.ts";
import { main, reportFailure } from "./main.ts";

// As an entry it uses `process`: it passes the parts to `main` and sets the exit code.
const interruption = new AbortController();
const signals: readonly (string | symbol)[] = ["SIGINT", "SIGTERM", "SIGHUP"];

for (const signal of signals) {
  process.on(signal, () => {
    // The first signal ends the run and writes its results; the second one ends the process at once.
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort(new Error("interrupted"));
  });
}
// Listeners of libraries for these events would end the process before the results are written, or with the
// exit code of a failed target.
const ourEvents: readonly (string | symbol)[] = [...signals, "unhandledRejection"];
process.on("newListener", (event, listener) => {
  if (ourEvents.includes(event)) queueMicrotask(() => process.off(event, listener));
});
// An error that nothing caught, including an unhandled rejection.
process.on("uncaughtException", (error) => {
  process.exit(reportFailure(error, process));
});
// npm runs us in a shell, which ends at SIGTERM without forwarding it: its end counts as the signal.
if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) interruption.abort(new Error("npm ended"));
  }, 250);
  watch.unref();
}
// Warnings that users need not know: a config file without "type": "module" in package.json, and, in the
// first releases of Node 24, SQLite and TypeScript.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if ("code" in warning && warning.code === "MODULE_TYPELESS_PACKAGE_JSON") return;
  if (warning.name === "ExperimentalWarning") return;
  process.stderr.write(`${warning.name}: ${warning.message}\n`);
});
// A pipe that closes early (`… | head`) is no error. A full device is: a run that lost output must not exit with 0.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  const { what } = fileProblem(error, "stdout") ?? { what: error.message };
  process.stderr.write(`shelfcheck: The output could not be written: ${what}: stdout\n`);
  process.on("exit", (code) => {
    if (code === 0 || code === 4) process.exitCode = 3;
  });
});
process.stderr.on("error", () => undefined);

const [, path = "", ...args] = process.argv;
const isOutside = relative(join(dirname(path), "..", ".."), process.cwd()).startsWith("..");
// Hints name `npx shelfcheck`, which finds a clone only from inside it. JSON and Markdown are for others.
const isTyped = isOutside && process.env.npm_command === undefined && /\.[cm]?[jt]s$/.test(path);
const isForOthers = args.includes("--json") || args.includes("--markdown");

function shown(output: NodeJS.WriteStream): Io["stdout"] {
  if (!isTyped || isForOthers) return output;
  const { isTTY, columns } = output;
  const start = `node ${quotedForShell(path)}`;
  return { isTTY, columns, write: (text) => output.write(text.replaceAll("npx shelfcheck", start)) };
}

process.exitCode = await main(args, {
  env: { ...process.env },
  hideFromChildProcesses: (names) => {
    for (const name of names) delete process.env[name];
  },
  cwd: process.cwd(),
  nodeVersion: process.versions.node,
  stdout: shown(process.stdout),
  stderr: shown(process.stderr),
  now: () => new Date(),
  signal: interruption.signal,
});
// Output that nobody reads from a pipe would keep the process alive for ever.
if (interruption.signal.aborted) endSoon();
else interruption.signal.addEventListener("abort", endSoon);

/** Ends the process in two seconds, unless it has ended by itself. */
function endSoon(): void {
  setTimeout(() => process.exit(), 2000).unref();
}
