import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import {
  digestOf,
  type FrameHeader,
  frameMark,
  type PodResult,
  signedPart,
} from "../../scenarios/lib/pod-result.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";

/** The result of a pod. Its summary is unpacked on demand, because a thousand summaries would fill the memory. */
export interface PodEntry extends Omit<PodResult, "summary"> {
  readonly facts: Pick<RunSummary, "scenario" | "profile" | "seed" | "durationMilliseconds">;
  summary(): RunSummary;
}

/** A result that cannot be assembled, because frames are missing or damaged. */
export interface TornResult extends Pick<FrameHeader, "run" | "process" | "segment"> {
  /** Missing or damaged frames. */
  readonly lost: number;
  /** All frames of the result. */
  readonly total: number;
}

/** The results in the logs of pods. */
export interface FoundResults {
  readonly whole: readonly PodEntry[];
  readonly torn: readonly TornResult[];
}

/** Assembles the results of pods from the lines of their logs, in any order. */
export interface FrameReader {
  take(line: string): void;
  end(): FoundResults;
}

/** A frame with a readable header. */
interface Frame {
  readonly header: FrameHeader;
  readonly data: string;
  /** Whether the digest is right. */
  readonly whole: boolean;
}

interface FrameParts {
  readonly header: FrameHeader;
  readonly data: Map<number, string>;
}

/** Creates a reader that takes one line at a time, so that the logs do not have to be in memory. */
export function createFrameReader(): FrameReader {
  const results = new Map<string, FrameParts>();
  return {
    take(line) {
      // A collector may have joined two lines.
      for (const text of line.split(frameMark).slice(1)) {
        const frame = readFrame(text);
        // The result lacks this frame, and is reported as torn.
        if (frame === undefined) continue;
        const { header, data, whole } = frame;
        const id = `${header.run} ${header.process} ${header.segment}`;
        const parts = results.get(id) ?? { header, data: new Map() };
        results.set(id, parts);
        if (whole) parts.data.set(header.number, data);
      }
    },
    end() {
      const whole: PodEntry[] = [];
      const torn: TornResult[] = [];
      let sequence = "";
      for (const parts of results.values()) {
        const result = assemble(parts);
        if ("summary" in result) {
          // All pods of a run share one string: with a thousand pods it has 9 KB.
          if (result.sequence !== sequence) sequence = result.sequence;
          whole.push({ ...result, sequence });
        } else torn.push(result);
      }
      return { whole, torn };
    },
  };
}

const frame =
  /^([0-9a-f]+) (([\w.-]+) ([0-9a-f]+) (\d+(?:\/\d+)?:\d+(?:\/\d+)?) (\d+)\/(\d+) ([A-Za-z0-9+/=]*))/;

function readFrame(text: string): Frame | undefined {
  const match = frame.exec(text);
  if (match === null) return undefined;
  const [, digest, , run = "", process = "", segment = "", number, total, data = ""] = match;
  const header = { run, process, segment, number: Number(number), total: Number(total) };
  return { header, data, whole: digestOf(signedPart(header, data), { sha256 }) === digest };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function assemble({ header, data }: FrameParts): PodEntry | TornResult {
  const { run, process, segment, total } = header;
  const texts = Array.from({ length: total }, (_, place) => data.get(place + 1));
  const lost = texts.filter((text) => text === undefined).length;
  if (lost > 0) return { run, process, segment, lost, total };
  const compressed = Buffer.from(texts.join(""), "base64");
  // Frees memory: up to a thousand results are assembled before the first is merged.
  data.clear();
  const { summary, ...rest } = unpack(compressed);
  const { scenario, profile, seed, durationMilliseconds } = summary;
  return {
    ...rest,
    facts: { scenario, profile, seed, durationMilliseconds },
    summary: () => unpack(compressed).summary,
  };
}

function unpack(compressed: Buffer): PodResult {
  // One large chunk, because chunks are outside the heap, where V8 collects garbage late.
  const text = inflateRawSync(compressed, { chunkSize: 128 * 1024 }).toString("utf8");
  return JSON.parse(text) as PodResult;
}
