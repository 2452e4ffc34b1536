import type { CheckId } from "./all.ts";

// The ledger of what is tried: every dimension of a request against every operation on it. A cell says which checks try it,
// which sentence of the spec leaves it open, or why no request can try it. `explain matrix` shows it.

/** What operations do to a value, and the kinds of dimensions that have such values. */
export const operations = {
  "other-case": { label: "in another case", kinds: ["text"] },
  blank: { label: "with blanks around or inside", kinds: ["text", "digits"] },
  cut: { label: "without its end", kinds: ["text", "digits"] },
  suffix: { label: "with more at its end", kinds: ["text", "digits", "amount"] },
  prefix: { label: "with more before it", kinds: ["text", "digits"] },
  neighbour: { label: "of the same form, unknown", kinds: ["text", "digits"] },
  "check-digit": { label: "with a wrong check digit", kinds: ["digits"] },
  "leading-zeros": { label: "with leading zeros", kinds: ["digits", "amount"] },
  "beyond-a-double": { label: "with more digits than a double holds", kinds: ["digits", "amount"] },
  "decoded-twice": { label: "percent-encoded once more", kinds: ["text"] },
  normalised: { label: "with other punctuation or another normal form", kinds: ["text"] },
  pattern: { label: "as a pattern of SQL", kinds: ["text"] },
  empty: { label: "empty", kinds: ["text", "digits", "amount"] },
  twice: { label: "twice in one request", kinds: ["text", "digits", "amount", "request"] },
  "at-its-limit": { label: "at its limit, one below and one above", kinds: ["amount"] },
  "no-number": { label: "not a whole number, zero or negative", kinds: ["amount"] },
  "of-another-retailer": { label: "of another retailer or place", kinds: ["text", "digits"] },
  "of-another-organization": { label: "of another organization", kinds: ["text", "digits", "request"] },
  beside: { label: "valid beside invalid", kinds: ["text", "digits", "request"] },
  hostile: { label: "hostile but legal", kinds: ["text", "digits", "amount", "request"] },
  absent: { label: "absent", kinds: ["text", "digits", "amount", "request"] },
  "after-an-error": { label: "after an error on the same connection", kinds: ["request"] },
  "by-real-clients": { label: "as other clients send it", kinds: ["request"] },
  "over-time": { label: "repeated, at once and over time", kinds: ["request"] },
} as const satisfies Record<string, { readonly label: string; readonly kinds: readonly ValueKind[] }>;

export type OperationId = keyof typeof operations;
type ValueKind = "text" | "digits" | "amount" | "request";
type OperationOf<K extends ValueKind> = {
  [O in OperationId]: K extends (typeof operations)[O]["kinds"][number] ? O : never;
}[OperationId];

/** What is known of one operation on one dimension. */
export type Cell =
  /** These checks try it. */
  | { readonly kind: "checked"; readonly by: readonly [CheckId, ...CheckId[]] }
  /** A sentence of the spec, or its silence, allows every outcome. */
  | { readonly kind: "free"; readonly why: string }
  /** No request can try it. */
  | { readonly kind: "impossible"; readonly why: string };

interface Dimension<K extends ValueKind = ValueKind> {
  readonly kind: K;
  readonly label: string;
  readonly cells: Readonly<Record<OperationOf<K>, Cell>>;
}

const by = (...ids: readonly [CheckId, ...CheckId[]]): Cell => ({ kind: "checked", by: ids });
const free = (why: string): Cell => ({ kind: "free", why });
const impossible = (why: string): Cell => ({ kind: "impossible", why });

/** A dimension with a cell for each operation on its kind: a missing one is an error of the compiler. */
const dimension = <K extends ValueKind>(
  kind: K,
  label: string,
  cells: Dimension<K>["cells"],
): Dimension<K> => ({
  kind,
  label,
  cells,
});

const caseFree = free(
  "The spec does not say whether case counts: the known product or its error are both correct.",
);
const blanksFree = free("The spec does not say whether blanks around a value count.");
const twiceFree = by("errors.hostile-input/queries");
const inPath = impossible("A path has one value in this place.");
const noPath = by("errors.shape/unknown-route");
const opaque = free("Opaque cursor for the next page.");
const unknownCategory = free("The spec does not say what an unknown category returns.");

export const dimensions = {
  slug: dimension("text", "retailer slug in the path", {
    "other-case": by("by-id.unentitled-slug/existing-product"),
    blank: by("by-id.unentitled-slug/existing-product"),
    cut: by("by-id.unknown-slug/changed-slug"),
    suffix: by("by-id.unknown-slug/known-product", "by-id.unknown-slug/changed-slug"),
    prefix: by("by-id.unknown-slug/changed-slug", "batch.lookup/changed-items"),
    neighbour: by("by-id.unknown-slug/known-product"),
    "decoded-twice": by("by-id.unknown-slug/changed-slug"),
    normalised: by("by-id.unknown-slug/changed-slug"),
    pattern: by("by-id.unknown-slug/changed-slug", "batch.lookup/changed-items"),
    empty: noPath,
    twice: inPath,
    "of-another-retailer": by("by-id.unknown-product/other-retailer"),
    "of-another-organization": by(
      "by-id.unentitled-slug/other-organization",
      "by-id.unentitled-slug/existing-product",
    ),
    beside: by("errors.unknown-retailer/in-batch"),
    hostile: by("errors.hostile-input/slug"),
    absent: noPath,
  }),
  "product-id": dimension("text", "product id in the path", {
    "other-case": free("A service may ignore the case of the retailer's own identifier."),
    blank: by("by-id.unknown-product/changed-blank", "batch.lookup/changed-items"),
    cut: by("by-id.unknown-product/changed-id"),
    suffix: by("by-id.unknown-product/changed-id", "by-id.unknown-product/changed-number"),
    prefix: by("by-id.unknown-product/changed-number", "batch.lookup/changed-items"),
    neighbour: by("by-id.unknown-product/unknown-id"),
    "decoded-twice": by("by-id.unknown-product/changed-id"),
    normalised: by("by-id.product/every-retailer", "batch-result.echo/to-the-letter"),
    pattern: by("by-id.unknown-product/changed-id"),
    empty: noPath,
    twice: inPath,
    "of-another-retailer": by("by-id.unknown-product/other-retailer"),
    "of-another-organization": by("authentication.entitlement/second-key"),
    beside: by("batch.partial/one-missing"),
    hostile: by("errors.hostile-input/product-id", "errors.hostile-input/drawn"),
    absent: noPath,
  }),
  "url-host": dimension("text", "host of the page URL", {
    "other-case": by("query.url/other-case"),
    blank: by("errors.hostile-input/url"),
    cut: by("query.url-not-found/changed-site"),
    suffix: by("query.url-not-found/changed-site"),
    prefix: by("query.url-not-found/changed-site"),
    neighbour: by("query.url-not-found/unknown-site"),
    "decoded-twice": free("The spec does not say how a URL is normalized."),
    normalised: free("The spec does not say how a URL is normalized."),
    pattern: impossible("A host has no characters that are wildcards."),
    empty: by("query.invalid-parameter/empty-url"),
    twice: by("errors.hostile-input/queries"),
    "of-another-retailer": by("query.url/changed-page"),
    "of-another-organization": by("authentication.entitlement/by-url"),
    beside: by("query.url-not-found/changed-site"),
    hostile: by("errors.hostile-input/url"),
    absent: by("query.invalid-parameter/no-parameter"),
  }),
  "url-page": dimension("text", "path and query of the page URL", {
    "other-case": caseFree,
    blank: by("query.url/known-page"),
    cut: free("A page may have its product's id before the end."),
    suffix: free("A page may have its product's id before the end."),
    prefix: free("A page may have its product's id after its beginning."),
    neighbour: by("query.url/changed-page", "query.url-not-found/unknown-page"),
    "decoded-twice": free("The spec does not say how a URL is normalized."),
    normalised: by("query.url/known-page"),
    pattern: free("A page may have its product's id before the end."),
    empty: by("query.url/changed-page"),
    twice: by("errors.hostile-input/queries"),
    "of-another-retailer": by("query.url/changed-page"),
    "of-another-organization": by("authentication.entitlement/other-organization-by-url"),
    beside: by("query.exclusive-identifiers/gtin-and-url"),
    hostile: by("errors.hostile-input/url"),
    absent: by("query.url/changed-page"),
  }),
  gtin: dimension("digits", "GTIN", {
    blank: by("query.gtin/in-groups"),
    cut: by("query.gtin-not-found/changed-gtin"),
    suffix: by("query.gtin-not-found/changed-gtin"),
    prefix: free("A GTIN with a digit before it may be that of a larger pack."),
    neighbour: by("query.gtin-not-found/unknown", "query.gtin-not-found/changed-gtin"),
    "check-digit": by("query.gtin-not-found/changed-gtin"),
    "leading-zeros": by("query.gtin/known", "query.gtin/every-response"),
    "beyond-a-double": by("errors.hostile-input/gtin"),
    empty: by("query.invalid-parameter/empty-gtin"),
    twice: by("errors.hostile-input/queries"),
    "of-another-retailer": by("query.gtin-mismatch/other-retailer"),
    "of-another-organization": by("authentication.entitlement/by-gtin"),
    beside: by("query.exclusive-identifiers/gtin-and-url", "query.category-alone/category-and-gtin"),
    hostile: by("errors.hostile-input/gtin", "query.invalid-parameter/gtin-letters"),
    absent: by("query.invalid-parameter/retailer-alone"),
  }),
  scope: dimension("text", "retailer of a GTIN", {
    "other-case": caseFree,
    blank: blanksFree,
    cut: by("errors.unknown-retailer/changed-scope"),
    suffix: by("errors.unknown-retailer/by-gtin"),
    prefix: by("errors.unknown-retailer/changed-scope"),
    neighbour: by("errors.unknown-retailer/by-gtin"),
    "decoded-twice": by("errors.unknown-retailer/changed-scope"),
    normalised: by("errors.unknown-retailer/changed-scope"),
    pattern: by("errors.unknown-retailer/changed-scope"),
    empty: free("The spec does not say whether an empty optional parameter counts as absent."),
    twice: twiceFree,
    "of-another-retailer": by("query.gtin-mismatch/other-retailer"),
    "of-another-organization": by("errors.unentitled-retailer/by-gtin"),
    beside: by("query.exclusive-identifiers/gtin-and-retailer-and-url"),
    hostile: by("errors.hostile-input/scope"),
    absent: by("query.gtin/known"),
  }),
  category: dimension("text", "category", {
    "other-case": unknownCategory,
    blank: unknownCategory,
    cut: unknownCategory,
    suffix: unknownCategory,
    prefix: unknownCategory,
    neighbour: by("query.category/unknown", "query.unknown-category/no-products"),
    "decoded-twice": unknownCategory,
    normalised: unknownCategory,
    pattern: unknownCategory,
    empty: by("query.invalid-parameter/empty-category"),
    twice: by("errors.hostile-input/queries"),
    "of-another-retailer": impossible("A category belongs to no retailer."),
    "of-another-organization": by("authentication.entitlement/every-product"),
    beside: by("query.category-alone/all-three"),
    hostile: by("errors.hostile-input/category"),
    absent: by("query.invalid-parameter/no-parameter"),
  }),
  limit: dimension("amount", "limit", {
    suffix: by("query.invalid-parameter/limit-with-a-tail"),
    "leading-zeros": free("A number with leading zeros may be read or rejected."),
    "beyond-a-double": by("errors.hostile-input/limit"),
    empty: by("errors.hostile-input/limit"),
    twice: by("errors.hostile-input/queries"),
    "at-its-limit": free("Default and maximum value of `limit` in category browsing: not shown."),
    "no-number": by(
      "query.invalid-parameter/limit-word",
      "query.invalid-parameter/limit-fraction",
      "query.limit/limit-zero",
      "query.impossible-value/limit-negative",
    ),
    hostile: by("errors.hostile-input/limit"),
    absent: by("query.category/first-page"),
  }),
  cursor: dimension("text", "cursor", {
    "other-case": opaque,
    blank: opaque,
    cut: opaque,
    suffix: opaque,
    prefix: opaque,
    neighbour: by("query.invalid-parameter/cursor-garbage"),
    "decoded-twice": opaque,
    normalised: opaque,
    pattern: opaque,
    empty: by("errors.hostile-input/cursor"),
    twice: by("errors.hostile-input/queries"),
    "of-another-retailer": by("query.impossible-value/cursor-of-another-category"),
    "of-another-organization": by("service.own-response/in-turn-by-category"),
    beside: by("query.paging/limit-changes"),
    hostile: by("errors.hostile-input/cursor"),
    absent: by("query.category/first-page"),
  }),
  "batch-slug": dimension("text", "retailer of a batch item", {
    "other-case": caseFree,
    blank: blanksFree,
    cut: by("batch.lookup/changed-items"),
    suffix: by("errors.unknown-retailer/in-batch"),
    prefix: by("batch.lookup/changed-items"),
    neighbour: by("errors.unknown-retailer/in-batch"),
    "decoded-twice": impossible("JSON has no percent-encoding."),
    normalised: by("batch.lookup/changed-items"),
    pattern: by("batch.lookup/changed-items"),
    empty: free("A batch may be refused whole for a malformed item, or list it under errors."),
    twice: by("errors.hostile-input/batch-bodies"),
    "of-another-retailer": by("batch-result.echo/every-batch"),
    "of-another-organization": by("errors.unentitled-retailer/in-batch"),
    beside: by("errors.unknown-retailer/in-batch"),
    hostile: by("errors.hostile-input/batch-items"),
    absent: free("A batch may be refused whole for a malformed item, or list it under errors."),
  }),
  "batch-id": dimension("text", "product id of a batch item", {
    "other-case": by("batch-result.echo/to-the-letter"),
    blank: by("batch.lookup/changed-items"),
    cut: by("batch.lookup/changed-items"),
    suffix: by("batch.lookup/changed-items"),
    prefix: by("batch.lookup/changed-items"),
    neighbour: by("batch.partial/one-missing"),
    "decoded-twice": by("batch-result.echo/to-the-letter"),
    normalised: by("batch-result.echo/to-the-letter"),
    pattern: by("batch.lookup/changed-items"),
    empty: by("errors.hostile-input/batch-items"),
    twice: by("batch.lookup/duplicates"),
    "of-another-retailer": by("batch.lookup/every-batch"),
    "of-another-organization": by("authentication.entitlement/other-organization-batch"),
    beside: by("batch.partial/one-missing"),
    hostile: by("errors.hostile-input/batch-items"),
    absent: by("batch.malformed/incomplete-item"),
  }),
  "batch-size": dimension("amount", "number of batch items", {
    suffix: impossible("A number of items has no text."),
    "leading-zeros": impossible("A number of items has no text."),
    "beyond-a-double": impossible("No request holds so many items."),
    empty: free("The spec does not say whether a batch may be empty."),
    twice: by("batch.over-size/with-a-repeat", "batch.lookup/duplicates"),
    "at-its-limit": by("batch.size/one", "batch.size/fifty", "batch.over-size/fifty-one"),
    "no-number": by("batch.malformed/text-for-list"),
    hostile: by("errors.hostile-input/batch-bodies"),
    absent: by("batch.malformed/no-list"),
  }),
  key: dimension("text", "key", {
    "other-case": by("authentication.exact-key/other-case"),
    blank: free("HTTP removes blanks around the value of a header (RFC 9110, 5.5)."),
    cut: by("authentication.invalid-key/cut-key"),
    suffix: by("authentication.invalid-key/key-with-a-tail"),
    prefix: by("authentication.invalid-key/key-with-a-tail"),
    neighbour: by("authentication.invalid-key/by-id", "authentication.invalid-key/cut-key"),
    "decoded-twice": impossible("A header has no percent-encoding."),
    normalised: by("authentication.exact-key/other-case"),
    pattern: by("authentication.invalid-key/cut-key"),
    empty: by("authentication.invalid-key/empty-bearer", "authentication.invalid-key/empty-x-api-key"),
    twice: by("authentication.equivalent/both-good"),
    "of-another-retailer": impossible("A key belongs to no retailer."),
    "of-another-organization": by("authentication.entitlement/two-keys"),
    beside: by("authentication.equivalent/good-and-bad"),
    hostile: by("authentication.invalid-key/empty-bearer"),
    absent: by("authentication.required/by-id", "authentication.required/batch"),
  }),
  "key-header": dimension("request", "header of the key", {
    twice: by("authentication.equivalent/both-good", "authentication.invalid-key/both-bad"),
    "of-another-organization": by("authentication.entitlement/two-keys"),
    beside: by("authentication.equivalent/good-and-bad"),
    hostile: by("authentication.invalid-key/empty-bearer"),
    absent: by("authentication.required/retailers"),
    "after-an-error": by("service.own-response/after-refusal"),
    "by-real-clients": by("authentication.bearer/accepted", "authentication.x-api-key/accepted"),
    "over-time": by("authentication.equivalent/by-id", "limits.per-organization/headers-share"),
  }),
  "content-headers": dimension("request", "Accept, Accept-Encoding and Content-Type", {
    twice: by("service.any-client/every-response"),
    "of-another-organization": impossible("These headers belong to no organization."),
    beside: by("service.any-client/every-response"),
    hostile: by("errors.hostile-input/batch-bodies"),
    absent: by("service.any-client/every-response", "errors.hostile-input/batch-bodies"),
    "after-an-error": by("service.json/every-response"),
    "by-real-clients": by(
      "service.any-client/every-response",
      "service.charset/every-response",
      "errors.shape/every-response",
    ),
    "over-time": by("service.json/every-response"),
  }),
  connection: dimension("request", "connection", {
    twice: by("service.own-response/at-once"),
    "of-another-organization": by("service.own-response/in-turn-by-id"),
    beside: by("service.own-response/after-refusal"),
    hostile: by("errors.hostile-input/batch-bodies"),
    absent: impossible("A request needs a connection."),
    "after-an-error": by("service.own-response/after-refusal"),
    "by-real-clients": by("service.any-client/every-response"),
    "over-time": by("service.own-response/at-once", "errors.false-not-found/known-products"),
  }),
  organization: dimension("request", "organization", {
    twice: by("authentication.entitlement/two-keys"),
    "of-another-organization": by("retailers.scope/other-organization", "query.paging/nothing-hidden"),
    beside: by("service.own-response/in-turn-retailers"),
    hostile: by("authentication.entitlement/two-keys"),
    absent: by("authentication.required/by-category", "authentication.required/malformed-query"),
    "after-an-error": by("service.own-response/after-refusal"),
    "by-real-clients": by("service.organization-scope/by-id"),
    "over-time": by("limits.per-organization/other-untouched", "limits.per-organization/keys-share"),
  }),
  endpoint: dimension("request", "endpoint and method", {
    twice: by("service.four-ways/same-product", "product.same-shape/in-most-products"),
    "of-another-organization": by("authentication.entitlement/every-product"),
    beside: by("query.category-alone/all-three"),
    hostile: by("service.read-only/writing-methods"),
    absent: by("errors.shape/unknown-route"),
    "after-an-error": by("service.own-response/after-refusal"),
    "by-real-clients": by("service.any-client/every-response"),
    "over-time": by("errors.false-not-found/known-products", "limits.honest-wait/accepted-again"),
  }),
} as const satisfies Readonly<Record<string, Dimension>>;

export type DimensionId = keyof typeof dimensions;

/** One cell of the matrix with its place. */
export interface PlacedCell {
  readonly dimension: DimensionId;
  readonly operation: OperationId;
  readonly cell: Cell;
}

/** Every cell, by dimension. */
export const cells: readonly PlacedCell[] = (Object.keys(dimensions) as DimensionId[]).flatMap((id) =>
  Object.entries<Cell>(dimensions[id].cells).map(([operation, cell]) => ({
    dimension: id,
    operation: operation as OperationId,
    cell,
  })),
);

/** How many cells checks try, and how many of them a run could try: at least one of their checks was judged. */
export function triedCells(isJudged: (id: string) => boolean): {
  readonly tried: number;
  readonly of: number;
} {
  const checked = cells.flatMap(({ cell }) => (cell.kind === "checked" ? [cell.by] : []));
  return { tried: checked.filter((ids) => ids.some(isJudged)).length, of: checked.length };
}
