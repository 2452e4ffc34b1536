import { caught, type Expectation } from "../expectation.ts";

/** Faults in the lookups by id, by URL and by GTIN. */
export const lookupExpectations: readonly Expectation[] = [
  ...caught("by-id.unknown-slug/known-product", [
    "unknown-retailer-404",
    "unknown-retailer-403",
    "unknown-retailer-silent",
  ]),
  ...caught("by-id.unentitled-slug/existing-product", ["unentitled-retailer-404", "unentitled-retailer-401"]),
  ...caught("by-id.unentitled-slug/existing-product", ["unentitled-retailer-answered"], {
    "authentication.entitlement": "the answer holds a product that is not granted",
  }),
  ...caught("by-id.unknown-product/unknown-id", [
    "unknown-product-400",
    "unknown-product-200",
    "unknown-product-204",
  ]),
  ...caught("by-id.product/every-retailer", ["encoded-identifier-lost", "leading-zeros-lost"]),

  ...caught(
    ["query.url-not-found/unknown-page", "query.url-not-found/unknown-site"],
    ["url-unknown-400", "url-unknown-empty", "url-unknown-403"],
  ),
  ...caught("query.url-not-found/unknown-site", ["url-host-ignored"]),
  ...caught("authentication.entitlement/by-url", ["url-unentitled-answered"]),
  ...caught("query.url/known-page", ["url-query-cut", "url-not-decoded"]),
  ...caught("query.url/known-page", ["url-answers-list"], {
    "product.same-shape": "by URL, the product sits in a list",
  }),

  ...caught("query.gtin-mismatch/other-retailer", [
    "gtin-other-retailer",
    "gtin-mismatch-400",
    "gtin-mismatch-403",
    "gtin-mismatch-empty",
  ]),
  ...caught(
    ["query.gtin-match/own-retailer", "service.four-ways/same-product"],
    ["gtin-scope-never-matches"],
  ),
  ...caught("errors.unknown-retailer/by-gtin", [
    "gtin-unknown-retailer-404",
    "gtin-unknown-retailer-ignored",
  ]),
  ...caught("errors.unentitled-retailer/by-gtin", ["gtin-unentitled-retailer-404"]),
  ...caught("errors.unentitled-retailer/by-gtin", ["gtin-unentitled-retailer-answered"], {
    "authentication.entitlement": "the answer holds a product that is not granted",
  }),
  ...caught("authentication.entitlement/by-gtin", ["gtin-unentitled-answered"]),
  ...caught("query.gtin-not-found/unknown", ["gtin-unknown-empty"]),
  ...caught("query.gtin-not-found/unknown", ["gtin-unknown-400"], {
    "authentication.entitlement":
      "400 where 403 or 404 belong: a GTIN that is not granted is one that is not there",
  }),
  ...caught("query.gtin/known", ["gtin-answers-list"], {
    "product.same-shape": "by GTIN, the product sits in a list",
  }),

  ...caught("query.exclusive-identifiers/gtin-and-url", ["url-and-gtin-accepted"]),
  ...caught("query.category-alone/category-and-gtin", ["gtin-and-category-accepted"]),
  ...caught("query.category-alone/category-and-url", ["url-and-category-accepted"]),
  ...caught(
    ["query.invalid-parameter/no-parameter", "query.invalid-parameter/retailer-alone"],
    ["no-mode-empty-list", "no-mode-404"],
  ),
];
