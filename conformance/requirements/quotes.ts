/**
 * The quote from the spec behind each requirement, word for word and in the order of the spec. Of a table, the cell.
 */
export const quotes: Readonly<Record<string, string>> = {
  // What the service does
  "service.read-only": "The service is a read-only API",
  "service.json": "All requests and responses are JSON.",
  "service.content-type": "All requests and responses are JSON.",
  "service.four-ways": "Products can be found in four ways:",
  "service.organization-scope": "Access is scoped per organization through an API key.",
  "service.own-response": "Access is scoped per organization through an API key.",
  "service.allow-list":
    "Only an external allow-list of product fields is ever returned. Nothing else from the internal catalog is exposed.",
  "service.normalization":
    "Field values are not yet fully normalized. Completeness and formatting (casing, units, category taxonomy) vary by retailer.",
  "service.freshness":
    "`last_updated` on a product is the freshness signal. No fixed refresh interval may be assumed.",
  "service.omitted-fields":
    "Fields that a retailer did not provide are omitted from the response. They are never returned as null or as an empty string.",
  "service.server-side-only": "The service may only be called from a server the client controls.",
  // Resources and their fields: Product
  "product.same-shape": "Every lookup path returns the same Product shape.",
  "product.same-values": "Every lookup path returns the same Product shape.",
  "product.field-types": "| price | number | Decimal number. |",
  "product.retailer": "Retailer slug (see Retailer).",
  "product.currency": "Currency code.",
  "product.product-url": "URL of the product page.",
  "product.last-updated": "ISO 8601 UTC timestamp, freshness signal.",
  "product.missing-fields": "Any field may be omitted when the retailer did not provide it.",
  "product.more-fields": "The Product also carries images and identifiers (for example a GTIN).",
  "product.availability": "The allowed values of availability other than `in_stock`: not shown.",
  // Resources and their fields: Retailer
  "retailer.slug": "Identifier used as the `retailer` parameter anywhere a retailer is accepted.",
  "retailer.name": "Display name.",
  "retailer.name-given": "Display name.",
  "retailer.domains":
    "Always present on a retailer entry from GET /v1/retailers; an empty array when none is configured yet.",
  "retailer.host-names": "Host names of the retailer.",
  "retailer.change": "The set of retailers, and the domains of each, can change at any time",
  "retailer.no-hard-coding":
    "Clients must not hard-code slugs or a domain-to-slug table, and must not cache a domain map indefinitely.",
  // Resources and their fields: Product list page (category browsing)
  "page.products": "Items of the page.",
  "page.next-cursor": "Opaque cursor for the next page.",
  "page.opaque-cursor": "Opaque cursor for the next page.",
  "page.last-cursor": "Empty when there are no more results.",
  "page.count": "Number of items on this page.",
  // Resources and their fields: Batch result
  "batch-result.found": "Carries a list of found products",
  "batch-result.errors": "a list under `errors`",
  "batch-result.counters":
    "a `meta` block with the counters `total`, `found`, `not_found` and `other_errors`",
  "batch-result.echo": "Each sent item and each error entry echoes its `retailer` and `product_id`.",
  // Resources and their fields: Error body
  "error-body.code": "Stable machine-readable code (see Errors).",
  "error-body.message": "Human-readable text.",
  "error-body.wording": "Its wording may change.",
  // Endpoints: GET /v1/retailers
  "retailers.shape": "Response 200: `{ retailers: [ Retailer, ... ] }`.",
  "retailers.scope": "The list is scoped to the calling organization and is the live source of truth.",
  "retailers.live": "The list is scoped to the calling organization and is the live source of truth.",
  // Endpoints: GET /v1/products/{retailer}/{product_id}
  "by-id.product": "Response 200: a Product.",
  "by-id.unknown-slug": "A slug that does not exist gives 400 (`bad_request`).",
  "by-id.unentitled-slug": "A slug the organization is not entitled to gives 403 (`forbidden`).",
  "by-id.unknown-product": "An unknown product gives 404 (`not_found`).",
  // Endpoints: GET /v1/products (query-driven)
  "query.limit": "Requested page size.",
  "query.url": "Product page URL. The retailer is resolved server-side.",
  "query.url-not-found": "When the URL does not resolve to a product in the catalog, the response is 404.",
  "query.gtin": "`gtin` (optionally with `retailer`): returns a Product.",
  "query.gtin-not-found": "No matching product.",
  "query.gtin-match": "`gtin` (optionally with `retailer`): returns a Product.",
  "query.gtin-mismatch":
    "When `retailer` is given and the product resolves to a different retailer, the response is 404, not a result from the other retailer.",
  "query.category": "`category` (optionally with `limit`, `cursor`): returns a Product list page.",
  "query.exclusive-identifiers":
    "`gtin` and `url` are mutually exclusive. Exactly one identifier per request.",
  "query.category-alone": "`category` cannot be combined with `gtin` or `url`.",
  "query.invalid-parameter": "A missing or invalid parameter gives 400 (`bad_request`).",
  "query.paging":
    "Paging: pass `meta.next_cursor` back as `cursor` to get the next page. An empty `next_cursor` means there are no more results.",
  "query.follow-cursor": "Paging must follow `next_cursor`, not whether `count` reached `limit`.",
  // Endpoints: POST /v1/products/batch-lookup
  "batch.lookup": "Looks up up to 50 products in one call.",
  "batch.size": "Looks up up to 50 products in one call.",
  "batch.over-size": "A batch over the size limit gives 400 (`bad_request`).",
  "batch.malformed": "Malformed request: missing or invalid parameter",
  "batch.partial":
    "A batch in which some items are not found still returns 200. Those items are listed under `errors`",
  "batch.summary": "`meta` (`total`, `found`, `not_found`, `other_errors`) summarizes the outcome.",
  "batch.names":
    "The exact request body field names, the name of the list of found products, and the fields of an error entry beyond `retailer` and `product_id`: not shown.",
  // Authentication
  "authentication.required": "Every request carries an API key in either of two headers (equivalent):",
  "authentication.equivalent": "Every request carries an API key in either of two headers (equivalent):",
  "authentication.bearer": "`Authorization: Bearer <API_KEY>`",
  "authentication.x-api-key": "`X-Api-Key: <API_KEY>`",
  "authentication.onboarding": "Acceptance of terms of use is part of onboarding, before a key is activated.",
  "authentication.invalid-key": "A missing or invalid key gives 401 (`unauthorized`).",
  "authentication.entitlement":
    "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
  // Errors
  "errors.shape": "Every error response has the Error body shape `{ error: { code, message } }`.",
  "errors.success-is-no-error":
    "Every error response has the Error body shape `{ error: { code, message } }`.",
  "errors.branch-on-code": "Clients branch on `code`, never on `message`.",
  "errors.bad-request":
    "Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
  "errors.unauthorized": "API key missing or invalid.",
  "errors.forbidden": "Key valid but not entitled to the request (for example a retailer not granted).",
  "errors.not-found": "No matching product.",
  "errors.rate-limited": "Rate limit exceeded.",
  "errors.retry-after": "The `Retry-After` response header gives the seconds to wait.",
  "errors.internal-error": "Failure on the service side.",
  "errors.upstream-error": "The internal catalog returned an error or timed out.",
  "errors.false-not-found": "No matching product.",
  "errors.hostile-input":
    "Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
  "errors.unknown-retailer":
    "An unknown retailer slug gives 400 and an unentitled one gives 403. Neither returns a silent empty result.",
  "errors.unentitled-retailer":
    "An unknown retailer slug gives 400 and an unentitled one gives 403. Neither returns a silent empty result.",
  // Limits
  "limits.rate": "exceeding it gives 429 with `Retry-After` (seconds)",
  "limits.per-organization": "applied per organization",
  "limits.honest-wait": "Clients must respect `Retry-After` and not assume a fixed rate.",
  "limits.respect": "Clients must respect `Retry-After` and not assume a fixed rate.",
  "limits.numbers": "The numeric request rate limit: not shown.",
  // Versioning
  "versioning.path": "the base address ends in the segment `/v1`, and all endpoints are under it.",
  "versioning.changelog": "Changes such as new retailers are announced in a changelog.",
  "versioning.policy": "Compatibility and deprecation policy, and any version header: not shown.",
};
