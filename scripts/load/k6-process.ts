import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { readFindingLine } from "../../scenarios/lib/log.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";
import { CannotRunError } from "../errors.ts";
import { run } from "./k6/child-process.ts";
import { type Supervisor, watch } from "./supervision.ts";

/** How k6 ended, with the relevant messages of its log. */
export interface K6Exit {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined;
  /** The signal that ended it, if one did. */
  readonly signal?: NodeJS.Signals | undefined;
  readonly interrupted: boolean;
  /** Why the supervisor stopped it early, if it did. */
  readonly stopped?: Finding | undefined;
  /** It was ended early because it had found what it was sent for. Default: false */
  readonly finished?: boolean | undefined;
  /** Findings that the script reported, such as why its setup ended the run. */
  readonly reported: readonly Finding[];
  /** The first few messages of level error. */
  readonly errors: readonly string[];
}

export interface K6Start {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Applied to every message before it is logged or passed on. */
  readonly redaction: TextRedaction;
  readonly signal?: AbortSignal | undefined;
  /** Stops it early when it exceeds its limits. */
  readonly supervisor: Supervisor;
  /** Called with each message as it arrives. */
  readonly onMessage?: (message: string) => void;
}

/** Time that k6 gets after an interruption to finish running iterations and write its summary. */
const graceMilliseconds = 20_000;
const mostLogBytes = 8 * 1024 * 1024;
const errorsKept = 5;

/**
 * Runs k6 until it ends, and writes its redacted log to a file. An abort sends SIGINT once, which ends the run gracefully,
 * then SIGKILL if that takes too long.
 *
 * @throws CannotRunError when the binary cannot be started.
 */
export async function runK6(start: K6Start): Promise<K6Exit> {
  const { supervisor } = start;
  const log = createWriteStream(start.logFile);
  // On a full disk, the run continues without its log. The results report the full disk, and the verdict is printed.
  log.on("error", () => undefined);
  const errors: string[] = [];
  const reported: Finding[] = [];
  let bytes = 0;
  let unwatch: (() => void) | undefined;
  const write = (level: string, message: string) => {
    const clean = start.redaction.redact(message);
    const finding = readFindingLine(clean);
    if (finding !== undefined) reported.push(finding);
    else if (level === "error" && errors.length < errorsKept) errors.push(clean);
    start.onMessage?.(clean);
    if (bytes > mostLogBytes) return;
    const text = `${level} ${clean}\n`;
    bytes += Buffer.byteLength(text);
    log.write(bytes > mostLogBytes ? "warning the log was truncated here: it is too large\n" : text);
  };
  try {
    const ended = await run(start.path, start.args, {
      env: start.env,
      signal: AbortSignal.any([start.signal, supervisor.stop].filter((signal) => signal !== undefined)),
      kill: supervisor.kill,
      endsWithUs: true,
      // k6 has its own process group, so Ctrl-C at a terminal reaches it only through this signal. A second SIGINT would
      // make it drop its summary.
      endSignal: "SIGINT",
      graceMilliseconds,
      onStart: (pid) => {
        unwatch = watch(pid, supervisor.look);
      },
      onLine: (stream, line) => write(...(stream === "stderr" ? parseLogLine(line) : outputLine(line))),
    });
    if (ended.kind !== "exited") {
      throw new CannotRunError({
        what: "k6 could not be started",
        where: start.path,
        fix: "Check K6_BIN. To see which k6 is used, run: npx shelfcheck doctor",
      });
    }
    return {
      code: ended.code,
      signal: ended.signal,
      interrupted: start.signal?.aborted === true,
      stopped: supervisor.reason,
      finished: supervisor.isFinished,
      reported,
      errors,
    };
  } finally {
    unwatch?.();
    log.end();
    await finished(log).catch(() => undefined);
  }
}

/** Level and message of a line. k6 logs one JSON object per line. */
function parseLogLine(line: string): [level: string, message: string] {
  try {
    const entry = JSON.parse(line) as { level?: unknown; msg?: unknown };
    if (typeof entry.msg === "string") return [String(entry.level ?? "info"), entry.msg];
  } catch {
    // Not JSON: a panic, or a line written before logging was set up.
  }
  return outputLine(line);
}

function outputLine(line: string): [level: string, message: string] {
  return ["output", line];
}
