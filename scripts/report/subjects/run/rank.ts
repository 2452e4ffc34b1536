import { requirements } from "../../../../conformance/requirements/all.ts";
import type { Finding } from "../../../../schemas/contracts/finding.ts";
import { type Harm, harms } from "../../../../schemas/contracts/words.ts";
import { wordsOf } from "../../../../schemas/words/index.ts";
import type { SaidRequirement } from "./requirements.ts";

const harmOf: ReadonlyMap<string, Harm | undefined> = new Map(requirements.map(({ id, harm }) => [id, harm]));

/** Failed requirements, worst first: by what they harm, then by the share of responses. */
export function worstFirst(failed: readonly SaidRequirement[]): SaidRequirement[] {
  return failed.toSorted((one, other) => harmRank(one) - harmRank(other) || shareOf(other) - shareOf(one));
}

function findingsOf({ checks, verdict }: SaidRequirement): Finding[] {
  return checks.filter((check) => check.verdict === verdict).flatMap(({ findings }) => findings);
}

function harmRank(requirement: SaidRequirement): number {
  const ofFindings = findingsOf(requirement).map((one) => wordsOf(one).harm);
  const harmed = [harmOf.get(requirement.id), ...ofFindings].filter((harm) => harm !== undefined);
  return Math.min(harms.length, ...harmed.map((harm) => harms.indexOf(harm)));
}

function shareOf(requirement: SaidRequirement): number {
  const shares = findingsOf(requirement).map(({ seen }) => (seen?.total ? seen.count / seen.total : 0));
  return Math.max(0, ...shares);
}
