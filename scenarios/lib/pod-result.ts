import type { Profile } from "../../schemas/contracts/profile.ts";
import type { RunSummary } from "./summary.ts";

/** The result of one pod: its share of a load run, and what identifies that run. */
export interface PodResult {
  /** The run that the manifests were written for. */
  readonly run: string;
  /** Random, so that a pod that was restarted differs from the one before it. */
  readonly process: string;
  /** The pod's part of the schedule as k6 writes it, such as `1/4:2/4`. */
  readonly segment: string;
  /** The borders of all parts as k6 writes them, such as `0,1/4,2/4,3/4,1`. */
  readonly sequence: string;
  readonly baseUrl: string;
  readonly profile: Profile;
  /** Digest of the fixtures file. */
  readonly fixtures: string;
  /** Digest of the script. */
  readonly script: string;
  /** Unix milliseconds at which the summary was made. */
  readonly finishedAt: number;
  readonly summary: RunSummary;
}

/** Functions that differ between k6 and Node. */
export interface FrameTools {
  /** Compresses UTF-8 text. */
  compress(text: string): Uint8Array;
  base64(bytes: Uint8Array): string;
  /** SHA-256 in hexadecimal digits. */
  sha256(text: string): string;
}

/** Begins each frame. Text before it in a line, such as the name of a pod or a timestamp, is ignored. */
export const frameMark = "shelfcheck-result-1 ";

/** Characters of a result in one frame: a runtime splits a line at 16 KiB, some log collectors at 8 KiB. */
const frameCharacters = 7000;

/** Hexadecimal digits of a digest: enough to detect lines that a log collector split or mixed. */
const digestDigits = 16;

/** The digest of a text, as used in frames and results. */
export function digestOf(text: string, { sha256 }: Pick<FrameTools, "sha256">): string {
  return sha256(text).slice(0, digestDigits);
}

/** The header of a frame: the result and the part of it, and the digest of header and data. */
export interface FrameHeader extends Pick<PodResult, "run" | "process" | "segment"> {
  /** From 1. */
  readonly number: number;
  readonly total: number;
}

/** The text that the digest of a frame covers. */
export function signedPart({ run, process, segment, number, total }: FrameHeader, data: string): string {
  return `${run} ${process} ${segment} ${number}/${total} ${data}`;
}

/** A pod's result as lines for standard output: compressed, in base64, each with number, total and digest. */
export function framesOf(result: PodResult, tools: FrameTools): string[] {
  const text = tools.base64(tools.compress(JSON.stringify(result, shortened)));
  const total = Math.ceil(text.length / frameCharacters);
  const { run, process, segment } = result;
  return Array.from({ length: total }, (_, place) => {
    const data = text.slice(place * frameCharacters, (place + 1) * frameCharacters);
    const signed = signedPart({ run, process, segment, number: place + 1, total }, data);
    return `${frameMark}${digestOf(signed, tools)} ${signed}`;
  });
}

/** Digits of a number that is no count: the slices of distributions are most of a result. */
const digits = 5;

function shortened(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(digits)) : value;
}
