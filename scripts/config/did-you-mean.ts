import { closest, distance } from "fastest-levenshtein";

/** A shorter beginning fits too many names. */
const shortestStart = 6;

/** The known name that was probably meant: it starts with `name` or is similar. Undefined for none. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lowerCase = name.toLowerCase();
  const same = known.find((other) => other.toLowerCase() === lowerCase);
  if (same !== undefined) return same;
  // An id is often cut off: errors.unentitled is errors.unentitled-retailer, not the near errors.unauthorized.
  const longer = known.filter((other) => other.toLowerCase().startsWith(lowerCase));
  if (name.length >= shortestStart && longer.length > 0) return closest(name, longer);
  const candidate = closest(name, known);
  const tolerance = Math.max(1, Math.floor(Math.max(name.length, candidate.length) * 0.4));
  return distance(lowerCase, candidate.toLowerCase()) <= tolerance ? candidate : undefined;
}

/** Maximum number of known names to list in full. */
const mostListed = 20;
const mostNear = 5;

/** "Did you mean X?" if a known name is similar; otherwise all known names, or the five nearest of many. */
export function didYouMean(name: string, known: readonly string[]): string {
  const instead = goneChecks.get(name);
  if (instead !== undefined) return `It was removed: use ${instead}.`;
  const candidate = nearest(name, known);
  if (candidate !== undefined) return `Did you mean ${candidate}?`;
  if (known.length <= mostListed) return `Known: ${known.join(", ")}.`;
  const lacks = (other: string) => Number(!other.toLowerCase().includes(name.toLowerCase()));
  const near = known.toSorted((a, b) => lacks(a) - lacks(b) || distance(name, a) - distance(name, b));
  return `The nearest of ${known.length} names: ${near.slice(0, mostNear).join(", ")}.`;
}

/** Endings of ids that earlier versions had, or whole ids of another requirement, by the id of today. */
const replaced: Readonly<Record<string, string>> = {
  "authentication.entitlement":
    "other-organization other-organization-batch other-organization-by-id other-organization-by-url",
  "authentication.entitlement/second-key": "second-key-batch second-key-by-url",
  "authentication.equivalent": "error refusal second-key",
  "authentication.equivalent/both-good": "good-and-bad",
  "authentication.exact-key/other-case": "authentication.invalid-key/other-case",
  "authentication.invalid-key/other-keys":
    "authentication.invalid-key/x-api-key empty-bearer empty-x-api-key key-with-a-tail cut-key both-bad",
  "batch.malformed/bad-body": "not-json no-list text-for-list",
  "batch.over-size/fifty-one": "with-a-repeat",
  "batch.summary/every-item": "total",
  "by-id.unknown-product/changed-id": "changed-number changed-blank other-retailer",
  "errors.unknown-retailer/by-gtin": "changed-scope",
  "page.last-cursor/walk-ends": "walk-ends-again",
  "product.same-shape": "in-most-products",
  "product.same-values": "in-most-products in-some-products",
  "errors.hostile-input/limit": "query.limit/limit-zero query.limit/limit-negative",
  "query.category-alone/category-and-gtin": "category-and-gtin-and-retailer",
  "query.category-alone/category-and-url": "all-three",
  "query.exclusive-identifiers/gtin-and-url": "gtin-and-retailer-and-url",
  "query.gtin-not-found/changed-gtin": "query.gtin/in-groups",
  "query.limit/small-limits": "1 3",
  "query.paging": "nothing-hidden",
  "query.paging/same-products-in-smaller-pages": "same-products-in-uneven-pages",
  "query.url/changed-page": "other-case",
  "service.any-client": "usual-clients",
  "service.open-spellings/batch": "service.charset/every-response",
  "service.own-response/in-turn":
    "in-turn-batch in-turn-by-category in-turn-by-gtin in-turn-by-gtin-unscoped in-turn-by-id in-turn-by-url in-turn-retailers",
};

/** Whoever names one in a flag, a waiver or a command is told the new one, with exit code 2. */
export const goneChecks: ReadonlyMap<string, string> = new Map(
  Object.entries(replaced).flatMap(([id, endings]) =>
    endings.split(" ").map((one) => [one.includes("/") ? one : `${id.split("/", 1)[0]}/${one}`, id] as const),
  ),
);
