import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { readFindingLine } from "../../scenarios/lib/log.ts";
import type { Redaction } from "../../schemas/redaction.ts";
import type { Finding } from "../../schemas/types.ts";
import { CannotRunError } from "../errors.ts";

/** How k6 ended, with the lines of its log that matter. */
export interface K6Exit {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined;
  /** The signal that ended it, if one did. */
  readonly signal?: NodeJS.Signals | undefined;
  readonly interrupted: boolean;
  /** What the script itself reported, such as why its setup ended the run. */
  readonly reported: readonly Finding[];
  /** Messages of level error, the first few. */
  readonly errors: readonly string[];
}

export interface K6Start {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Every message goes through it before it is logged or handed on. */
  readonly redaction: Redaction;
  readonly signal?: AbortSignal | undefined;
  /** Each message of the log, as it comes. */
  readonly onMessage?: (level: string, message: string) => void;
  readonly onStart?: (pid: number) => void;
}

/** After an interruption k6 lets iterations under way end and writes its summary; then it is killed. */
const graceMilliseconds = 20_000;
const mostLogLines = 20_000;
const errorsKept = 5;

/**
 * Runs k6 until it ends. Its log goes to a file, without keys. An abort sends SIGINT once, which ends
 * the run gracefully, and SIGKILL when that takes too long.
 *
 * @throws CannotRunError when the binary cannot be started.
 */
export async function runK6(start: K6Start): Promise<K6Exit> {
  // A process group of its own: Ctrl-C at a terminal must reach k6 once, from us. A second SIGINT makes it drop its summary.
  const child = spawn(start.path, start.args, {
    env: start.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  const log = createWriteStream(start.logFile);
  const errors: string[] = [];
  const reported: Finding[] = [];
  let lines = 0;
  const write = (level: string, message: string) => {
    const clean = start.redaction.redact(message);
    const finding = readFindingLine(clean);
    if (finding !== undefined) reported.push(finding);
    else if (level === "error" && errors.length < errorsKept) errors.push(clean);
    start.onMessage?.(level, clean);
    lines += 1;
    if (lines < mostLogLines) log.write(`${level} ${clean}\n`);
    else if (lines === mostLogLines) log.write("warning the log ends here: too many lines\n");
  };
  const reading = Promise.all([
    readLines(child.stderr, (line) => write(...parseLogLine(line))),
    readLines(child.stdout, (line) => write("output", line)),
  ]);
  const release = stopWith(child, start.signal);
  try {
    if (child.pid !== undefined) start.onStart?.(child.pid);
    const end = await ended(child, start.path);
    await reading;
    return { ...end, interrupted: start.signal?.aborted === true, reported, errors };
  } finally {
    release();
    log.end();
    await finished(log).catch(() => undefined);
  }
}

function ended(child: ChildProcess, path: string): Promise<Pick<K6Exit, "code" | "signal">> {
  return new Promise((resolve, reject) => {
    child.once("close", (code, signal) =>
      resolve({ code: code ?? undefined, ...(signal === null ? {} : { signal }) }),
    );
    child.once("error", (cause) =>
      reject(
        new CannotRunError(
          { what: "k6 could not be started", where: path, mend: "Check K6_BIN, or run `shelfcheck doctor`." },
          { cause },
        ),
      ),
    );
  });
}

/** Ties the child to the signal and to our own life; the returned function unties it. */
function stopWith(child: ChildProcess, signal: AbortSignal | undefined): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    child.kill("SIGINT");
    timer = setTimeout(() => child.kill("SIGKILL"), graceMilliseconds);
  };
  const kill = () => child.kill("SIGKILL");
  if (signal?.aborted === true) interrupt();
  signal?.addEventListener("abort", interrupt, { once: true });
  process.once("exit", kill);
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", interrupt);
    process.off("exit", kill);
  };
}

async function readLines(stream: Readable, take: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: stream })) take(line);
}

/** k6 logs a JSON object a line; whatever else it prints is taken as it is. */
function parseLogLine(line: string): [level: string, message: string] {
  try {
    const entry = JSON.parse(line) as { level?: unknown; msg?: unknown };
    if (typeof entry.msg === "string") return [String(entry.level ?? "info"), entry.msg];
  } catch {
    // Not JSON: a panic, or a line from before the log was set up.
  }
  return ["output", line];
}
