import {
  excluded,
  gap,
  must,
  onClients,
  type RequirementEntries,
  type RequirementEntry,
  should,
} from "./requirement.ts";

/** Every demand of the spec, in its order. */
const entries = {
  // Spec, What the service does.
  "service.read-only": must(
    "The service is a read-only API",
    "The service is read-only: no request changes or removes a product.",
    "access",
  ),
  "service.json": must(
    "All requests and responses are JSON.",
    "Every response is JSON in UTF-8 with whole characters, and its content type does not contradict that.",
  ),
  "service.any-client": must(
    "All requests and responses are JSON.",
    "A request gets the same response however HTTP, URIs and JSON let a client write it, in a coding that it accepts.",
  ),
  // What HTTP lets a server refuse, usual clients send all the same.
  "service.open-spellings": should(
    "All requests and responses are JSON.",
    "A request gets the same response also where it is written as HTTP lets a service refuse it.",
  ),
  "service.portable-json": should(
    "All requests and responses are JSON.",
    "All parsers read a response alike: no object repeats a name, and whole numbers fit a double.",
  ),
  "service.content-type": should(
    "All requests and responses are JSON.",
    "Every response with a body has a content type.",
  ),
  "service.four-ways": must(
    "Products can be found in four ways:",
    "A product can be found by its page URL, by retailer and product id, by GTIN, and by browsing a category.",
  ),
  "service.organization-scope": must(
    "Access is scoped per organization through an API key.",
    "Access depends on the organization: two keys of one organization get the same responses.",
  ),
  "service.own-response": must(
    "Access is scoped per organization through an API key.",
    "Every request gets its own response, never that of another request, key or organization.",
  ),
  "service.allow-list": excluded(
    "Only an external allow-list of product fields is ever returned. Nothing else from the internal catalog is exposed.",
    "The service returns only the fields of an external allow-list and nothing else from the internal catalog.",
    "The list is not public, so no check can tell whether a field is on it. product.same-shape judges whether every lookup path returns the same fields.",
  ),
  "service.normalization": gap(
    "Field values are not yet fully normalized. Completeness and formatting (casing, units, category taxonomy) vary by retailer.",
    "Field values may differ between retailers in completeness and form.",
    "casing, units and category taxonomy of the values",
  ),
  "service.json-requests": onClients(
    "All requests and responses are JSON.",
    "A client sends JSON: the body of a batch is well-formed.",
  ),
  "service.request-content-type": onClients(
    "All requests and responses are JSON.",
    "A client says of a body that it is JSON.",
    "should",
  ),
  "service.freshness": excluded(
    "`last_updated` on a product is the freshness signal. No fixed refresh interval may be assumed.",
    "A client assumes no fixed refresh interval: last_updated shows how fresh a product is.",
    "A request that is repeated has many possible reasons.",
  ),
  "service.omitted-fields": must(
    "Fields that a retailer did not provide are omitted from the response. They are never returned as null or as an empty string.",
    "A field that a retailer did not provide is omitted, never null, an empty string or a value that can only stand for none.",
  ),
  // A retailer's own data may look like this.
  "service.stand-ins": should(
    "Fields that a retailer did not provide are omitted from the response. They are never returned as null or as an empty string.",
    "No field holds a stand-in for a missing value, such as the text null, blanks, an empty list, one negative price or the first second of 1970.",
  ),
  "service.server-side-only": onClients(
    "The service may only be called from a server the client controls.",
    "A client calls the service from its own server, never from a web page.",
  ),
  "service.key-storage": excluded(
    "The key must not be embedded in a mobile app or public web page, or committed to source control.",
    "A client keeps the key out of apps, web pages and repositories.",
    "No request shows where a key is stored.",
  ),
  // Spec, Resources and their fields.
  "product.same-shape": must(
    "Every lookup path returns the same Product shape.",
    "Every lookup path returns the same fields for the same product.",
  ),
  // The spec demands the same shape only; the same values are a reasonable expectation.
  "product.same-values": should(
    "Every lookup path returns the same Product shape.",
    "Every lookup path returns the same values for the same product.",
  ),
  "product.field-types": must(
    "| price | number | Decimal number. |",
    "A product field named in the spec has the type given there.",
  ),
  "product.retailer": must(
    "Retailer slug (see Retailer).",
    "The retailer of a product is a slug that GET /retailers lists.",
    "access",
  ),
  "product.retailer-name": must(
    "Display name of the retailer.",
    "The retailer_name of a product is not the name of another retailer.",
  ),
  // A retailer may have more than one display name, and values are not normalized.
  "product.listed-name": should(
    "Display name of the retailer.",
    "The retailer_name of a product is the name that GET /retailers gives that retailer.",
  ),
  "product.currency": must("Currency code.", "The currency of a product is a currency code."),
  "product.product-url": must("URL of the product page.", "The product_url of a product is a URL."),
  "product.last-updated": must(
    "ISO 8601 UTC timestamp, freshness signal.",
    "The last_updated of a product is an ISO 8601 timestamp in UTC.",
  ),
  // The clocks of several machines differ.
  "product.freshness": should(
    "ISO 8601 UTC timestamp, freshness signal.",
    "The last_updated of a product is not later than the response.",
  ),
  "product.missing-fields": excluded(
    "Any field may be omitted when the retailer did not provide it.",
    "Any product field may be missing.",
    "It is a permission, so no response can violate it.",
  ),
  "product.tolerant-reader": onClients(
    "Any field may be omitted when the retailer did not provide it.",
    "A client copes with products that lack fields, or that have fields which the specification does not name.",
  ),
  "product.more-fields": gap(
    "The Product also carries images and identifiers (for example a GTIN).",
    "A product also carries images and identifiers.",
    "names and types of images, identifiers and the rest of the allow-list",
  ),
  "product.availability": gap(
    "The allowed values of availability other than `in_stock`: not shown.",
    "availability describes whether a product is available; in_stock is one value.",
    "the other values of availability",
  ),
  "retailer.slug": must(
    "Identifier used as the `retailer` parameter anywhere a retailer is accepted.",
    "A retailer has a slug, which is accepted wherever a retailer parameter is.",
  ),
  "retailer.name": must("Display name.", "The name of a retailer is its display name, a string."),
  // The spec calls only one field of a retailer always present: domains.
  "retailer.name-given": should("Display name.", "A retailer has a display name."),
  "retailer.domains": must(
    "Always present on a retailer entry from GET /v1/retailers; an empty array when none is configured yet.",
    "A retailer always has domains, an array that may be empty.",
  ),
  "retailer.host-names": must("Host names of the retailer.", "The domains of a retailer are host names."),
  // A pattern names hosts, and is none.
  "retailer.no-patterns": should(
    "Host names of the retailer.",
    "The domains of a retailer are host names without a wildcard.",
  ),
  // The spec does not say that the list of domains is complete.
  "retailer.detection": should(
    "A client that needs the retailer before calling may match the host of a URL against the `domains` of the entries from GET /v1/retailers.",
    "The host of a product_url is among the domains of its retailer, where it has any.",
  ),
  "retailer.change": excluded(
    "The set of retailers, and the domains of each, can change at any time",
    "The set of retailers and their domains can change at any time.",
    "It is a permission. The suite accepts every list returned during the run.",
  ),
  "retailer.no-hard-coding": onClients(
    "Clients must not hard-code slugs or a domain-to-slug table, and must not cache a domain map indefinitely.",
    "A client takes retailers from the live list, and hard-codes neither slugs nor domains.",
  ),
  "retailer.domain-map": excluded(
    "must not cache a domain map indefinitely",
    "A client does not cache a domain map indefinitely.",
    "A run lasts minutes, and a map may be kept for that long.",
  ),
  "page.products": must("Items of the page.", "A category page always has an array of products."),
  "page.next-cursor": must(
    "Opaque cursor for the next page.",
    "A category page always has meta.next_cursor, a string.",
  ),
  // With one cursor for all pages, the service keeps the place of a walk: a repeated request skips a page.
  "page.own-cursor": should(
    "Opaque cursor for the next page.",
    "Each page of a category has a cursor of its own.",
  ),
  // Any field may be omitted, so an object without fields may be a product; a client gets nothing of it.
  "page.no-placeholders": should(
    "items of retailers the organization is not entitled to are filtered out",
    "No page has an empty object in place of a product.",
  ),
  "page.opaque-cursor": onClients(
    "Opaque cursor for the next page.",
    "A client passes the cursor back unchanged.",
  ),
  "page.last-cursor": must(
    "Empty when there are no more results.",
    "meta.next_cursor is empty when there are no more results, and only then.",
  ),
  "page.count": must(
    "Number of items on this page.",
    "A category page always has meta.count, the number of its products.",
  ),
  "batch-result.found": must(
    "Carries a list of found products",
    "A batch result has an array of the found products.",
  ),
  "batch-result.errors": must("a list under `errors`", "A batch result has an array under errors."),
  "batch-result.counters": must(
    "a `meta` block with the counters `total`, `found`, `not_found` and `other_errors`",
    "A batch result has the counters total, found, not_found and other_errors under meta.",
  ),
  "batch-result.echo": must(
    "Each sent item and each error entry echoes its `retailer` and `product_id`.",
    "Each entry under errors echoes the retailer and product_id of its item.",
  ),
  "error-body.code": must(
    "Stable machine-readable code (see Errors).",
    "error.code is a machine-readable string.",
  ),
  "error-body.message": must("Human-readable text.", "error.message is a human-readable string."),
  "error-body.wording": onClients(
    "Its wording may change.",
    "The wording of error.message may change: another one does not stop a client.",
  ),
  // Spec, Endpoints.
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
  // Spec, Authentication, Errors, Limits and Versioning.
  "authentication.required": must(
    "Every request carries an API key in either of two headers (equivalent):",
    "Every endpoint requires a key.",
    "access",
  ),
  "authentication.equivalent": must(
    "Every request carries an API key in either of two headers (equivalent):",
    "The two headers are equivalent: the same request gets the same response.",
  ),
  "authentication.bearer": must(
    "`Authorization: Bearer <API_KEY>`",
    "A key is accepted as Authorization: Bearer.",
    "access",
  ),
  "authentication.x-api-key": must("`X-Api-Key: <API_KEY>`", "A key is accepted as X-Api-Key.", "access"),
  "authentication.key-in-header": onClients(
    "Every request carries an API key in either of two headers (equivalent):",
    "A client sends its key in one of the two headers, and nowhere else.",
  ),
  "authentication.onboarding": excluded(
    "Acceptance of terms of use is part of onboarding, before a key is activated.",
    "Keys are issued by the operator after the terms of use are accepted.",
    "It happens before the first request.",
  ),
  "authentication.invalid-key": must(
    "A missing or invalid key gives 401 (`unauthorized`).",
    "A request with an invalid key returns 401.",
    "access",
  ),
  // The spec does not say that the case of a key counts.
  "authentication.exact-key": should(
    "A missing or invalid key gives 401 (`unauthorized`).",
    "A key in another case is not accepted.",
    "access",
  ),
  "authentication.entitlement": must(
    "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
    "No request returns a product of a retailer that the key's organization may not use: it gets 403, 404 or, by GTIN, another product.",
    "access",
  ),
  "errors.shape": must(
    "Every error response has the Error body shape `{ error: { code, message } }`.",
    "Every error response has the body {error: {code, message}}.",
  ),
  "errors.success-is-no-error": must(
    "Every error response has the Error body shape `{ error: { code, message } }`.",
    "An error has an error status: no successful response has an error body.",
  ),
  "errors.branch-on-code": onClients(
    "Clients branch on `code`, never on `message`.",
    "A client branches on the code, never on the message.",
  ),
  // The specification does not forbid to repeat a request that cannot succeed.
  "errors.final-refusals": onClients(
    "Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    "A client does not repeat a request that 400, 401, 403 or 404 refused.",
    "should",
  ),
  "errors.patient-retries": onClients(
    "The internal catalog returned an error or timed out.",
    "A client gives up a request that keeps failing on the side of the service.",
    "should",
  ),
  "errors.bad-request": must(
    "Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    "A response with status 400 has the code bad_request.",
  ),
  "errors.unauthorized": must(
    "API key missing or invalid.",
    "A response with status 401 has the code unauthorized.",
  ),
  "errors.forbidden": must(
    "Key valid but not entitled to the request (for example a retailer not granted).",
    "A response with status 403 has the code forbidden.",
  ),
  "errors.not-found": must("No matching product.", "A response with status 404 has the code not_found."),
  "errors.rate-limited": must(
    "Rate limit exceeded.",
    "A response with status 429 has the code rate_limited.",
  ),
  "errors.retry-after": must(
    "The `Retry-After` response header gives the seconds to wait.",
    "A response with status 429 has a Retry-After header with the seconds to wait.",
  ),
  "errors.internal-error": must(
    "Failure on the service side.",
    "A response with status 500 has the code internal_error.",
  ),
  "errors.upstream-error": must(
    "The internal catalog returned an error or timed out.",
    "A response with status 502 or 504 has the code upstream_error.",
  ),
  "errors.false-not-found": must(
    "No matching product.",
    "404 means that no product matches: nothing that exists is reported as not found, left out of a batch or replaced by an empty page.",
  ),
  "errors.hostile-input": must(
    "Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    "No input, however unusual, causes a server error or a missing response.",
  ),
  "errors.unknown-retailer": must(
    "An unknown retailer slug gives 400 and an unentitled one gives 403. Neither returns a silent empty result.",
    "An unknown retailer slug returns 400, or is listed under errors in a batch, never an empty result.",
  ),
  "errors.unentitled-retailer": must(
    "An unknown retailer slug gives 400 and an unentitled one gives 403. Neither returns a silent empty result.",
    "The slug of a retailer that is not granted returns 403, or is listed under errors in a batch, never an empty result.",
    "access",
  ),
  "limits.rate": must(
    "exceeding it gives 429 with `Retry-After` (seconds)",
    "Exceeding the rate limit returns 429.",
  ),
  "limits.per-organization": must(
    "applied per organization",
    "The rate limit applies per organization: its keys share it, and no other organization is affected.",
  ),
  "limits.honest-wait": must(
    "The `Retry-After` response header gives the seconds to wait.",
    "After Retry-After seconds, requests succeed again.",
  ),
  "limits.respect": onClients(
    "Clients must respect `Retry-After` and not assume a fixed rate.",
    "A client respects Retry-After and assumes no fixed rate.",
  ),
  // A client may give up as well; it has not sent anything too early.
  "limits.sent-again": onClients(
    "The `Retry-After` response header gives the seconds to wait.",
    "A client sends a refused request again after the wait.",
    "should",
  ),
  "limits.numbers": gap(
    "The numeric request rate limit: not shown.",
    "The service has a rate limit and a page size.",
    "the rate limit, and the default and maximum of limit",
  ),
  "versioning.path": must(
    "the base address ends in the segment `/v1`, and all endpoints are under it.",
    "All endpoints are below a base URL that ends in the version segment /v1.",
  ),
  "versioning.changelog": excluded(
    "Changes such as new retailers are announced in a changelog.",
    "Changes such as new retailers are announced in a changelog.",
    "A changelog is not part of the API.",
  ),
  "versioning.policy": gap(
    "Compatibility and deprecation policy, and any version header: not shown.",
    "The API has a policy for compatibility and deprecation.",
    "the policy, and any version header",
  ),
} satisfies RequirementEntries;

export type RequirementId = keyof typeof entries;

/** The id of a check or rule: that of its requirement, and a name of its own. */
export type CheckId = `${RequirementId}/${string}`;

export interface Requirement extends RequirementEntry {
  readonly id: RequirementId;
}

/** Every requirement, in the order of the spec. */
export const requirements: readonly Requirement[] = Object.entries(entries).map(([id, entry]) => ({
  id: id as RequirementId,
  ...entry,
}));

const byId: ReadonlyMap<string, Requirement> = new Map(requirements.map((entry) => [entry.id, entry]));

/** The requirement with this id. @throws Error when there is none. */
export function requirement(id: string): Requirement {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`no requirement has the id ${id}: add it to requirements/`);
  return found;
}

export function requirementOf(id: CheckId): RequirementId {
  return id.slice(0, id.indexOf("/")) as RequirementId;
}
