import { clientOnly, excluded, gap, must, ours, type Requirement, should } from "./requirement.ts";

/** Spec, Resources and their fields. */
export const resourceRequirements: readonly Requirement[] = [
  must(
    "product.same-shape",
    "Every way to look a product up gives the same shape: the same fields for the same product.",
  ),
  // The spec speaks of one shape; that the same product also says the same is what anybody would expect of it.
  should("product.same-values", "Every way to look a product up gives the same values for the same product."),
  must("product.field-types", "A product field that the spec names has the type that the spec gives it."),
  must(
    "product.retailer",
    "The retailer of a product is the slug of a retailer, as GET /retailers lists it.",
  ),
  must("product.currency", "The currency of a product is a currency code."),
  must("product.product-url", "The product_url of a product is a URL."),
  must("product.last-updated", "The last_updated of a product is an ISO 8601 timestamp in UTC."),
  excluded(
    "product.missing-fields",
    "Any product field may be missing.",
    "It is a permission: nothing breaks it.",
  ),
  gap(
    "product.more-fields",
    "A product also carries images and identifiers.",
    "names and types of images, identifiers and the rest of the allow-list",
  ),
  gap(
    "product.availability",
    "availability tells whether a product can be had; in_stock is one value.",
    "the other values of availability",
  ),
  must("retailer.slug", "A retailer has a slug that is accepted wherever a retailer is."),
  must("retailer.name", "The name of a retailer is a text, its display name."),
  // The spec says of domains alone that they are always present.
  should("retailer.name-given", "A retailer has a display name."),
  must("retailer.domains", "A retailer entry always has its domains, as a list that may be empty."),
  must("retailer.host-names", "The domains of a retailer are host names."),
  ours(
    "retailer.no-hard-coding",
    "A client hard-codes no slugs and no table of domains, and keeps no map of domains for ever.",
    "conformance/discovery/discover.test.ts",
  ),
  excluded(
    "retailer.change",
    "The set of retailers and their domains can change at any time.",
    "It is a permission; the suite takes every list that it saw during the run as valid.",
  ),
  must("page.products", "A page of a category always has the list of its products."),
  must("page.next-cursor", "A page always has meta.next_cursor, a text."),
  must("page.last-cursor", "meta.next_cursor is empty when there are no more results, and only then."),
  must("page.count", "A page always has meta.count, the number of items on it."),
  ours(
    "page.opaque-cursor",
    "A client takes the cursor as it is and follows it.",
    "conformance/discovery/discover.test.ts",
  ),
  must("batch-result.found", "A batch result carries the list of found products."),
  must("batch-result.errors", "A batch result carries a list under errors."),
  must(
    "batch-result.counters",
    "A batch result carries meta with the counters total, found, not_found and other_errors.",
  ),
  must("batch-result.echo", "Each entry under errors echoes the retailer and the product_id of its item."),
  must("error-body.code", "error.code is a text for machines."),
  must("error-body.message", "error.message is a text for people."),
  clientOnly(
    "error-body.wording",
    "The wording of error.message may change, so nothing depends on it.",
    "No check reads a message, except to guess names of the batch dialect.",
  ),
];
