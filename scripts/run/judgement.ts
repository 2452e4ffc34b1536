import type { Drift, LoadResult, RequirementResult, Results, WaiverResult } from "../../schemas/types.ts";
import { type Cause, causes } from "../../schemas/verdicts.ts";
import type { ExitCode } from "../errors.ts";

/** What the verdict of a whole run is made from. */
export interface Judged {
  readonly requirements: readonly Pick<RequirementResult, "verdict" | "level" | "excused">[];
  readonly load: readonly Pick<LoadResult, "verdict">[];
  readonly waivers: readonly Pick<WaiverResult, "state">[];
  /** Changes of the contract since it was recorded. */
  readonly drift: readonly Pick<Drift, "rank">[];
  /** Something kept the run from being made, or from reaching its end. */
  readonly problem: boolean;
  readonly interrupted: boolean;
  /** Only a part of the requirements was selected. */
  readonly partial: boolean;
  /** The load that the command should send could not be, for want of products. Default: it was, or none was wanted */
  readonly loadMissing?: boolean;
}

/** Verdict and exit code of a run, with the one cause that decided them. */
export interface RunJudgement {
  readonly verdict: Results["verdict"];
  readonly exitCode: ExitCode;
  readonly cause: Cause;
}

/**
 * A failure that was seen stands, whatever else happened, and so do a breaking change of the contract and a waiver
 * that is expired or stale: what is green by such a waiver would not stay green. Then comes what kept the run from
 * its end, then what was not judged. A run that judged nothing never passes.
 */
export function judge(judged: Judged): RunJudgement {
  const applies = causesOf(judged);
  const cause = (Object.keys(causes) as Cause[]).find((one) => applies[one]) ?? "none";
  const { verdict, exitCode } = causes[cause];
  if (!judged.interrupted) return { verdict, exitCode, cause };
  // Cut short, so that the rest was not judged: what did not fail is never more than incomplete.
  return verdict === "violations"
    ? { verdict, exitCode: 130, cause }
    : { verdict: "incomplete", exitCode: 130, cause: "interrupted" };
}

function causesOf(judged: Judged): Record<Cause, boolean> {
  const { requirements, load, waivers, drift, problem, interrupted, partial, loadMissing = false } = judged;
  const requirement = (...verdicts: RequirementResult["verdict"][]): boolean =>
    requirements.some(({ verdict }) => verdicts.includes(verdict));
  const anyLoad = (verdict: LoadResult["verdict"]): boolean => load.some((one) => one.verdict === verdict);
  const waiver = (state: WaiverResult["state"]): boolean => waivers.some((one) => one.state === state);
  return {
    "requirement-failed": requirement("fail"),
    "load-failed": anyLoad("fail"),
    "contract-broken": drift.some(({ rank }) => rank === "breaking"),
    "latency-slower": anyLoad("slower"),
    "waiver-expired": waiver("expired"),
    "waiver-stale": waiver("stale"),
    problem,
    "nothing-run": requirements.length === 0 && load.length === 0,
    "check-error": requirement("error"),
    "load-invalid": anyLoad("invalid"),
    interrupted,
    "not-judged": requirements.some(
      ({ verdict, level, excused }) =>
        verdict === "inconclusive" && level === "must" && excused === undefined,
    ),
    "nothing-judged": load.length === 0 && !requirement("pass", "warn", "fail"),
    "load-not-sent": loadMissing,
    partial,
    none: true,
  };
}

/** The cause that decided a recorded run; of one that was written before causes were, the same rules find it. */
export function causeOf(results: Results): Cause {
  if (results.cause !== undefined) return results.cause;
  const { requirements, load, waivers = [], drift, problem, exitCode, scope } = results;
  return judge({
    requirements,
    load,
    waivers,
    drift: drift?.changes ?? [],
    problem: problem !== undefined && exitCode !== 130,
    interrupted: exitCode === 130,
    partial: scope !== undefined,
  }).cause;
}
