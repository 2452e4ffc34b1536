import type { Finding } from "../../../../schemas/contracts/finding.ts";
import { type FailureCode, failureWords } from "../../../../schemas/words/failures.ts";
import type { ShownRequirement } from "./requirements.ts";

/**
 * What a failure harms, worst first: data of others is shown, a body cannot be read at all, a wrong key is accepted or a
 * right one refused, data is wrong, two keys see different things, a program cannot read it. A cause comes before what
 * follows from it: a leak before the paging that it disturbs, a broken body or a wrong id before the keys that differ by it.
 */
const harms = ["leak", "unreadable", "access", "data", "compared", "shape"] as const;
type Harm = (typeof harms)[number];

const harmOf = {
  "not-granted": "leak",
  "retailer-of-other-organization": "leak",
  "retailer-not-listed": "access",
  "listed-retailer-refused": "access",
  "shown-by-one-only": "compared",
  "write-accepted": "access",
  "limit-shared": "access",
  "other-product": "data",
  "wrong-status": "data",
  "closed-on-input": "data",
  "false-not-found": "data",
  "item-missing": "data",
  "item-repeated": "data",
  "instances-differ": "data",
  "item-unexpected": "data",
  "item-not-sent": "data",
  "page-of-nothing": "data",
  "differs-between-ways": "data",
  "status-differs": "data",
  "paging-never-ends": "data",
  "cursor-kept": "data",
  "empty-products": "data",
  "cursor-rejected": "data",
  "page-over-limit": "data",
  "refused-after-wait": "data",
  "limit-per-key": "data",
  "limit-per-header": "data",
  "client-refused": "data",
  "half-character": "data",
  "inexact-number": "data",
  "item-miscounted": "data",
  "stand-in": "data",
  "told-otherwise": "data",
  "coding-not-accepted": "unreadable",
  "not-decodable": "unreadable",
  "repeated-name": "shape",
  "wrong-count": "shape",
  "counters-disagree": "shape",
  "not-json": "unreadable",
  "not-utf8": "unreadable",
  "missing-header": "shape",
  "wrong-header": "shape",
  "error-in-success": "shape",
  "error-code-mismatch": "shape",
  "missing-field": "shape",
  "null-value": "shape",
  "empty-string": "shape",
  "wrong-type": "shape",
  "wrong-format": "shape",
  "wrapped-product": "shape",
  "no-found-list": "shape",
  "name-for-slug": "shape",
} as const satisfies Record<FailureCode, Harm>;

/** Requirements on access, whose findings are about access whatever their code: a status, a product, a field. */
const accessRequirements =
  /^(authentication\.(?!equivalent).*|service\.(allow-list|read-only)|retailers\.scope|.*\.unentitled-.*|product\.retailer)$/;

/** Failed requirements, worst first: by what they harm, then by the share of responses. */
export function worstFirst(failed: readonly ShownRequirement[]): ShownRequirement[] {
  return failed.toSorted((one, other) => harmRank(one) - harmRank(other) || shareOf(other) - shareOf(one));
}

function findingsOf({ reported, verdict }: ShownRequirement): Finding[] {
  return reported
    .filter((check) => check.verdict === verdict)
    .flatMap(({ found }) => found.map(({ data }) => data));
}

function harmRank(requirement: ShownRequirement): number {
  const ranks = findingsOf(requirement).map((finding) =>
    isKept(finding)
      ? harms.indexOf("unreadable")
      : isFailure(finding.code)
        ? harms.indexOf(harmOf[finding.code])
        : harms.length,
  );
  const ofRequirement = accessRequirements.test(requirement.id) ? harms.indexOf("access") : harms.length;
  return Math.min(ofRequirement, ...ranks);
}

/** Whether something gives a refusal again to requests that it does not belong to: the wrong statuses of others follow from that. */
function isKept({ condition, from }: Finding): boolean {
  return condition === "after-refusal" && from !== undefined;
}

function isFailure(code: Finding["code"]): code is FailureCode {
  return Object.hasOwn(failureWords, code);
}

function shareOf(requirement: ShownRequirement): number {
  const shares = findingsOf(requirement).map(({ seen }) => (seen?.total ? seen.count / seen.total : 0));
  return Math.max(0, ...shares);
}
