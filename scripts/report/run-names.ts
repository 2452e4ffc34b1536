import type { Results } from "../../schemas/contracts/results.ts";
import { runLabel } from "../../schemas/verdicts.ts";
import { causeTones, type Tone } from "./tones.ts";

/** How a run is identified among others in tables and charts. */
export interface NamedColumn {
  /** Name of its folder. */
  readonly name: string;
  readonly startedAt: string;
  /** `11-21 08:00`, with year and seconds if the runs need them to be distinct. */
  readonly short: string;
  /** The first characters of the commit; undefined if not known. */
  readonly commit: string | undefined;
  readonly branch: string | undefined;
  /** Machine of the generator; undefined for old runs. */
  readonly host: string | undefined;
  /** Whether the runs were made on different machines. */
  readonly hostDiffers: boolean;
  readonly target: string;
  readonly baseUrl: string;
  readonly command: Results["command"];
  readonly label: string;
  readonly tone: Tone;
  /** Why the run is partial: it judged a part, or did not finish. Undefined for a whole run. */
  readonly part: string | undefined;
}

const commitLength = 7;

/** Distinguishes runs by start time, commit and host. */
export function runColumns(
  runs: readonly { readonly name: string; readonly results: Results }[],
): NamedColumn[] {
  const starts = runs.map(({ results }) => results.startedAt);
  const length = [16, 19, 23].find((end) => areDistinct(starts.map((start) => start.slice(0, end)))) ?? 23;
  const sameYear = new Set(starts.map((start) => start.slice(0, 4))).size <= 1;
  const hosts = runs.map(({ results }) => hostOf(results));
  const known = new Set(hosts.filter((host) => host !== undefined));
  return runs.map(({ name, results }, place) => {
    const { startedAt, environment, target, command, cause } = results;
    return {
      name,
      startedAt,
      short: startedAt.slice(sameYear ? 5 : 0, length).replace("T", " "),
      commit: environment?.commit?.slice(0, commitLength),
      branch: environment?.branch,
      host: hosts[place],
      hostDiffers: known.size > 1,
      target: target.name,
      baseUrl: target.baseUrl,
      command,
      label: runLabel(cause, results),
      tone: causeTones[cause],
      part: partOf(results),
    };
  });
}

/** `11-21 08:00 abc1234`; `separator` may be a line break. */
export function columnLabel({ short, commit }: NamedColumn, separator = " "): string {
  return commit === undefined ? short : `${short}${separator}${commit}`;
}

/** The start with its year, to the minute or second that distinguishes the runs. */
export function startedText({ startedAt, short }: NamedColumn): string {
  const year = startedAt.slice(0, 5);
  return short.startsWith(year) ? short : `${year}${short}`;
}

function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

function hostOf({ environment, load }: Results): string | undefined {
  return environment?.host ?? load.find(({ conditions }) => conditions !== undefined)?.conditions?.host;
}

/** Why the run cannot be compared with whole runs; undefined for a whole run. */
function partOf({ scope, exitCode, verdict, load }: Results): string | undefined {
  if (exitCode === 130) return "interrupted";
  if (verdict === "error" && !load.some((one) => one.verdict === "invalid")) return "did not finish";
  return scope === undefined ? undefined : `${scope.requirements} of ${scope.of} requirements`;
}
