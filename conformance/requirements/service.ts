import { clientOnly, excluded, gap, must, type Requirement, should } from "./requirement.ts";

/** Spec, What the service does. */
export const serviceRequirements: readonly Requirement[] = [
  must("service.read-only", "The service is read-only: no request changes or removes a product."),
  must("service.json", "Every response is JSON in UTF-8, and its content type does not contradict that."),
  should("service.content-type", "Every response has a content type."),
  must(
    "service.four-ways",
    "A product can be found by its page URL, by retailer and product id, by GTIN, and by browsing a category.",
  ),
  must(
    "service.organization-scope",
    "Access depends on the organization: two keys of one organization get the same responses.",
  ),
  must(
    "service.own-response",
    "Every request gets its own response, never that of another request, key or organization.",
  ),
  excluded(
    "service.allow-list",
    "The service returns only the fields of an external allow-list and nothing else from the internal catalog.",
    "The list is not public, so no check can tell whether a field is on it. product.same-shape judges whether every lookup path returns the same fields.",
  ),
  gap(
    "service.normalization",
    "Field values may differ between retailers in completeness and form.",
    "casing, units and category taxonomy of the values",
  ),
  must(
    "service.omitted-fields",
    "A field that a retailer did not provide is omitted, never null or an empty string.",
  ),
  clientOnly(
    "service.freshness",
    "A client assumes no fixed refresh interval: last_updated shows how fresh a product is.",
    "Nothing in this tool depends on an interval.",
  ),
  clientOnly(
    "service.server-side-only",
    "A client calls the service from its own server and keeps the key out of apps, web pages and repositories.",
    "It concerns how a client is deployed. shelfcheck takes keys from the environment only.",
  ),
];
