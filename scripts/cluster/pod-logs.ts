import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { readFindingLine } from "../../scenarios/lib/log.ts";
import { frameMark, type PodName, type PodResult } from "../../scenarios/lib/pod-result.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";

/** A pod with its result. It is unpacked at each call, because a thousand of them would fill the memory. */
export interface LoggedPod extends PodName {
  result(): PodResult;
}

/** What the logs of pods hold. */
export interface PodLogs {
  /** Pods whose result is whole. */
  readonly pods: readonly LoggedPod[];
  /** Lines of the scripts about invalid responses, without keys. */
  readonly evidence: readonly string[];
  /** Findings of the scripts, such as why the setup ended the run. */
  readonly reported: readonly Finding[];
}

const mostEvidence = 500;

/**
 * Reads the logs of pods, line by line and in any order: from a folder with one file for each pod, a file with all logs, or
 * `-`, standard input.
 *
 * @throws the error of the file system if the file or folder cannot be read.
 */
export async function readPodLogs(
  from: string,
  { stdin, redaction }: { stdin: () => Readable; redaction: TextRedaction },
): Promise<PodLogs> {
  const parts = new Map<string, string[]>();
  const evidence: string[] = [];
  const reported = new Map<string, Finding>();
  for await (const source of sourcesOf(from, stdin))
    for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
      // A collector may have joined two lines.
      for (const text of line.split(frameMark).slice(1)) takeFrame(text, parts);
      const message = messageOf(line);
      if (message === undefined) continue;
      const clean = redaction.redact(message);
      const finding = readFindingLine(clean);
      if (finding !== undefined) reported.set(JSON.stringify(finding), finding);
      else if (evidence.length < mostEvidence) evidence.push(clean);
    }
  const pods = [...parts].flatMap(([name, texts]) => podOf(name, texts) ?? []);
  return { pods, evidence, reported: [...reported.values()] };
}

async function* sourcesOf(from: string, stdin: () => Readable): AsyncGenerator<Readable> {
  if (from === "-") {
    yield stdin();
  } else if ((await stat(from)).isDirectory()) {
    const entries = await readdir(from, { withFileTypes: true });
    for (const entry of entries) if (entry.isFile()) yield createReadStream(join(from, entry.name));
  } else {
    yield createReadStream(from);
  }
}

const frame = /^([\w.-]+ [0-9a-f]+ \d+(?:\/\d+)?:\d+(?:\/\d+)?) (\d+)\/(\d+) ([A-Za-z0-9+/=]*)/;

/** Puts the data of a frame into its place among the parts of its pod. */
function takeFrame(text: string, parts: Map<string, string[]>): void {
  const [, name = "", number, total, data = ""] = frame.exec(text) ?? [];
  if (name === "") return;
  const texts = parts.get(name) ?? Array.from({ length: Number(total) }, () => "");
  texts[Number(number) - 1] = data;
  parts.set(name, texts);
}

/** Undefined for a result of which lines are missing or damaged. */
function podOf(name: string, texts: readonly string[]): LoggedPod | undefined {
  const [run = "", process = "", segment = ""] = name.split(" ");
  const packed = Buffer.from(texts.join(""), "base64");
  const result = (): PodResult => JSON.parse(gunzipSync(packed).toString("utf8"));
  try {
    result();
  } catch {
    return undefined;
  }
  return { run, process, segment, result };
}

/** The message of a JSON log line of k6, also after a prefix of the log collector; undefined for any other line. */
function messageOf(line: string): string | undefined {
  // Parsing is slow, and most lines are frames or do not come from our scripts.
  const from = line.includes('"msg":"shelfcheck-') ? line.indexOf("{") : -1;
  if (from < 0) return undefined;
  try {
    const { msg } = JSON.parse(line.slice(from)) as { msg?: unknown };
    return typeof msg === "string" ? msg : undefined;
  } catch {
    return undefined;
  }
}
