import type { Finding } from "../../schemas/contracts/finding.ts";
import type { JudgedShare, LoadResult } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult, ResultParts, Results } from "../../schemas/contracts/results.ts";
import { type Cause, causes, causesWith } from "../../schemas/contracts/verdicts.ts";
import type { WaiverResult } from "../../schemas/contracts/waivers.ts";
import { added } from "../core/added.ts";

// Why did a run exit with 4, or 1? Each part is decided in one place:
// - the causes of a run, their order, and the verdict and exit code of each: schemas/contracts/verdicts.ts
// - which of these causes apply to a run: here
// - the causes of what a capability adds, and when they apply: the door of its folder
// - the verdict of a requirement, from its checks and waivers: conformance/requirements/verdict.ts
// - the verdict of a load run, from its thresholds and what the config expects: scripts/load/rules.ts

/** What the verdict of a run depends on, as results have it. */
export interface Judged {
  readonly command: string;
  readonly requirements: readonly Pick<RequirementResult, "verdict" | "level" | "excused">[];
  readonly load: readonly Pick<LoadResult, "verdict">[];
  readonly waivers?: readonly Pick<WaiverResult, "state">[] | undefined;
  /** What capabilities add; the part with the name of the command is what the command judges. */
  readonly parts?: ResultParts | undefined;
  readonly problem?: Results["problem"];
  readonly interrupted: boolean;
  readonly requests?: { readonly failures?: Pick<JudgedShare, "outcome"> | undefined };
  readonly scope?: Results["scope"];
  readonly notices?: readonly Pick<Finding, "code">[] | undefined;
}

/**
 * Verdict and exit code of a run, with their cause. A failure decides, whatever else happened; so does an
 * expired or stale waiver: a run that passes only with it will not keep passing. Then comes what ended the
 * run early, then what was not judged. A run that judged nothing never passes.
 */
export function judge(run: Judged): Pick<Results, "exitCode" | "verdict" | "cause"> {
  const own: Partial<Record<Cause, boolean>> = causesOf(run);
  const { parts = {} } = run;
  const decisive = causesWith(added.map((one) => one.causes)).find(
    ([one, { applies }]) => own[one] ?? applies?.(parts),
  );
  const [cause, { verdict, exitCode }] = decisive ?? ["none", causes.none];
  if (!run.interrupted) return { exitCode, verdict, cause };
  // An interrupted run did not judge the rest, so without a failure it is incomplete.
  return verdict === "violations"
    ? { exitCode: 130, verdict, cause }
    : { exitCode: 130, verdict: "incomplete", cause: "interrupted" };
}

function causesOf(run: Judged): Record<Exclude<keyof typeof causes, "none">, boolean> {
  const { command, requirements, load, waivers = [], parts = {}, notices = [] } = run;
  const anyOf = <V>(all: readonly { readonly verdict: V }[], ...verdicts: V[]) =>
    all.some(({ verdict }) => verdicts.includes(verdict));
  const isWaiver = (state: WaiverResult["state"]) => waivers.some((one) => one.state === state);
  const isLoadOrPart = load.length > 0 || Object.hasOwn(parts, command);
  return {
    "requirement-failed": anyOf(requirements, "fail"),
    "load-failed": anyOf(load, "fail"),
    "requests-failed": run.requests?.failures?.outcome === "above",
    "waiver-expired": isWaiver("expired"),
    "waiver-stale": isWaiver("stale"),
    problem: run.problem !== undefined,
    "nothing-run": requirements.length === 0 && !isLoadOrPart,
    "check-error": anyOf(requirements, "error"),
    "load-invalid": anyOf(load, "invalid"),
    interrupted: run.interrupted,
    "not-judged": requirements.some(
      ({ verdict, level, excused }) =>
        verdict === "inconclusive" && level === "must" && excused === undefined,
    ),
    "nothing-judged": !isLoadOrPart && !anyOf(requirements, "pass", "warn", "fail"),
    "load-not-sent": notices.some(({ code }) => code === "no-products-to-load" || code === "no-batch-field"),
    partial: run.scope !== undefined,
  };
}

export function countByVerdict(requirements: readonly RequirementResult[]): Results["summary"] {
  const summary = { pass: 0, fail: 0, warn: 0, inconclusive: 0, notApplicable: 0, error: 0 };
  for (const { verdict } of requirements) summary[verdict]++;
  return summary;
}
