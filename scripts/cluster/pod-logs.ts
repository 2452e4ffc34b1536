import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";
import { readFindingLine } from "../../scenarios/lib/log.ts";
import { frameMark, type PodName, type PodResult } from "../../scenarios/lib/pod-result.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";

/** A pod with its result. */
export type LoggedPod = PodName & PodResult;

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
 * Reads logs line by line in any order: a folder with one file for each pod, or one file with all.
 * @throws the error of the file system if the file or folder cannot be read.
 */
export async function readPodLogs(from: string, redaction: TextRedaction): Promise<PodLogs> {
  const parts = new Map<string, string[]>();
  const evidence: string[] = [];
  const reported = new Map<string, Finding>();
  for (const file of await filesAt(from))
    for await (const line of createInterface({
      input: createReadStream(file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      // A collector may have joined two lines.
      for (const text of line.split(frameMark).slice(1)) takeFrame(text, parts);
      const message = messageOf(line);
      if (message === undefined) continue;
      const clean = redaction.redact(message);
      const finding = readFindingLine(clean);
      if (finding !== undefined) reported.set(JSON.stringify(finding), finding);
      else if (evidence.length < mostEvidence) evidence.push(clean);
    }
  return { pods: [...parts].flatMap(podOf), evidence, reported: [...reported.values()] };
}

async function filesAt(from: string): Promise<string[]> {
  if (!(await stat(from)).isDirectory()) return [from];
  const entries = await readdir(from, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(from, entry.name)] : []));
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

/** None for a result of which lines are missing or damaged. */
function podOf([name, texts]: readonly [string, readonly string[]]): LoggedPod[] {
  const [run = "", process = "", segment = ""] = name.split(" ");
  try {
    const result: PodResult = JSON.parse(`${gunzipSync(Buffer.from(texts.join(""), "base64"))}`);
    return [{ run, process, segment, ...result }];
  } catch {
    return [];
  }
}

/** The message of a JSON log line of k6, also after a collector's prefix; undefined for any other line. */
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
