import { excluded, gap, must, onClients, type RequirementEntries, should } from "./requirement.ts";

/** Spec, Endpoints. */
export const endpointRequirements = {
  "retailers.shape": must(
    "Response 200: `{ retailers: [ Retailer, ... ] }`.",
    "GET /retailers returns 200 with an array under retailers.",
  ),
  "retailers.scope": must(
    "The list is scoped to the calling organization and is the live source of truth.",
    "GET /retailers lists the retailers that the calling organization may use, and no others.",
    "access",
  ),
  "retailers.live": excluded(
    "The list is scoped to the calling organization and is the live source of truth.",
    "The list is the live source of truth.",
    "Whether the list is complete and current cannot be seen from outside.",
  ),
  "by-id.product": must(
    "Response 200: a Product.",
    "A lookup by retailer and product id returns exactly that product.",
  ),
  "by-id.unknown-slug": must(
    "A slug that does not exist gives 400 (`bad_request`).",
    "A lookup by id with an unknown retailer slug returns 400.",
  ),
  "by-id.unentitled-slug": must(
    "A slug the organization is not entitled to gives 403 (`forbidden`).",
    "A lookup by id for a retailer that the organization may not use returns 403.",
    "access",
  ),
  "by-id.unknown-product": must(
    "An unknown product gives 404 (`not_found`).",
    "A lookup by id for a product that the retailer does not have returns 404.",
  ),
  "query.limit": must(
    "Requested page size.",
    "limit sets the page size: no page has more products than that.",
  ),
  "query.url": must(
    "Product page URL. The retailer is resolved server-side.",
    "A lookup by page URL returns the product of that page; the request does not name the retailer.",
  ),
  "query.url-not-found": must(
    "When the URL does not resolve to a product in the catalog, the response is 404.",
    "A lookup by a URL that does not resolve to a product returns 404.",
  ),
  "query.gtin": must(
    "`gtin` (optionally with `retailer`): returns a Product.",
    "A lookup by GTIN returns a product with that GTIN.",
  ),
  "query.gtin-not-found": must("No matching product.", "A lookup by a GTIN that no product has returns 404."),
  "query.gtin-match": must(
    "`gtin` (optionally with `retailer`): returns a Product.",
    "A lookup by GTIN scoped to the retailer that it resolves to returns that retailer's product.",
  ),
  "query.gtin-mismatch": must(
    "When `retailer` is given and the product resolves to a different retailer, the response is 404, not a result from the other retailer.",
    "A lookup by GTIN scoped to a retailer that does not have the product returns 404, never another retailer's product.",
  ),
  "query.category": must(
    "`category` (optionally with `limit`, `cursor`): returns a Product list page.",
    "Browsing a category returns pages of products.",
  ),
  // Categories are not normalized: a service may browse a similar one.
  "query.unknown-category": should(
    "A missing or invalid parameter gives 400 (`bad_request`).",
    "Browsing a category that does not exist returns no products.",
  ),
  "query.exclusive-identifiers": must(
    "`gtin` and `url` are mutually exclusive. Exactly one identifier per request.",
    "gtin and url are mutually exclusive: a request with both returns 400.",
  ),
  "query.category-alone": must(
    "`category` cannot be combined with `gtin` or `url`.",
    "category cannot be combined with gtin or url: such a request returns 400.",
  ),
  "query.invalid-parameter": must(
    "A missing or invalid parameter gives 400 (`bad_request`).",
    "A missing or invalid parameter returns 400.",
  ),
  // The spec gives no range of limit, and a service may read a cursor as a place in any list.
  "query.impossible-value": should(
    "A missing or invalid parameter gives 400 (`bad_request`).",
    "A negative limit returns 400, and the cursor of another category 400 or a page of the requested one.",
  ),
  "query.paging": must(
    "Paging: pass `meta.next_cursor` back as `cursor` to get the next page. An empty `next_cursor` means there are no more results.",
    "meta.next_cursor, passed back as cursor, returns the next page: no product is repeated or left out.",
  ),
  "query.one-identifier": onClients(
    "`gtin` and `url` are mutually exclusive. Exactly one identifier per request.",
    "A client names exactly one of url, gtin and category in a request.",
  ),
  "query.follow-cursor": onClients(
    "Paging must follow `next_cursor`, not whether `count` reached `limit`.",
    "Paging follows next_cursor, not whether count reached limit.",
  ),
  "batch.lookup": must(
    "Looks up up to 50 products in one call.",
    "A batch returns the products of the items that were sent.",
  ),
  "batch.size": must("Looks up up to 50 products in one call.", "A batch may have up to 50 items."),
  "batch.most-items": onClients(
    "at most 50 items per POST /v1/products/batch-lookup call",
    "A client sends at most 50 items in a batch.",
  ),
  "batch.over-size": must(
    "A batch over the size limit gives 400 (`bad_request`).",
    "A batch of more than 50 items returns 400.",
  ),
  "batch.malformed": must(
    "Malformed request: missing or invalid parameter",
    "A malformed batch returns 400.",
  ),
  "batch.partial": must(
    "A batch in which some items are not found still returns 200. Those items are listed under `errors`",
    "A batch in which some items are not found returns 200 and lists those items under errors.",
  ),
  "batch.summary": must(
    "`meta` (`total`, `found`, `not_found`, `other_errors`) summarizes the outcome.",
    "The counters of a batch result add up and match its contents.",
  ),
  "batch.names": gap(
    "The exact request body field names, the name of the list of found products, and the fields of an error entry beyond `retailer` and `product_id`: not shown.",
    "A batch request and result have further field names.",
    "request field, array of found products, further fields of an error entry",
  ),
} satisfies RequirementEntries;
