import { requirement } from "../../conformance/requirements/catalogue.ts";
import type { CheckResult } from "../../schemas/types.ts";
import { type Expectation, requirementOf } from "./expectation.ts";

/** One variant, tried once: a fault of the reference service, a fault that the proxy injects, a variant, or none. */
export interface Trial {
  readonly kind: "fault" | "injection" | "variant" | "honest";
  readonly name: string;
  readonly seed: number;
  /** Whole suite, or only the checks that were to go red. */
  readonly scope: "whole suite" | "selected checks";
  readonly verdict: TrialVerdict;
  /** 2 when it was tried again, by itself, since it had not come out as expected beside others. */
  readonly attempts?: 2;
  /** Checks that went red. */
  readonly red: readonly string[];
  /** What is not as it should be, a line each; empty when all is. */
  readonly findings: readonly string[];
  readonly requests: number;
  readonly milliseconds: number;
}

/**
 * `caught`: a fault, by all the checks that are for it and nothing else. `clean`: a variant or the honest service,
 * with nothing red. `unproven`: a fault that is known not to be caught. `missed`, `blamed`: what is wrong with the
 * suite or with the expectation; `broke`: the harness itself; `stale`: unproven in the table, and caught.
 */
export type TrialVerdict = "caught" | "clean" | "unproven" | "missed" | "blamed" | "broke" | "stale";

/** Whether a trial came out as the table says. */
export function asExpected({ verdict }: Pick<Trial, "verdict">): boolean {
  return verdict === "caught" || verdict === "clean" || verdict === "unproven";
}

/** What the suite said of one variant. */
export type Judgement = Pick<Trial, "verdict" | "red" | "findings">;

/** Holds what the suite said of a faulty service against what it should say. */
export function judgeFault(expectation: Expectation, checks: readonly CheckResult[]): Judgement {
  const red = checks.filter(isRed);
  const ids = red.map(({ id }) => id);
  const broke = checks.filter(({ verdict }) => verdict === "error").map(finding);
  const allowed = new Set([...expectation.red.map(requirementOf), ...Object.keys(expectation.also)]);
  const unrelated = red.filter(({ id }) => !allowed.has(requirementOf(id))).map(finding);
  const missing = expectation.red
    .filter((id) => !ids.includes(id))
    .map((id) => finding(checks.find((check) => check.id === id) ?? notRun(id)));
  const findings = [...broke, ...missing, ...unrelated];
  if (broke.length > 0) return { verdict: "broke", red: ids, findings };
  if (expectation.unproven !== undefined) {
    return red.length === 0
      ? { verdict: "unproven", red: ids, findings: [expectation.unproven] }
      : { verdict: "stale", red: ids, findings: red.map(finding) };
  }
  if (missing.length > 0) return { verdict: "missed", red: ids, findings };
  return { verdict: unrelated.length > 0 ? "blamed" : "caught", red: ids, findings };
}

/** Parts of the reasons for which a check may stay inconclusive under a variant. */
export type Unjudgeable = readonly string[];

/** Holds what the suite said of an allowed service against the rule that nothing is to be blamed. */
export function judgeVariant(checks: readonly CheckResult[], unjudgeable: Unjudgeable = []): Judgement {
  // Under a variant even a warning is a false alarm.
  const red = checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const broke = checks.filter(({ verdict }) => verdict === "error");
  const excused = ({ reason }: CheckResult) => unjudgeable.some((part) => reason.includes(part));
  const unjudged = checks.filter((check) => check.verdict === "inconclusive" && !excused(check));
  const findings = [...broke, ...red, ...unjudged].map(finding);
  const ids = red.map(({ id }) => id);
  if (broke.length > 0) return { verdict: "broke", red: ids, findings };
  return { verdict: findings.length > 0 ? "blamed" : "clean", red: ids, findings };
}

/** A failure, or a warning where the requirement is only a SHOULD: a warning on a MUST is a flaky observation. */
function isRed({ id, verdict }: CheckResult): boolean {
  return verdict === "fail" || (verdict === "warn" && requirement(requirementOf(id)).level !== "must");
}

function finding({ id, verdict, reason }: Pick<CheckResult, "id" | "verdict" | "reason">): string {
  return `${id} ${verdict}: ${reason}`;
}

function notRun(id: string): Pick<CheckResult, "id" | "verdict" | "reason"> {
  return { id, verdict: "inconclusive", reason: "did not run" };
}
