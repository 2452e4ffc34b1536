import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { RequestDetails } from "../../../schemas/contracts/finding-fields.ts";

/** What was found, and where: the code and the path, in any entry of a list. */
export function placeOf({ code, path = "" }: Finding): string {
  return `${code} ${path.replaceAll(/\/\d+(?=\/|$)/g, "/*")}`;
}

/**
 * Two findings with one key are the same. Where a catalog moves, another product on its pages is another finding, and so is
 * another kind of hostile input or another spelling: a service that fails at times fails on any.
 */
export function keyOf(finding: Finding): string {
  const { subject = "", endpoint, product, details } = finding;
  const { kind, spelling, sent } = (details ?? {}) as RequestDetails;
  const isOfPage = endpoint === "category-page";
  return JSON.stringify([placeOf(finding), subject, isOfPage && product, kind, spelling, sent]);
}
