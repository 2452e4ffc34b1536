import type { Profile } from "../../schemas/contracts/profile.ts";
import type { RunSummary } from "./summary.ts";

/** A run over time as a pod records it: one value per period from the start of the run. */
export interface PodSeries {
  readonly periodSeconds: number;
  readonly requests: readonly number[];
  readonly failed: readonly number[];
  readonly refused: readonly number[];
  /** Milliseconds of the 200 responses; null in a period without any. */
  readonly p50: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
}

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
  readonly series?: PodSeries | undefined;
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

/** A pod's result as lines for standard output: compact, compressed, in base64, each with number, total and digest. */
export function framesOf(result: PodResult, tools: FrameTools): string[] {
  const packed = { ...result, summary: packSummary(result.summary) };
  const text = tools.base64(tools.compress(JSON.stringify(packed)));
  const total = Math.ceil(text.length / frameCharacters);
  const { run, process, segment } = result;
  return Array.from({ length: total }, (_, place) => {
    const data = text.slice(place * frameCharacters, (place + 1) * frameCharacters);
    const signed = signedPart({ run, process, segment, number: place + 1, total }, data);
    return `${frameMark}${digestOf(signed, tools)} ${signed}`;
  });
}

/** A summary whose distributions are short: steps on a logarithmic scale, each 0.05 % above the one before. */
export type PackedSummary = Omit<RunSummary, "distributions"> & {
  readonly distributions: Readonly<
    Record<string, { readonly count: number; readonly steps: readonly number[] }>
  >;
};

/** Slices of a distribution keep their values to 0.025 %. */
const stepFactor = 1.0005;
/** The lowest value that is distinguished from 0, in the unit of the distribution. */
const lowest = 0.001;

function stepOf(value: number): number {
  return value < lowest ? 0 : Math.round(Math.log(value / lowest) / Math.log(stepFactor)) + 1;
}

const values: number[] = [0];

/** The value of a step; kept, since a thousand pods have millions of steps and few different ones. */
function valueAt(step: number): number {
  values[step] ??= lowest * stepFactor ** (step - 1);
  return values[step];
}

/** Packs distributions as differences of ascending values: small numbers, which compress well. */
function packSummary({ distributions, metrics, ...summary }: RunSummary): PackedSummary {
  return {
    ...summary,
    metrics: mapValues(metrics, (values) => mapValues(values, shortened)),
    distributions: mapValues(distributions, ({ count, slices }) => {
      let before = 0;
      const steps = slices.map((value) => {
        const step = stepOf(value);
        const rise = step - before;
        before = step;
        return rise;
      });
      return { count, steps };
    }),
  };
}

/** Unpacks a summary; a value of a distribution differs from the original by at most 0.025 %. */
export function unpackSummary({ distributions, ...summary }: PackedSummary): RunSummary {
  return {
    ...summary,
    distributions: mapValues(distributions, ({ count, steps }) => {
      let step = 0;
      return {
        count,
        slices: steps.map((rise) => {
          step += rise;
          return valueAt(step);
        }),
      };
    }),
  };
}

/** Shortens a number, except whole numbers, which are counts. */
function shortened(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(7));
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
