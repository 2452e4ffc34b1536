import { excluded, gap, must, ours, type Requirement } from "./requirement.ts";

/** Spec, Endpoints. */
export const endpointRequirements: readonly Requirement[] = [
  must("retailers.shape", "GET /retailers returns 200 with an array under retailers."),
  must(
    "retailers.scope",
    "GET /retailers lists the retailers that the calling organization may use, and no others.",
  ),
  excluded(
    "retailers.live",
    "The list is the live source of truth.",
    "Whether the list is complete and current cannot be seen from outside.",
  ),
  must("by-id.product", "A lookup by retailer and product id returns exactly that product."),
  must("by-id.unknown-slug", "A lookup by id with an unknown retailer slug returns 400."),
  must(
    "by-id.unentitled-slug",
    "A lookup by id for a retailer that the organization may not use returns 403.",
  ),
  must("by-id.unknown-product", "A lookup by id for a product that the retailer does not have returns 404."),
  must(
    "query.url",
    "A lookup by page URL returns the product of that page; the request does not name the retailer.",
  ),
  must("query.url-not-found", "A lookup by a URL that does not resolve to a product returns 404."),
  must("query.gtin", "A lookup by GTIN returns a product with that GTIN."),
  must("query.gtin-not-found", "A lookup by a GTIN that no product has returns 404."),
  must(
    "query.gtin-match",
    "A lookup by GTIN scoped to a retailer that has the product returns that retailer's product.",
  ),
  must(
    "query.gtin-mismatch",
    "A lookup by GTIN scoped to a retailer that does not have the product returns 404, never another retailer's product.",
  ),
  must("query.category", "Browsing a category returns pages of products."),
  must(
    "query.exclusive-identifiers",
    "gtin and url are mutually exclusive: a request with both returns 400.",
  ),
  must("query.category-alone", "category cannot be combined with gtin or url: such a request returns 400."),
  must("query.invalid-parameter", "A missing or invalid parameter returns 400."),
  must("query.limit", "limit sets the page size: no page has more products than that."),
  must(
    "query.paging",
    "meta.next_cursor, passed back as cursor, returns the next page: no product is repeated or left out.",
  ),
  ours(
    "query.follow-cursor",
    "Paging follows next_cursor, not whether count reached limit.",
    "conformance/discovery/discover.test.ts",
  ),
  must("batch.lookup", "A batch returns the products of the items that were sent."),
  must(
    "batch.partial",
    "A batch in which some items are not found returns 200 and lists those items under errors.",
  ),
  must("batch.summary", "The counters of a batch result add up and match its contents."),
  must("batch.size", "A batch may have up to 50 items."),
  must("batch.over-size", "A batch of more than 50 items returns 400."),
  must("batch.malformed", "A malformed batch returns 400."),
  gap(
    "batch.names",
    "A batch request and result have further field names.",
    "request field, array of found products, further fields of an error entry",
  ),
];
