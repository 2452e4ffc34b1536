import type { Finding } from "../../../schemas/contracts/finding.ts";

/** What was found, and where: the code and the path, in any entry of a list. */
export function placeOf({ code, path = "" }: Finding): string {
  return `${code} ${path.replaceAll(/\/\d+(?=\/|$)/g, "/*")}`;
}

/**
 * Two findings with one key are the same. Where a catalog moves, another product on its pages is another finding, and so is
 * another kind of hostile input: a service that fails at times fails on any.
 */
export function keyOf(finding: Finding): string {
  const { subject = "", endpoint, product, details } = finding;
  const kind = details !== undefined && "kind" in details ? details.kind : undefined;
  return JSON.stringify([placeOf(finding), subject, endpoint === "category-page" && product, kind]);
}
