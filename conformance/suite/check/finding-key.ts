import type { Finding } from "../../../schemas/contracts/finding.ts";

/** What was found, and where: the code and the path, in any entry of a list. */
export function placeOf({ code, path = "" }: Finding): string {
  return `${code} ${path.replaceAll(/\/\d+(?=\/|$)/g, "/*")}`;
}

/** Two findings with one key are the same. Where a catalog moves, another product on its pages is another finding. */
export function keyOf(finding: Finding): string {
  const { subject = "", endpoint, product } = finding;
  return JSON.stringify([placeOf(finding), subject, endpoint === "category-page" && product]);
}
