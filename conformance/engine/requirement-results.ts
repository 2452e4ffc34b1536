import type { CheckResult, RequirementResult } from "../../schemas/contracts/results.ts";
import { requirement } from "../requirements/all.ts";
import { sectionOf, sections } from "../requirements/requirement.ts";
import { verdictOf, verdictOfAll } from "../requirements/verdict.ts";
import type { Listed } from "../suite/all.ts";

/** One result for each requirement with a selected check. A check without a result counts as not judged. */
export function requirementResults(
  selected: readonly Listed[],
  results: readonly CheckResult[],
): RequirementResult[] {
  const known = new Map(results.map((result) => [result.id, result]));
  const byRequirement = Map.groupBy(selected, (check) => check.requirement);
  return [...byRequirement].map(([id, listed]) => {
    const checks = listed.map((check) => known.get(check.id) ?? notReached(check));
    const { level, statement } = requirement(id);
    const verdict = verdictOfAll(checks.map((check) => check.verdict));
    return {
      id,
      section: sections[sectionOf(id)],
      level,
      statement,
      verdict,
      ...excuseOf(checks),
      checks,
    };
  });
}

/** The excuse for a requirement that was not judged; none when any of its checks has no excuse. */
function excuseOf(checks: readonly CheckResult[]): Pick<RequirementResult, "excused"> {
  const open = checks.filter(({ verdict }) => verdict === "inconclusive");
  const isAvoided = ({ findings }: CheckResult) => findings[0]?.code === "avoided";
  if (open.length === 0 || !open.every((check) => isAvoided(check) || check.excused !== undefined)) return {};
  return { excused: open.every(isAvoided) ? "avoided" : "optional" };
}

function notReached({ id, title, requirement: judged }: Listed): CheckResult {
  const { level } = requirement(judged);
  const verdict = verdictOf(level, "inconclusive");
  return { id, title, verdict, findings: [{ code: "not-reached" }], evidence: [] };
}
