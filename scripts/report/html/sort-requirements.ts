import type { CheckResult, RequirementResult, Results } from "../../../schemas/types.ts";

/** The requirements by what the reader does about them; each stands in one list, passes and the rest in none. */
export interface SortedRequirements {
  /** A MUST is broken, or shelfcheck broke. */
  readonly broken: readonly RequirementResult[];
  /** Broken, and accepted for a time. */
  readonly waived: readonly RequirementResult[];
  readonly worthALook: readonly RequirementResult[];
  readonly unjudged: readonly RequirementResult[];
}

export function sortRequirements({ requirements }: Pick<Results, "requirements">): SortedRequirements {
  const having = (...verdicts: RequirementResult["verdict"][]): RequirementResult[] =>
    requirements.filter(({ verdict }) => verdicts.includes(verdict));
  const warned = having("warn");
  return {
    broken: [...having("fail"), ...having("error")],
    waived: warned.filter(isWaived),
    worthALook: warned.filter((requirement) => !isWaived(requirement)),
    unjudged: having("inconclusive"),
  };
}

function isWaived({ checks }: RequirementResult): boolean {
  return checks.some(({ waiver }) => waiver !== undefined);
}

/** The checks that a card tells of: those that are not simply good. */
export function toldChecks({ checks }: RequirementResult): readonly CheckResult[] {
  return checks.filter(({ verdict }) => verdict !== "pass" && verdict !== "notApplicable");
}
