import type { Drift, LoadResult, RequirementResult, Results, WaiverResult } from "../../schemas/types.ts";
import type { ExitCode } from "../errors.ts";

/** What the verdict of a whole run is made from. */
export interface Judged {
  readonly requirements: readonly Pick<RequirementResult, "verdict" | "level">[];
  readonly load: readonly Pick<LoadResult, "verdict">[];
  readonly waivers: readonly Pick<WaiverResult, "state">[];
  /** Changes of the contract since it was recorded. */
  readonly drift: readonly Pick<Drift, "rank">[];
  /** Something kept the run from being made, or from reaching its end. */
  readonly problem: boolean;
  readonly interrupted: boolean;
}

/** Verdict and exit code of a run, by the table of `errors.ts`. */
export interface Judgement {
  readonly verdict: Results["verdict"];
  readonly exitCode: ExitCode;
}

/**
 * A failure that was seen stands, whatever else happened, and so do a change that breaks clients, and a waiver that is
 * over or that waives what passes now: what is green by such a waiver would not be green for long; then comes what kept the run from being made, then
 * what could not be judged. A run that judged nothing is never a good one.
 */
export function judge({ interrupted, ...judged }: Judged): Judgement {
  const judgement = judgeCompleted(judged);
  if (!interrupted) return judgement;
  // Cut short, so the rest was not judged: what did not fail is never more than incomplete.
  return { verdict: judgement.verdict === "violations" ? "violations" : "incomplete", exitCode: 130 };
}

function judgeCompleted(judged: Omit<Judged, "interrupted">): Judgement {
  const { requirements, load, waivers, drift, problem } = judged;
  const anyRequirement = (verdict: RequirementResult["verdict"]): boolean =>
    requirements.some((requirement) => requirement.verdict === verdict);
  const anyLoad = (...verdicts: LoadResult["verdict"][]): boolean =>
    load.some(({ verdict }) => verdicts.includes(verdict));

  const overdue = waivers.some(({ state }) => state === "stale" || state === "expired");
  const breaking = drift.some(({ rank }) => rank === "breaking");
  if (anyRequirement("fail") || anyLoad("fail", "slower") || overdue || breaking)
    return { verdict: "violations", exitCode: 1 };
  const nothing = requirements.length === 0 && load.length === 0;
  if (problem || nothing || anyRequirement("error") || anyLoad("invalid"))
    return { verdict: "error", exitCode: 3 };
  const mustUnjudged = requirements.some(
    ({ verdict, level }) => verdict === "inconclusive" && level === "must",
  );
  return mustUnjudged ? { verdict: "incomplete", exitCode: 4 } : { verdict: "conformant", exitCode: 0 };
}
