import { clientOnly, excluded, gap, must, ours, type Requirement, should } from "./requirement.ts";

/** Spec, Resources and their fields. */
export const resourceRequirements: readonly Requirement[] = [
  must("product.same-shape", "Every lookup path returns the same fields for the same product."),
  // The spec demands the same shape only; the same values are a reasonable expectation.
  should("product.same-values", "Every lookup path returns the same values for the same product."),
  must("product.field-types", "A product field named in the spec has the type given there."),
  must("product.retailer", "The retailer of a product is a slug that GET /retailers lists."),
  must("product.currency", "The currency of a product is a currency code."),
  must("product.product-url", "The product_url of a product is a URL."),
  must("product.last-updated", "The last_updated of a product is an ISO 8601 timestamp in UTC."),
  excluded(
    "product.missing-fields",
    "Any product field may be missing.",
    "It is a permission, so no response can violate it.",
  ),
  gap(
    "product.more-fields",
    "A product also carries images and identifiers.",
    "names and types of images, identifiers and the rest of the allow-list",
  ),
  gap(
    "product.availability",
    "availability describes whether a product is available; in_stock is one value.",
    "the other values of availability",
  ),
  must("retailer.slug", "A retailer has a slug, which is accepted wherever a retailer parameter is."),
  must("retailer.name", "The name of a retailer is its display name, a string."),
  // Of the fields of a retailer, the spec calls only domains always present.
  should("retailer.name-given", "A retailer has a display name."),
  must("retailer.domains", "A retailer always has domains, an array that may be empty."),
  must("retailer.host-names", "The domains of a retailer are host names."),
  ours(
    "retailer.no-hard-coding",
    "A client hard-codes neither slugs nor domains and does not cache a domain map indefinitely.",
    "conformance/discovery/discover.test.ts",
  ),
  excluded(
    "retailer.change",
    "The set of retailers and their domains can change at any time.",
    "It is a permission. The suite accepts every list returned during the run.",
  ),
  must("page.products", "A category page always has an array of products."),
  must("page.next-cursor", "A category page always has meta.next_cursor, a string."),
  must("page.last-cursor", "meta.next_cursor is empty when there are no more results, and only then."),
  must("page.count", "A category page always has meta.count, the number of its products."),
  ours(
    "page.opaque-cursor",
    "A client passes the cursor back unchanged.",
    "conformance/discovery/discover.test.ts",
  ),
  must("batch-result.found", "A batch result has an array of the found products."),
  must("batch-result.errors", "A batch result has an array under errors."),
  must(
    "batch-result.counters",
    "A batch result has the counters total, found, not_found and other_errors under meta.",
  ),
  must("batch-result.echo", "Each entry under errors echoes the retailer and product_id of its item."),
  must("error-body.code", "error.code is a machine-readable string."),
  must("error-body.message", "error.message is a human-readable string."),
  clientOnly(
    "error-body.wording",
    "The wording of error.message may change, so clients do not depend on it.",
    "No check depends on a message. Discovery reads messages only to find the field names of a batch.",
  ),
];
