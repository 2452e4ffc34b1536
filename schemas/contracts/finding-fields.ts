import * as t from "./schema.ts";
import type { HostileKind, ValueChange } from "./vocabulary.ts";

// What findings consist of. A code has fields of its own (subject, expected, actual, details); all other fields are the
// same for every code.

export const endpointId = t.choice(
  ["retailers", "lookup-by-id", "lookup-by-url", "lookup-by-gtin", "category-page", "batch", "other"],
  "As in schemas/api.ts; `other` is a request to anything else.",
);

const condition = t.named(
  "Condition",
  t.choice(
    [
      "good-key",
      "known-retailers",
      "no-key",
      "invalid-key",
      "both-headers",
      "either-header",
      "second-key",
      "other-organization",
      "retailer-not-granted",
      "unknown-retailer",
      "known-product",
      "unknown-product",
      "known-url",
      "unknown-url",
      "unknown-site",
      "known-gtin",
      "unknown-gtin",
      "known-gtin-scoped",
      "gtin-of-other-retailer",
      "known-category",
      "unknown-category",
      "parameters",
      "known-items",
      "duplicate-item",
      "unknown-item",
      "only-unknown-items",
      "batch-size",
      "malformed-batch",
      "incomplete-item",
      "every-batch-form",
      "unknown-path",
      "burst",
      "base-address",
      "hostile-input",
      "changed-value",
      "at-once",
      "after-refusal",
      "in-turn",
    ],
    "What was special about a request. schemas/words/requests.ts has the words.",
  ),
);
export type Condition = t.Static<typeof condition>;

/** What gave a response, if it was not certainly the service: something in front of it, a cache, or it cannot be told. */
export interface ShownResponder {
  by: "between" | "cache" | "unclear";
  /** Its own name for itself. */
  name?: string | undefined;
  /** The header that shows a cache, as `name: value`. */
  cache?: string | undefined;
}

const sharedFields = {
  endpoint: t.optional(endpointId),
  condition: t.optional(condition),
  path: t.optional(t.string("JSON Pointer into the body of the response, such as `/products/9/mpn`.")),
  product: t.optional(t.object({ retailer: t.string(), productId: t.string() }, "The product concerned.")),
  unit: t.optional(
    t.choice(
      ["ms", "s", "requests/s", "share", "count", "bytes"],
      "Unit of expected and actual where they are measured.",
    ),
  ),
  seen: t.optional(
    t.object(
      {
        count: t.count(),
        total: t.optional(t.count()),
        of: t.choice([
          "responses",
          "requests",
          "products",
          "items",
          "pages",
          "attempts",
          "iterations",
          "samples",
          "lines",
          "pods",
        ]),
      },
      "How often, out of how many.",
    ),
  ),
  byStatus: t.optional(
    t.array(
      t.object({ status: t.count(), count: t.count() }),
      "The statuses of the responses in which it was seen, if they differ: `details.status` is that of the first.",
    ),
  ),
  byRetailer: t.optional(
    t.array(
      t.object({ retailer: t.string(), count: t.count(), total: t.count() }),
      "Where it was seen: the affected products of each retailer, out of those checked.",
    ),
  ),
  byEndpoint: t.optional(
    t.array(
      t.object({ endpoint: endpointId, count: t.count(), total: t.count() }),
      "As byRetailer: the responses of each endpoint.",
    ),
  ),
  exchange: t.optional(t.count("Index in the evidence of the exchange that shows it.")),
  comparedWith: t.optional(t.count("Index in the evidence of the exchange that it was compared with.")),
  from: t.optional(t.custom<ShownResponder>({})),
  comparedPath: t.optional(t.string("JSON Pointer to the same value there, if it differs from `path`.")),
};
export type SharedFields = t.ValueOf<typeof sharedFields>;

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
  shrunk?: number | undefined;
  change?: ValueChange | undefined;
  /** The known value that was changed. */
  instead?: string | undefined;
}
