import type { RequirementResult } from "../../schemas/types.ts";

/** Why some requirements could not be judged: one thing that someone can mend. */
export interface UnjudgedCause {
  readonly cause: string;
  /** Those that have this cause alone, or together with causes further down. */
  readonly requirements: readonly RequirementResult[];
  /** Those that need this mended as well as a cause further up. */
  readonly also: readonly RequirementResult[];
}

/**
 * What could not be judged, by the causes that its checks name: the one that concerns most comes first. A
 * requirement stands at each of its causes, so that none of them is told twice in other company.
 */
export function unjudgedCauses(requirements: readonly RequirementResult[]): UnjudgedCause[] {
  const causes = new Map<string, RequirementResult[]>();
  for (const requirement of requirements) {
    for (const cause of causesOf(requirement)) causes.set(cause, [...(causes.get(cause) ?? []), requirement]);
  }
  const told = new Set<RequirementResult>();
  return [...causes]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([cause, group]) => {
      const requirements = group.filter((requirement) => !told.has(requirement));
      const also = group.filter((requirement) => told.has(requirement));
      for (const requirement of requirements) told.add(requirement);
      return { cause, requirements, also };
    });
}

function causesOf({ checks, reason }: RequirementResult): ReadonlySet<string> {
  const unjudged = checks.filter(({ verdict }) => verdict === "inconclusive");
  return new Set(unjudged.length === 0 ? [reason] : unjudged.map((check) => check.reason));
}
