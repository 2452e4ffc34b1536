import type { Condition, HostileKind, SpellingName, ValueChange } from "./vocabulary.ts";

/** EndpointId of schemas/api.ts, whose folder imports this one; `other` is a request to anything else. */
type AskedEndpoint =
  | "retailers"
  | "lookup-by-id"
  | "lookup-by-url"
  | "lookup-by-gtin"
  | "category-page"
  | "batch"
  | "other";

/** A cache, or it cannot be told: not certainly the service. */
export interface ShownResponder {
  by: "cache" | "unclear";
  /** Its own name for itself. */
  name?: string | undefined;
  /** The header that shows a cache, as `name: value`. */
  cache?: string | undefined;
}

/** Of a finding of any code, besides its code's own fields (subject, expected, actual, details). */
export interface SharedFields {
  endpoint?: AskedEndpoint | undefined;
  condition?: Condition | undefined;
  /** JSON Pointer into the body of the response, such as `/products/9/mpn`. */
  path?: string | undefined;
  /** The product concerned. */
  product?: { retailer: string; productId: string } | undefined;
  /** Unit of expected and actual where they are measured. */
  unit?: "ms" | "s" | "requests/s" | "share" | "count" | "bytes" | undefined;
  /** How often, out of how many. */
  seen?: { count: number; total?: number | undefined; of: SeenNoun } | undefined;
  /** The statuses of its responses, if they differ: `details.status` is that of the first. */
  byStatus?: { status: number; count: number }[] | undefined;
  /** Where it was seen: the affected products of each retailer, out of those checked. */
  byRetailer?: { retailer: string; count: number; total: number }[] | undefined;
  /** As byRetailer: the responses of each endpoint. */
  byEndpoint?: { endpoint: AskedEndpoint; count: number; total: number }[] | undefined;
  /** Index in the evidence of the exchange that shows it. */
  exchange?: number | undefined;
  /** Index in the evidence of the exchange that it was compared with. */
  comparedWith?: number | undefined;
  /** JSON Pointer to the same value there, if it differs from `path`. */
  comparedPath?: string | undefined;
  from?: ShownResponder | undefined;
}

type SeenNoun =
  | "responses"
  | "requests"
  | "products"
  | "items"
  | "pages"
  | "attempts"
  | "iterations"
  | "samples";

/** Whose key a request had. */
export type AskedBy = "primary" | "sameOrg" | "otherOrg" | "nobody";

/** Values that say what was special about a request, as its condition requires. */
export interface RequestDetails {
  parameters?: Record<string, string> | undefined;
  items?: number | undefined;
  retailer?: string | undefined;
  after?: AskedBy | undefined;
  kind?: HostileKind | undefined;
  /** The shrunk value that was drawn. */
  value?: string | undefined;
  runs?: number | undefined;
  seed?: number | undefined;
  change?: ValueChange | undefined;
  /** The known value that was changed. */
  instead?: string | undefined;
  spelling?: SpellingName | undefined;
  /** A header as it was sent, or its name. */
  sent?: string | undefined;
}
