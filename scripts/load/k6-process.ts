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
  readonly signal?: NodeJS.Signals | undefined;
  readonly interrupted: boolean;
  /** Why the supervisor stopped it early, if it did. */
  readonly stopped?: Finding | undefined;
  /** It was ended early because it had found what it was sent for. Default: false */
  readonly finished?: boolean | undefined;
  /** Findings that the script reported, such as why its setup ended the run. */
  readonly reported: readonly Finding[];
  /** The first message of level error. */
  readonly error?: string | undefined;
}

interface K6Start {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Applied to every message before it is logged or passed on. */
  readonly redaction: TextRedaction;
  readonly signal?: AbortSignal | undefined;
  readonly supervisor: Supervisor;
  readonly onMessage?: (message: string) => void;
}

/** Time that k6 gets after an interruption to finish running iterations and write its summary. */
const graceMilliseconds = 20_000;
const mostLogBytes = 8 * 1024 * 1024;

/**
 * Runs k6 until it ends, with its redacted log in a file. An abort sends SIGINT once, which ends the run
 * gracefully, then SIGKILL if that takes too long.
 * @throws CannotRunError when the binary cannot be started.
 */
export async function runK6(start: K6Start): Promise<K6Exit> {
  const { path, args, env, redaction, signal, supervisor } = start;
  const log = createWriteStream(start.logFile);
  // On a full disk the run goes on without its log. The results report it, and the verdict is printed.
  log.on("error", () => undefined);
  let error: string | undefined;
  const reported: Finding[] = [];
  let bytes = 0;
  let unwatch: (() => void) | undefined;
  const onLine = (stream: "stdout" | "stderr", line: string) => {
    const { level = "output", msg } = stream === "stderr" ? entryOf(line) : { msg: line };
    const message = redaction.redact(msg);
    const finding = readFindingLine(message);
    if (finding !== undefined) reported.push(finding);
    else if (level === "error") error ??= message;
    start.onMessage?.(message);
    if (bytes > mostLogBytes) return;
    const text = `${level} ${message}\n`;
    bytes += Buffer.byteLength(text);
    log.write(bytes > mostLogBytes ? "warning the log was truncated here: it is too large\n" : text);
  };
  try {
    const ended = await run(path, args, {
      env,
      signal: AbortSignal.any([supervisor.stop, ...(signal === undefined ? [] : [signal])]),
      kill: supervisor.kill,
      endsWithUs: true,
      // In its own process group, k6 gets Ctrl-C only by this signal. At a second one it drops its summary.
      endSignal: "SIGINT",
      graceMilliseconds,
      onStart: (pid) => {
        unwatch = watch(pid, supervisor.look);
      },
      onLine,
    });
    if (ended.kind === "exited") {
      const { code, signal: endedBy } = ended;
      const interrupted = signal?.aborted === true;
      return { code, signal: endedBy, interrupted, ...supervisor.ending, reported, error };
    }
  } finally {
    unwatch?.();
    log.end();
    await finished(log).catch(() => undefined);
  }
  throw new CannotRunError({
    what: "k6 could not be started",
    where: path,
    fix: "Check K6_BIN. To see which k6 is used, run: npx shelfcheck doctor",
  });
}

/** k6 logs each line as a JSON object, but not a panic, nor what comes before logging is set up. */
function entryOf(line: string): { readonly level?: string; readonly msg: string } {
  try {
    const entry = JSON.parse(line) as { level?: string; msg?: unknown };
    return typeof entry.msg === "string" ? { level: "info", ...entry, msg: entry.msg } : { msg: line };
  } catch {
    return { msg: line };
  }
}
