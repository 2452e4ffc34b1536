import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { curlOf } from "../../conformance/client/evidence.ts";
import { type Redaction, redactionFor } from "../../conformance/client/redaction.ts";
import type { Target } from "../../conformance/client/target.ts";
import { type KeptResponse, readEvidenceLine, readFindingLine } from "../../scenarios/lib/log.ts";
import { teardownSeconds } from "../../scenarios/lib/options.ts";
import { keyHeaders } from "../../schemas/api.ts";
import { headersOf } from "../../schemas/connection.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { isObject, jsonIn } from "../../schemas/json.ts";
import { placeholderOf } from "../../schemas/redaction.ts";
import { requestKinds } from "../../schemas/scenarios.ts";
import { CannotRunError } from "../errors.ts";
import { run } from "./k6/child-process.ts";
import { type Supervisor, watch } from "./supervision.ts";

/** How k6 ended, with the relevant messages of its log. */
export interface K6Exit {
  /** Undefined when a signal ended it. */
  readonly code: number | undefined;
  readonly signal?: NodeJS.Signals | undefined;
  /** shelfcheck killed it, since it did not end in so many seconds. */
  readonly killedAfter?: number | undefined;
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
  /** Its keys are hidden in every message before it is logged or read. */
  readonly target: LoadTarget;
  readonly signal?: AbortSignal | undefined;
  readonly supervisor: Supervisor;
}

/** Time that k6 gets, once asked to end, for the teardown, which waits for the target, and the summary. */
const graceSeconds = teardownSeconds + 15;
const mostLogBytes = 8 * 1024 * 1024;

/**
 * Runs k6 until it ends, with its redacted log in a file. An abort sends SIGINT once, which ends the run
 * gracefully, then SIGKILL if that takes too long.
 * @throws CannotRunError when the binary cannot be started.
 */
export async function runK6(start: K6Start): Promise<K6Exit & { readonly evidence: KeptEvidence[] }> {
  const { path, args, env, target, signal, supervisor } = start;
  const { redact } = redactionFor(target);
  const { kept: evidence, take } = createEvidence(target);
  const log = createWriteStream(start.logFile);
  // On a full disk the run goes on without its log. The results report it, and the verdict is printed.
  log.on("error", () => undefined);
  let error: string | undefined;
  const reported: Finding[] = [];
  let bytes = 0;
  let unwatch: (() => void) | undefined;
  const onLine = (stream: "stdout" | "stderr", line: string) => {
    const { level = "output", msg } = stream === "stderr" ? entryOf(line) : { msg: line };
    const message = redact(msg);
    const finding = readFindingLine(message);
    if (finding !== undefined) reported.push(finding);
    else if (level === "error") error ??= message;
    take(message);
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
      graceMilliseconds: graceSeconds * 1000,
      onStart: (pid) => {
        unwatch = watch(pid, supervisor.look);
      },
      onLine,
    });
    if (ended.kind === "exited") {
      const { code, signal: endedBy, isKilled } = ended;
      const how = { code, signal: endedBy, ...(isKilled ? { killedAfter: graceSeconds } : {}) };
      const interrupted = signal?.aborted === true;
      return { ...how, interrupted, ...supervisor.ending, reported, error, evidence };
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
  const entry = jsonIn(line);
  return isObject(entry) && typeof entry.msg === "string"
    ? { level: "info", ...entry, msg: entry.msg }
    : { msg: line };
}

type KeptEvidence = NonNullable<LoadResult["evidence"]>[number];

const mostKept = 10;
const mostAlike = 2;

/** The target of a load run. The key is passed to k6 in the environment only. */
export type LoadTarget = Pick<Target, "baseUrl" | "keys" | "keyVariables" | "connection">;

/** Responses that violated a rule: at most two of each kind, and ten in all. */
export function createEvidence(target: LoadTarget) {
  const redaction = redactionFor(target);
  const kept: KeptEvidence[] = [];
  const alike = new Map<string, number>();
  return {
    kept,
    /** Takes a message of the k6 log, which may have a response. */
    take(message: string): void {
      const line = readEvidenceLine(message);
      if (line === undefined) return;
      const { code, path } = line.finding;
      const ofStatus = code === "wrong-status" ? line.response.status : "";
      const kind = `${line.request} ${code} ${path ?? ofStatus}`;
      const before = alike.get(kind) ?? 0;
      alike.set(kind, before + 1);
      if (kept.length < mostKept && before < mostAlike) kept.push(evidenceOf(target, redaction, line));
    },
  };
}

function evidenceOf(target: LoadTarget, redaction: Redaction, line: KeptResponse): KeptEvidence {
  const { baseUrl, connection } = target;
  const { keyVariables, placeholders, curl, redactHeaders } = redaction;
  const { request, finding, path, requestBody: body, response, overlapping } = line;
  const sent = {
    method: body === undefined ? "GET" : "POST",
    url: baseUrl + path,
    headers: {
      ...redactHeaders(headersOf(connection)),
      ...line.id,
      [keyHeaders.bearer]: `Bearer ${placeholderOf(keyVariables[line.key ?? "primary"])}`,
      Accept: "application/json",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    body,
  };
  return {
    request,
    finding: { ...finding, endpoint: requestKinds[request].endpoint },
    overlapping: overlapping && evidenceOf(target, redaction, overlapping).exchange,
    exchange: { request: sent, response, curl: curlOf(sent, placeholders, curl) },
  };
}
