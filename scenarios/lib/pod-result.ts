import type { Profile } from "../../schemas/contracts/profile.ts";
import type { RunSummary } from "./summary.ts";

/** What a pod measured in its share of a load run. */
export interface PodResult {
  /** The borders of all parts of the schedule as k6 writes them, such as `0,1/4,2/4,3/4,1`. */
  readonly sequence: string;
  readonly baseUrl: string;
  readonly profile: Profile;
  /** Unix milliseconds at which the summary was made. */
  readonly finishedAt: number;
  readonly summary: RunSummary;
}

/** Which pod of which run a result is of. */
export interface PodName {
  /** The run that the manifests were written for. */
  readonly run: string;
  /** Random, so that a pod that was restarted differs from the one before it. */
  readonly process: string;
  /** The pod's part of the schedule as k6 writes it, such as `1/4:2/4`. */
  readonly segment: string;
}

/** Begins each frame. Text before it in a line, such as the name of a pod or a timestamp, is ignored. */
export const frameMark = "shelfcheck-result-3 ";

/** Characters of a result in one frame: a runtime splits a line at 16 KiB, some log collectors at 8 KiB. */
const frameCharacters = 7000;
/** Digits of a number that is no count: the slices of distributions are most of a result. */
const digits = 5;

/**
 * A pod's result as numbered lines for standard output.
 * @param pack by gzip, whose checksum shows lines that were split or mixed, in base64
 */
export function framesOf(
  { run, process, segment }: PodName,
  result: PodResult,
  pack: (text: string) => string,
): string[] {
  const text = pack(JSON.stringify(result, shortened));
  const total = Math.ceil(text.length / frameCharacters);
  return Array.from({ length: total }, (_, place) => {
    const data = text.slice(place * frameCharacters, (place + 1) * frameCharacters);
    return `${frameMark}${run} ${process} ${segment} ${place + 1}/${total} ${data}`;
  });
}

function shortened(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(digits)) : value;
}
