import type { Results } from "../../schemas/contracts/results.ts";
import { runLabel } from "../../schemas/verdicts.ts";
import { causeTones, type Tone } from "./tones.ts";

/** What tells a run from the one that it is compared with. */
export interface NamedRun {
  /** Name of its folder. */
  readonly name: string;
  readonly startedAt: string;
  /** The first characters of the commit; undefined if not known. */
  readonly commit: string | undefined;
  readonly branch: string | undefined;
  /** Machine of the generator; undefined for old runs. */
  readonly host: string | undefined;
  readonly target: string;
  readonly baseUrl: string;
  readonly label: string;
  readonly tone: Tone;
  /** Why the run is partial: it judged a part, or did not finish. Undefined for a whole run. */
  readonly part: string | undefined;
}

const commitLength = 7;

export function namedRun({ name, results }: { readonly name: string; readonly results: Results }): NamedRun {
  const { startedAt, environment, target, cause } = results;
  return {
    name,
    startedAt,
    commit: environment?.commit?.slice(0, commitLength),
    branch: environment?.branch,
    host: hostOf(results),
    target: target.name,
    baseUrl: target.baseUrl,
    label: runLabel(cause, results),
    tone: causeTones[cause],
    part: partOf(results),
  };
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
