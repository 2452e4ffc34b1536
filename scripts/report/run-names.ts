import type { Results } from "../../schemas/types.ts";
import { causes, runLabel } from "../../schemas/verdicts.ts";
import { causeOf } from "../run/judgement.ts";
import { runTones, type Tone } from "./tones.ts";

/** A run among others: what tells it apart, for tables, charts and columns. */
export interface NamedColumn {
  /** Name of its folder. */
  readonly name: string;
  readonly startedAt: string;
  /** `11-21 08:00`, with the year and the seconds where others make them necessary. */
  readonly short: string;
  /** The first characters of the commit; undefined where the run knows none. */
  readonly commit: string | undefined;
  readonly branch: string | undefined;
  /** The generator's machine; undefined for a run from before it was recorded. */
  readonly host: string | undefined;
  /** Whether another of the runs was made on another machine. */
  readonly hostDiffers: boolean;
  readonly target: string;
  readonly baseUrl: string;
  readonly command: Results["command"];
  readonly label: string;
  readonly tone: Tone;
  /** Why it must not stand beside whole runs: it judged a part, or did not come to its end. Undefined for a whole one. */
  readonly part: string | undefined;
}

const commitLength = 7;

/** Tells runs apart by the moment of their start, as exactly as it takes, by commit and by host. */
export function runColumns(
  runs: readonly { readonly name: string; readonly results: Results }[],
): NamedColumn[] {
  const starts = runs.map(({ results }) => results.startedAt);
  const length = [16, 19, 23].find((end) => areDistinct(starts.map((start) => start.slice(0, end)))) ?? 23;
  const sameYear = new Set(starts.map((start) => start.slice(0, 4))).size <= 1;
  const hosts = runs.map(({ results }) => hostOf(results));
  const known = new Set(hosts.filter((host) => host !== undefined));
  return runs.map(({ name, results }, place) => {
    const { startedAt, environment, target, command } = results;
    const cause = causeOf(results);
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
      tone: runTones[causes[cause].verdict],
      part: partOf(results),
    };
  });
}

/** `11-21 08:00 abc1234`, in as many lines as wanted. */
export function columnLabel({ short, commit }: NamedColumn, separator = " "): string {
  return commit === undefined ? short : `${short}${separator}${commit}`;
}

function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

function hostOf({ environment, load }: Results): string | undefined {
  return (
    environment?.host ??
    load.find(({ comparability }) => comparability !== undefined)?.comparability?.parts.host
  );
}

/** Why the run cannot be held against whole ones; undefined for one that judged all that the suite has. */
function partOf({ scope, exitCode, verdict, load }: Results): string | undefined {
  if (exitCode === 130) return "interrupted";
  if (verdict === "error" && !load.some((one) => one.verdict === "invalid")) return "did not finish";
  return scope === undefined ? undefined : `${scope.requirements} of ${scope.of} requirements`;
}
