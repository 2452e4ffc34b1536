import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { readFindingLine } from "../../scenarios/lib/log.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { TextRedaction } from "../../schemas/redaction.ts";
import { createFrameReader, type FoundResults } from "./frames.ts";

/** The results, evidence and findings in the logs of pods. */
export interface PodLogs extends FoundResults {
  /** Lines of the scripts about invalid responses, without keys. */
  readonly evidence: readonly string[];
  /** Findings of the scripts, such as why the setup ended the run. */
  readonly reported: readonly Finding[];
}

const mostEvidence = 500;

/** Creates a reader of the logs of pods, line by line. */
function createPodLogReader(redaction: TextRedaction): {
  take(line: string): void;
  end(): PodLogs;
} {
  const frames = createFrameReader();
  const evidence: string[] = [];
  const reported = new Map<string, Finding>();
  return {
    take(line) {
      frames.take(line);
      const message = messageOf(line);
      if (message === undefined) return;
      const clean = redaction.redact(message);
      const finding = readFindingLine(clean);
      if (finding !== undefined) reported.set(JSON.stringify(finding), finding);
      else if (evidence.length < mostEvidence) evidence.push(clean);
    },
    end: () => ({ ...frames.end(), evidence, reported: [...reported.values()] }),
  };
}

/**
 * Reads the logs of pods: from a folder with one file for each pod, a file with all logs, or `-`, standard input.
 *
 * @throws the error of the file system if the file or folder cannot be read.
 */
export async function readPodLogs(
  from: string,
  { stdin, redaction }: { stdin: () => Readable; redaction: TextRedaction },
): Promise<PodLogs> {
  const reader = createPodLogReader(redaction);
  for await (const source of sourcesOf(from, stdin)) {
    for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
      reader.take(line);
    }
  }
  return reader.end();
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
