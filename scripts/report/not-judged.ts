import type { CheckResult, Finding } from "../../schemas/types.ts";

/** A requirement that was not judged, with its checks. */
interface Unjudged {
  readonly text: string;
  readonly reported: readonly {
    readonly verdict: CheckResult["verdict"];
    readonly text: string;
    /** Set where the config says that the target will never have what it takes. */
    readonly excused?: unknown;
    readonly found: readonly {
      readonly text: string;
      readonly fix: string | undefined;
      readonly data: Finding;
    }[];
  }[];
}

/** Why some requirements were not judged: one thing that someone can fix. */
export interface CauseGroup<Requirement> {
  readonly finding: Finding;
  /** What it is, in words. */
  readonly text: string;
  /** How to get it judged; undefined where nobody can. */
  readonly fix: string | undefined;
  /** Both. */
  readonly cause: string;
  /** Those that have this cause alone, or together with causes further down. */
  readonly requirements: readonly Requirement[];
  /** Those that have a cause further up as well. */
  readonly also: readonly Requirement[];
}

interface Cause extends Pick<CauseGroup<never>, "finding" | "text" | "fix" | "cause"> {
  readonly key: string;
}

/**
 * What was not judged, by root cause: the one that concerns most comes first. A requirement stands at each of its
 * causes, so that none of them is listed twice.
 */
export function notJudgedCauses<Requirement extends Unjudged>(
  requirements: readonly Requirement[],
): CauseGroup<Requirement>[] {
  const groups = new Map<string, { readonly cause: Cause; readonly group: Requirement[] }>();
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

function causesOf({ reported, text }: Unjudged): Cause[] {
  const found = reported
    .filter(({ verdict }) => verdict === "inconclusive")
    .flatMap((check) =>
      // What is excused needs no fix: its text says so.
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
 * Two findings of one root have the same name: what happened to the single check (how often it was tried, which
 * request it was, which product) is no part of it.
 */
export function rootOf({ code, subject = "", endpoint, actual, details }: Finding): string {
  switch (code) {
    // All of the target, or all of a category.
    case "no-category":
    case "category-not-browsable":
    case "still-rate-limited":
    case "wait-too-long":
    case "target-unavailable":
    case "product-gone":
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
    // Without an answer at first, the same target is given up later.
    case "no-answer":
    case "target-stopped":
      return `silent ${subject}`;
    case "no-product":
      return `${code} ${subject} ${details?.unlisted === undefined ? "" : "unlisted"} ${String(details?.hasList)}`;
    case "control-failed":
    case "upstream-failing":
      return `${code} ${String(endpoint)} ${String(actual)}`;
    case "no-response-exercised":
      return `${code} ${subject} ${JSON.stringify(details?.provokedBy ?? actual ?? null)}`;
    case "no-product-with":
      return `${code} ${subject} ${String(details?.retailer)}`;
    default:
      return `${code} ${subject} ${String(endpoint)}`;
  }
}
