import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { readFindingLine } from "../../scenarios/lib/log.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";
import type { Finding } from "../../schemas/types.ts";
import { CannotRunError } from "../errors.ts";
import { runToEnd } from "./k6/run.ts";
import type { Supervisor } from "./supervision.ts";

/** How k6 ended, with the lines of its log that matter. */
export interface K6Exit {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined;
  /** The signal that ended it, if one did. */
  readonly signal?: NodeJS.Signals | undefined;
  readonly interrupted: boolean;
  /** Why we ended it before its time, if we did. */
  readonly stopped?: Finding | undefined;
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
  readonly redaction: TextRedaction;
  readonly signal?: AbortSignal | undefined;
  /** What ends it before its time. */
  readonly supervisor?: Supervisor | undefined;
  /** Each message of the log, as it comes. */
  readonly onMessage?: (level: string, message: string) => void;
  readonly onStart?: (pid: number) => void;
}

/** After an interruption k6 lets iterations under way end and writes its summary; then it is killed. */
const graceMilliseconds = 20_000;
/** The level of what is printed beside k6's log: a program that only prints shows no sign that it loads a target. */
const printed = "output";
const mostLogBytes = 8 * 1024 * 1024;
const errorsKept = 5;

/**
 * Runs k6 until it ends. Its log goes to a file, without keys. An abort sends SIGINT once, which ends
 * the run gracefully, and SIGKILL when that takes too long.
 *
 * @throws CannotRunError when the binary cannot be started.
 */
export async function runK6(start: K6Start): Promise<K6Exit> {
  const { supervisor } = start;
  const log = createWriteStream(start.logFile);
  // On a full disk the run goes on without its log: the results say that the disk is full, and the verdict is printed.
  log.on("error", () => undefined);
  const errors: string[] = [];
  const reported: Finding[] = [];
  let bytes = 0;
  const write = (level: string, message: string) => {
    if (level !== printed) supervisor?.alive();
    const clean = start.redaction.redact(message);
    const finding = readFindingLine(clean);
    if (finding !== undefined) reported.push(finding);
    else if (level === "error" && errors.length < errorsKept) errors.push(clean);
    start.onMessage?.(level, clean);
    if (bytes > mostLogBytes) return;
    const text = `${level} ${clean}\n`;
    bytes += Buffer.byteLength(text);
    log.write(bytes > mostLogBytes ? "warning the log was truncated here: it is too large\n" : text);
  };
  try {
    const ended = await runToEnd(start.path, start.args, {
      env: start.env,
      signal: AbortSignal.any([start.signal, supervisor?.stop].filter((signal) => signal !== undefined)),
      kill: supervisor?.kill,
      endsWithUs: true,
      // In a process group of its own, Ctrl-C at a terminal reaches k6 once, from us: a second SIGINT makes it drop its summary.
      endSignal: "SIGINT",
      graceMilliseconds,
      ...(start.onStart === undefined ? {} : { onStart: start.onStart }),
      onLine: (stream, line) => write(...(stream === "stderr" ? parseLogLine(line) : outputLine(line))),
    });
    if (ended.kind !== "exited") {
      throw new CannotRunError({
        what: "k6 could not be started",
        where: start.path,
        fix: "Check K6_BIN. To see which k6 is used, run: shelfcheck doctor",
      });
    }
    const interrupted = start.signal?.aborted === true;
    return {
      code: ended.code,
      signal: ended.signal,
      interrupted,
      stopped: supervisor?.reason,
      reported,
      errors,
    };
  } finally {
    log.end();
    await finished(log).catch(() => undefined);
  }
}

/** k6 logs a JSON object a line; whatever else it prints is taken as it is. */
function parseLogLine(line: string): [level: string, message: string] {
  try {
    const entry = JSON.parse(line) as { level?: unknown; msg?: unknown };
    if (typeof entry.msg === "string") return [String(entry.level ?? "info"), entry.msg];
  } catch {
    // Not JSON: a panic, or a line from before the log was set up.
  }
  return outputLine(line);
}

function outputLine(line: string): [level: string, message: string] {
  return [printed, line];
}
