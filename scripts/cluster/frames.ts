import { createHash } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import {
  digestOf,
  type FrameHeader,
  frameMark,
  type PackedSummary,
  type PodResult,
  signedPart,
  unpackSummary,
} from "../../scenarios/lib/pod-result.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";

/** The result of a pod, without its summary: that is unpacked when it is needed, since a thousand would fill the memory. */
export interface PodEntry extends Omit<PodResult, "summary"> {
  readonly facts: Pick<RunSummary, "scenario" | "profile" | "seed" | "durationMilliseconds">;
  /** Unpacks the summary. */
  summary(): RunSummary;
}

/** A result that cannot be put together. */
export interface TornResult extends Pick<FrameHeader, "run" | "process" | "segment"> {
  /** Frames that are missing or damaged, of all. */
  readonly lost: number;
  readonly total: number;
}

/** What the logs of pods hold. */
export interface FoundResults {
  readonly whole: readonly PodEntry[];
  readonly torn: readonly TornResult[];
}

/** Puts the results of pods together from lines of their logs, in any order and mixture. */
export interface FrameReader {
  take(line: string): void;
  end(): FoundResults;
}

/** A frame as a line has it, if its header can be read. */
interface Frame {
  readonly header: FrameHeader;
  readonly data: string;
  readonly whole: boolean;
}

interface Parts {
  readonly header: FrameHeader;
  readonly data: Map<number, string>;
}

/** Reads lines one at a time, so that the logs themselves are never in memory together. */
export function createFrameReader(): FrameReader {
  const results = new Map<string, Parts>();
  return {
    take(line) {
      // A collector may have joined two lines.
      for (const text of line.split(frameMark).slice(1)) {
        const frame = readFrame(text);
        // A frame without a header is missing from the result that it belongs to.
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
        const result = putTogether(parts);
        if ("summary" in result) {
          // The pods of a run share one text, which has 9 KB with a thousand of them.
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

function putTogether({ header, data }: Parts): PodEntry | TornResult {
  const { run, process, segment, total } = header;
  const texts = Array.from({ length: total }, (_, place) => data.get(place + 1));
  const lost = texts.filter((text) => text === undefined).length;
  if (lost > 0) return { run, process, segment, lost, total };
  const compressed = Buffer.from(texts.join(""), "base64");
  // A thousand results are put together before the first is merged.
  data.clear();
  const { summary, ...rest } = unpack(compressed);
  const { scenario, profile, seed, durationMilliseconds } = summary;
  return {
    ...rest,
    facts: { scenario, profile, seed, durationMilliseconds },
    summary: () => unpackSummary(unpack(compressed).summary),
  };
}

type PackedResult = Omit<PodResult, "summary"> & { readonly summary: PackedSummary };

function unpack(compressed: Buffer): PackedResult {
  // One chunk for all of it: chunks are garbage outside the heap, which V8 collects late, and putting them together makes more.
  const text = inflateRawSync(compressed, { chunkSize: 128 * 1024 }).toString("utf8");
  return JSON.parse(text) as PackedResult;
}
