import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { CheckResult } from "../../../../schemas/contracts/results.ts";
import { causeOf } from "../../../../schemas/words/index.ts";

/** A requirement that was not judged, with its checks. */
interface NotJudgedRequirement {
  readonly text: string;
  readonly reported: readonly {
    readonly verdict: CheckResult["verdict"];
    readonly text: string;
    /** Set if the config says that the target lacks what the check needs. */
    readonly excused?: unknown;
    readonly found: readonly {
      readonly text: string;
      readonly fix: string | undefined;
      readonly data: Finding;
    }[];
  }[];
}

/** A cause for which requirements were not judged: one thing to fix. */
export interface CauseGroup<Requirement> {
  readonly finding: Finding;
  /** The cause in words. */
  readonly text: string;
  /** The fix; undefined if there is none. */
  readonly fix: string | undefined;
  /** CauseOfGroup and fix. */
  readonly cause: string;
  /** Requirements listed under this cause: those that no earlier group lists. */
  readonly requirements: readonly Requirement[];
  /** Requirements with this cause that an earlier group lists. */
  readonly also: readonly Requirement[];
}

interface CauseOfGroup extends Pick<CauseGroup<never>, "finding" | "text" | "fix" | "cause"> {
  readonly key: string;
}

/**
 * Requirements that were not judged, by root cause, the most frequent cause first. A requirement is listed under the
 * first of its causes, and referred to under the others.
 */
export function notJudgedCauses<Requirement extends NotJudgedRequirement>(
  requirements: readonly Requirement[],
): CauseGroup<Requirement>[] {
  const groups = new Map<string, { readonly cause: CauseOfGroup; readonly group: Requirement[] }>();
  for (const requirement of requirements) {
    const own = new Map(causesOf(requirement).map((cause) => [cause.key, cause]));
    for (const [key, cause] of own) {
      const known = groups.get(key) ?? { cause, group: [] };
      known.group.push(requirement);
      groups.set(key, known);
    }
  }
  const placed = new Set<Requirement>();
  return [...groups.values()]
    .toSorted((a, b) => b.group.length - a.group.length)
    .map(({ cause, group }) => {
      const requirements = group.filter((requirement) => !placed.has(requirement));
      const also = group.filter((requirement) => placed.has(requirement));
      for (const requirement of requirements) placed.add(requirement);
      const { key: _, ...about } = cause;
      return { ...about, requirements, also };
    });
}

function causesOf({ reported, text }: NotJudgedRequirement): CauseOfGroup[] {
  const found = reported
    .filter(({ verdict }) => verdict === "inconclusive")
    .flatMap((check) =>
      // An excused check needs no fix; its text says so.
      check.found.map((one) =>
        check.excused === undefined ? one : { text: check.text, fix: undefined, data: undefined },
      ),
    );
  if (found.length === 0)
    return [{ key: text, finding: { code: "not-reached" }, text, fix: undefined, cause: text }];
  return found.map(({ data, text, fix }) => ({
    key: data === undefined ? text : causeOf(data),
    finding: data ?? { code: "not-reached" },
    text,
    fix,
    cause: fix === undefined ? text : `${text} ${fix}`,
  }));
}
