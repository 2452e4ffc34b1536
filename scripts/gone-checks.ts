/**
 * Ids of checks that earlier versions had, each with the id that judges the same now: whoever still names one, in a flag, a
 * waiver or a command, is told so with exit code 2. Not more than 40 lines.
 */
export const goneChecks: Readonly<Record<string, string>> = {
  "authentication.entitlement/other-organization-batch": "authentication.entitlement/other-organization",
  "authentication.entitlement/other-organization-by-id": "authentication.entitlement/other-organization",
  "authentication.entitlement/other-organization-by-url": "authentication.entitlement/other-organization",
  "authentication.entitlement/second-key-batch": "authentication.entitlement/second-key",
  "authentication.entitlement/second-key-by-url": "authentication.entitlement/second-key",
  "authentication.invalid-key/other-case": "authentication.exact-key/other-case",
  "batch.over-size/with-a-repeat": "batch.over-size/fifty-one",
  "batch.summary/total": "batch.summary/every-item",
  "page.last-cursor/walk-ends-again": "page.last-cursor/walk-ends",
  "query.category-alone/all-three": "query.category-alone/category-and-url",
  "query.category-alone/category-and-gtin-and-retailer": "query.category-alone/category-and-gtin",
  "query.exclusive-identifiers/gtin-and-retailer-and-url": "query.exclusive-identifiers/gtin-and-url",
  "errors.unknown-retailer/changed-scope": "errors.unknown-retailer/by-gtin",
  "query.gtin/in-groups": "query.gtin-not-found/changed-gtin",
  "query.paging/same-products-in-uneven-pages": "query.paging/same-products-in-smaller-pages",
  "query.url/other-case": "query.url/changed-page",
  "product.same-shape/in-most-products": "product.same-shape",
  "product.same-values/in-most-products": "product.same-values",
  "product.same-values/in-some-products": "product.same-values",
  "service.own-response/in-turn-batch": "service.own-response/in-turn",
  "service.own-response/in-turn-by-category": "service.own-response/in-turn",
  "service.own-response/in-turn-by-gtin": "service.own-response/in-turn",
  "service.own-response/in-turn-by-gtin-unscoped": "service.own-response/in-turn",
  "service.own-response/in-turn-by-id": "service.own-response/in-turn",
  "service.own-response/in-turn-by-url": "service.own-response/in-turn",
  "service.own-response/in-turn-retailers": "service.own-response/in-turn",
};
