import { excluded, gap, must, ours, type Requirement } from "./requirement.ts";

/** Spec, Endpoints. */
export const endpointRequirements: readonly Requirement[] = [
  must("retailers.shape", "GET /retailers answers 200 with a list under retailers."),
  must(
    "retailers.scope",
    "GET /retailers lists the retailers that the calling organization may use, and no others.",
  ),
  excluded(
    "retailers.live",
    "The list is the live source of truth.",
    "What is true behind the service cannot be seen from outside.",
  ),
  must("by-id.product", "A lookup by retailer and product id gives that very product."),
  must(
    "by-id.unknown-slug",
    "A lookup by id under a retailer slug that does not exist is answered with 400.",
  ),
  must(
    "by-id.unentitled-slug",
    "A lookup by id under a retailer that the organization may not use is answered with 403.",
  ),
  must(
    "by-id.unknown-product",
    "A lookup by id of a product that the retailer does not have is answered with 404.",
  ),
  must("query.url", "A lookup by page URL gives the product of that page, without a word on the retailer."),
  must("query.url-not-found", "A URL that leads to no product of the catalogue is answered with 404."),
  must("query.gtin", "A lookup by GTIN gives a product with that GTIN."),
  must("query.gtin-not-found", "A GTIN that no product has is answered with 404."),
  must("query.gtin-match", "A GTIN scoped to a retailer that has the product gives that retailer's product."),
  must(
    "query.gtin-mismatch",
    "A GTIN scoped to a retailer other than the one that its product resolves to is answered with 404, never with another retailer's product.",
  ),
  must("query.category", "Browsing a category gives pages of products."),
  must(
    "query.exclusive-identifiers",
    "gtin and url exclude each other: both together are answered with 400.",
  ),
  must("query.category-alone", "category with gtin or url is answered with 400."),
  must("query.invalid-parameter", "A missing or invalid parameter is answered with 400."),
  must("query.limit", "limit asks for a page size: no page has more items."),
  must(
    "query.paging",
    "meta.next_cursor, passed back as cursor, gives the next page: no item comes twice and none is left out.",
  ),
  ours(
    "query.follow-cursor",
    "Paging follows next_cursor, not whether count reached limit.",
    "conformance/discovery/discover.test.ts",
  ),
  must("batch.lookup", "A batch gives the products of the items that were sent."),
  must(
    "batch.partial",
    "A batch in which some items are not found is answered with 200 and lists those under errors.",
  ),
  must("batch.summary", "The counters of a batch summarize its outcome: they add up."),
  must("batch.size", "A batch takes up to 50 items."),
  must("batch.over-size", "A batch of more than 50 items is answered with 400."),
  must("batch.malformed", "A batch that is malformed is answered with 400."),
  gap(
    "batch.names",
    "A batch request and result have further names.",
    "request field, list of found products, further fields of an error entry",
  ),
];
