import type { Finding } from "../../../../schemas/contracts/finding.ts";
import { harms } from "../../../../schemas/contracts/words.ts";
import { wordsOf } from "../../../../schemas/words/index.ts";
import type { SaidRequirement } from "./requirements.ts";

/** Requirements on access, whose findings are about access whatever their code: a status, a product, a field. */
const accessRequirements =
  /^(authentication\.(?!equivalent).*|service\.(allow-list|read-only)|retailers\.scope|.*\.unentitled-.*|product\.retailer)$/;

/** Failed requirements, worst first: by what they harm, then by the share of responses. */
export function worstFirst(failed: readonly SaidRequirement[]): SaidRequirement[] {
  return failed.toSorted((one, other) => harmRank(one) - harmRank(other) || shareOf(other) - shareOf(one));
}

function findingsOf({ checks, verdict }: SaidRequirement): Finding[] {
  return checks.filter((check) => check.verdict === verdict).flatMap(({ findings }) => findings);
}

function harmRank(requirement: SaidRequirement): number {
  const ofRequirement = accessRequirements.test(requirement.id) ? ["access" as const] : [];
  const ofFindings = findingsOf(requirement).map((one) => (isKept(one) ? "unreadable" : wordsOf(one).harm));
  const harmed = [...ofRequirement, ...ofFindings].filter((harm) => harm !== undefined);
  return Math.min(harms.length, ...harmed.map((harm) => harms.indexOf(harm)));
}

/** Whether something gives a refusal again to requests that it does not belong to: the wrong statuses of others follow from that. */
function isKept({ condition, from }: Finding): boolean {
  return condition === "after-refusal" && from !== undefined;
}

function shareOf(requirement: SaidRequirement): number {
  const shares = findingsOf(requirement).map(({ seen }) => (seen?.total ? seen.count / seen.total : 0));
  return Math.max(0, ...shares);
}
