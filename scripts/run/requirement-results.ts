import type { CheckReport } from "../../conformance/engine/provided.ts";
import { verdictOf, verdictOfAll } from "../../conformance/engine/verdict.ts";
import { requirement } from "../../conformance/requirements/catalogue.ts";
import { sectionOf, sections } from "../../conformance/requirements/requirement.ts";
import type { Listed } from "../../conformance/suite/all.ts";
import type { CheckResult, RequirementResult } from "../../schemas/types.ts";

/** One result for each requirement that a selected check judges; a check that did not report is inconclusive. */
export function requirementResults(
  selected: readonly Listed[],
  reports: readonly CheckReport[],
): RequirementResult[] {
  const reported = new Map(reports.map(({ result }) => [result.id, result]));
  const byRequirement = Map.groupBy(selected, (check) => check.requirement);
  return [...byRequirement].map(([id, listed]) => {
    const checks = listed.map((check) => reported.get(check.id) ?? notReached(check));
    const { level, statement } = requirement(id);
    const verdict = verdictOfAll(checks.map((check) => check.verdict));
    return {
      id,
      section: sections[sectionOf(id)],
      level,
      statement,
      verdict,
      reason: reasonOf(checks, verdict),
      checks,
    };
  });
}

function notReached({ id, title, requirement: judged }: Listed): CheckResult {
  const { level } = requirement(judged);
  const verdict = verdictOf(level, "inconclusive");
  return { id, title, verdict, reason: "The run ended before this check. Run again.", evidence: [] };
}

function reasonOf(checks: readonly CheckResult[], verdict: CheckResult["verdict"]): string {
  const deciding = checks.filter((check) => check.verdict === verdict).map(({ reason }) => reason);
  return [...new Set(deciding)].filter((reason) => reason !== "").join("; ");
}
