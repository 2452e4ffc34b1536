import { excluded, gap, must, onClients, type RequirementEntries, should } from "./requirement.ts";

/** Spec, Resources and their fields. */
export const resourceRequirements = {
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
} satisfies RequirementEntries;
