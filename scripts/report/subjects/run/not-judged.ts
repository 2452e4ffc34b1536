import type { Finding } from "../../../../schemas/contracts/finding.ts";
import type { CheckResult } from "../../../../schemas/contracts/results.ts";

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
    key: data === undefined ? text : rootOf(data),
    finding: data ?? { code: "not-reached" },
    text,
    fix,
    cause: fix === undefined ? text : `${text} ${fix}`,
  }));
}

/**
 * Identifies the root cause of a finding. Details of the single check (attempts, request, product) are not part of it.
 */
export function rootOf(finding: Finding): string {
  const { code, subject = "", endpoint } = finding;
  switch (finding.code) {
    // These concern the whole target, or a whole category.
    case "no-category":
    case "category-not-browsable":
    case "still-rate-limited":
    case "wait-too-long":
    case "target-unavailable":
    case "product-gone":
    case "access-changed":
    case "not-reached":
    case "no-same-org-key":
    case "no-other-org-key":
    case "no-foreign-retailer":
    case "no-foreign-product":
    case "no-own-product":
    case "batch-not-understood":
    case "limit-not-reached":
    case "no-wait-given":
      return code;
    // A target without a response at first counts as stopped later.
    case "no-answer":
    case "target-stopped":
      return `silent ${subject}`;
    case "no-product":
      return `${code} ${subject} ${finding.details.unlisted === undefined ? "" : "unlisted"} ${String(finding.details.hasList)}`;
    case "control-failed":
    case "upstream-failing":
      return `${code} ${String(endpoint)} ${finding.actual}`;
    case "no-response-exercised":
      return `${code} ${subject} ${JSON.stringify([finding.expected ?? null, finding.details?.provokedBy ?? null])}`;
    case "no-product-with":
      return `${code} ${subject} ${finding.details.retailer}`;
    default:
      return `${code} ${subject} ${String(endpoint)}`;
  }
}
