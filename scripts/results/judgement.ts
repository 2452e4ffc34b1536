import type { LoadResult, RequirementResult, Results } from "../../schemas/types.ts";
import type { ExitCode } from "../errors.ts";

/** What the verdict of a whole run is made from. */
export interface Judged {
  readonly requirements: readonly Pick<RequirementResult, "verdict" | "level">[];
  readonly load: readonly Pick<LoadResult, "verdict">[];
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
 * A failure that was seen stands, whatever else happened; then comes what kept the run from being made, then
 * what could not be judged. A run that judged nothing is never a good one.
 */
export function judge({ requirements, load, problem, interrupted }: Judged): Judgement {
  const judgement = judgeCompleted({ requirements, load, problem });
  if (!interrupted) return judgement;
  // Cut short, so the rest was not judged: what did not fail is never more than incomplete.
  return { verdict: judgement.verdict === "violations" ? "violations" : "incomplete", exitCode: 130 };
}

function judgeCompleted({ requirements, load, problem }: Omit<Judged, "interrupted">): Judgement {
  const anyRequirement = (verdict: RequirementResult["verdict"]): boolean =>
    requirements.some((requirement) => requirement.verdict === verdict);
  const anyLoad = (...verdicts: LoadResult["verdict"][]): boolean =>
    load.some(({ verdict }) => verdicts.includes(verdict));

  if (anyRequirement("fail") || anyLoad("broken", "slower")) return { verdict: "violations", exitCode: 1 };
  const nothing = requirements.length === 0 && load.length === 0;
  if (problem || nothing || anyRequirement("error") || anyLoad("invalid"))
    return { verdict: "error", exitCode: 3 };
  const mustUnjudged = requirements.some(
    ({ verdict, level }) => verdict === "inconclusive" && level === "must",
  );
  return mustUnjudged ? { verdict: "incomplete", exitCode: 4 } : { verdict: "conformant", exitCode: 0 };
}
