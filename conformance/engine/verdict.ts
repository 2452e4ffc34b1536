import type { CheckResult, RequirementResult, Waiver } from "../../schemas/types.ts";
import type { Outcome } from "./outcome.ts";

export type Verdict = CheckResult["verdict"];
export type Level = RequirementResult["level"];

/**
 * The one rule from outcome to verdict. A broken MUST fails; a broken SHOULD or MAY warns; a waiver turns a
 * failure, and an inconclusive answer, into a warning and hides nothing else. The harness's own crash is
 * never blamed on the target.
 */
export function verdictOf(level: Level, outcome: Outcome["kind"], waiver?: Pick<Waiver, "id">): Verdict {
  switch (outcome) {
    case "pass":
      return "pass";
    case "fail":
      return level === "must" && waiver === undefined ? "fail" : "warn";
    case "warn":
      return "warn";
    case "inconclusive":
      return waiver === undefined ? "inconclusive" : "warn";
    case "notApplicable":
      return "notApplicable";
    case "error":
      return "error";
    default:
      return outcome satisfies never;
  }
}

// The worst that any check found is what the requirement gets.
const worstFirst: readonly Verdict[] = ["error", "fail", "inconclusive", "warn", "pass", "notApplicable"];

/**
 * Verdict of a requirement from those of its checks: a failure outweighs everything but is itself never
 * hidden by a crash of the harness, and one unjudged check makes the whole inconclusive.
 */
export function verdictOfAll(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes("fail")) return "fail";
  return worstFirst.find((verdict) => verdicts.includes(verdict)) ?? "inconclusive";
}
