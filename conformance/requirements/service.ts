import { excluded, gap, must, onClients, type RequirementEntries, should } from "./requirement.ts";

/** Spec, What the service does. */
export const serviceRequirements = {
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
} satisfies RequirementEntries;
