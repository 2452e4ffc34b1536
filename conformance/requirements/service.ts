import { clientOnly, excluded, gap, must, type Requirement, should } from "./requirement.ts";

/** Spec, What the service does. */
export const serviceRequirements: readonly Requirement[] = [
  must("service.read-only", "The service can only be read: no request changes or removes a product."),
  must("service.json", "Every response is JSON in UTF-8, and says of itself nothing else."),
  should("service.content-type", "Every response says in its content type that it is JSON."),
  must(
    "service.four-ways",
    "A product is found by its page URL, by retailer and product id, by GTIN, and by browsing a category.",
  ),
  must(
    "service.organization-scope",
    "What a key may see is decided by its organization: two keys of one organization see the same.",
  ),
  excluded(
    "service.allow-list",
    "Only the fields of an external allow-list leave the service, and nothing else of the internal catalogue.",
    "The list is not public, so a field alone does not show whether it is on it; that every way shows the same fields is judged by product.same-shape.",
  ),
  gap(
    "service.normalization",
    "Field values may vary by retailer in completeness and form.",
    "casing, units and category taxonomy of the values",
  ),
  must(
    "service.omitted-fields",
    "A field that a retailer did not provide is left out: it is never null and never an empty string.",
  ),
  clientOnly(
    "service.freshness",
    "A client assumes no fixed refresh interval; last_updated tells how fresh a product is.",
    "Nothing in this tool depends on an interval.",
  ),
  clientOnly(
    "service.server-side-only",
    "The service is called from a server that the client controls, and the key is in no app, page or repository.",
    "It binds the deployment of a client; this tool takes keys from the environment only.",
  ),
];
