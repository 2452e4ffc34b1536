import type { JudgedShare, LoadResult } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult, ResultParts, Results } from "../../schemas/contracts/results.ts";
import { type Cause, causes, causesWith } from "../../schemas/contracts/verdicts.ts";
import type { WaiverResult } from "../../schemas/contracts/waivers.ts";
import { added } from "../core/added.ts";
import type { ExitCode } from "../errors.ts";

// Why did a run exit with 4, or 1? Each part is decided in one place:
// - the causes of a run, their order, and the verdict and exit code of each: the table in schemas/contracts/verdicts.ts
// - which of these causes apply to a run: here
// - the causes of what a capability adds, and when they apply: the door of its folder
// - the verdict of a requirement, from its checks and waivers: conformance/requirements/verdict.ts
// - the verdict of a load run, from its thresholds: scripts/load/rules.ts, and from what the config expects of a limit: expected-limit.ts there

/** What the verdict of a run depends on. */
export interface Judged {
  readonly requirements: readonly Pick<RequirementResult, "verdict" | "level" | "excused">[];
  readonly load: readonly Pick<LoadResult, "verdict">[];
  readonly waivers: readonly Pick<WaiverResult, "state">[];
  /** Default: nothing was added */
  readonly parts?: ResultParts;
  /** One of the parts is what the command judges. Default: false */
  readonly judgedByPart?: boolean;
  /** Something prevented the run or ended it early. */
  readonly problem: boolean;
  readonly interrupted: boolean;
  /** Failed requests of conformance against the limit of the config; omitted without one. */
  readonly failures?: Pick<JudgedShare, "outcome"> | undefined;
  /** Only some of the requirements were selected. */
  readonly partial: boolean;
  /** No load was sent, because no products were found. Default: false */
  readonly loadMissing?: boolean;
}

/** Verdict and exit code of a run, with the cause that decided them. */
export interface RunJudgement {
  readonly verdict: Results["verdict"];
  readonly exitCode: ExitCode;
  readonly cause: Cause;
}

/**
 * Decides the verdict of a run. A failure decides it, whatever else happened. So does an expired or stale waiver, because a
 * run that passes only with such a waiver will not keep passing. Next comes what ended the run early, then what was not
 * judged. A run that judged nothing never passes.
 */
export function judge(judged: Judged): RunJudgement {
  const own: Partial<Record<Cause, boolean>> = causesOf(judged);
  const { parts = {} } = judged;
  const decisive = causesWith(added.map((one) => one.causes)).find(
    ([one, { applies }]) => own[one] ?? applies?.(parts),
  );
  const [cause, { verdict, exitCode }] = decisive ?? ["none", causes.none];
  if (!judged.interrupted) return { verdict, exitCode, cause };
  // An interrupted run did not judge the rest, so without a failure it is incomplete.
  return verdict === "violations"
    ? { verdict, exitCode: 130, cause }
    : { verdict: "incomplete", exitCode: 130, cause: "interrupted" };
}

function causesOf(judged: Judged): Record<Exclude<keyof typeof causes, "none">, boolean> {
  const {
    requirements,
    load,
    waivers,
    problem,
    interrupted,
    partial,
    failures,
    judgedByPart = false,
  } = judged;
  const requirement = (...verdicts: RequirementResult["verdict"][]): boolean =>
    requirements.some(({ verdict }) => verdicts.includes(verdict));
  const anyLoad = (verdict: LoadResult["verdict"]): boolean => load.some((one) => one.verdict === verdict);
  const waiver = (state: WaiverResult["state"]): boolean => waivers.some((one) => one.state === state);
  return {
    "requirement-failed": requirement("fail"),
    "load-failed": anyLoad("fail"),
    "requests-failed": failures?.outcome === "above",
    "waiver-expired": waiver("expired"),
    "waiver-stale": waiver("stale"),
    problem,
    "nothing-run": requirements.length === 0 && load.length === 0 && !judgedByPart,
    "check-error": requirement("error"),
    "load-invalid": anyLoad("invalid"),
    interrupted,
    "not-judged": requirements.some(
      ({ verdict, level, excused }) =>
        verdict === "inconclusive" && level === "must" && excused === undefined,
    ),
    "nothing-judged": load.length === 0 && !judgedByPart && !requirement("pass", "warn", "fail"),
    "load-not-sent": judged.loadMissing ?? false,
    partial,
  };
}
