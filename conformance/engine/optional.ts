import type { OptionalName } from "../../schemas/contracts/config.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";

/** For each name in `optional`, the findings that say that the target does not have it. */
const findingsOf = {
  sameOrgKey: ({ code }) => code === "no-same-org-key",
  otherOrgKey: ({ code }) => code === "no-other-org-key",
  otherRetailers: ({ code, subject }) =>
    ["no-foreign-retailer", "no-foreign-product", "no-own-product"].includes(code) ||
    (code === "key-role-unclear" && subject === "otherOrg"),
  gtin: (finding) => isMissing(finding, "gtin", "lookup-by-gtin"),
  productUrl: (finding) => isMissing(finding, "product_url", "lookup-by-url"),
  rateLimit: ({ code, expected, seen }) =>
    code === "limit-not-reached" ||
    (code === "no-response-exercised" && seen?.count === 0 && isOnly429(expected)),
} as const satisfies Record<OptionalName, (finding: Finding) => boolean>;

function isOnly429(statuses: unknown): boolean {
  return Array.isArray(statuses) && statuses.length > 0 && statuses.every((status) => status === 429);
}

/** Whether no product has the field at all. Products that have it and are not found by it are a failure. */
function isMissing(
  { code, subject, endpoint, seen }: Finding,
  field: string,
  lookup: Finding["endpoint"],
): boolean {
  if (code === "no-product-with") return subject === field;
  return code === "nothing-found-by" && endpoint === lookup && seen?.count === 0;
}

/**
 * The name in the config's `optional` that excuses a check that was not judged for these reasons; undefined without
 * one.
 */
export function excuseFor(
  findings: readonly Finding[],
  optional: readonly OptionalName[] = [],
): OptionalName | undefined {
  const isExcused = (finding: Finding) => optional.some((name) => findingsOf[name](finding));
  const [first] = findings;
  if (first === undefined || !findings.every(isExcused)) return undefined;
  return optional.find((name) => findingsOf[name](first));
}
