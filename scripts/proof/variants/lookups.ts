import type { WireChange } from "../../../service/wire.ts";
import {
  as,
  askAgain,
  errorResponse,
  isFor,
  objectIn,
  objectOf,
  onRequest,
  onResponse,
  onStatus,
  parameter,
  withJson,
  withParameters,
} from "../change.ts";
import type { VariantTable } from "../fault.ts";

const section = "GET /v1/products (query-driven)";
const unentitledOpen = [
  section,
  "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
] as const;
const invalid = [section, "A missing or invalid parameter gives 400 (`bad_request`)."] as const;
const errorShape = [
  "Errors",
  "Every error response has the Error body shape `{ error: { code, message } }`.",
] as const;

const byUrl = isFor("lookup-by-url");
const byGtin = isFor("lookup-by-gtin");

/** A lookup succeeds only if the product's field equals the parameter exactly. */
const asWritten = (endpoint: "lookup-by-url" | "lookup-by-gtin", name: string, field: string): WireChange =>
  onStatus(
    200,
    (response, request) =>
      objectOf(response)?.[field] === parameter(request, name) ? response : errorResponse(404),
    isFor(endpoint),
  );

const parametersOf = {
  "lookup-by-url": ["url"],
  "lookup-by-gtin": ["gtin", "retailer"],
  "category-page": ["category", "limit", "cursor"],
} as const;
const known: readonly string[] = Object.values(parametersOf).flat();

/** Removes the parameters of other modes. */
const ignoringForeign = (endpoint: keyof typeof parametersOf): WireChange =>
  onRequest((request) => {
    const own: readonly string[] = parametersOf[endpoint];
    const foreign = ["retailer", "limit", "cursor"].filter((name) => !own.includes(name));
    return isFor(endpoint)(request)
      ? withParameters(request, Object.fromEntries(foreign.map((name) => [name, undefined])))
      : undefined;
  });

/** Lookups that resolve, refuse or read parameters differently. */
export const lookupVariants = {
  "url-unentitled-404": { wire: onStatus(403, as(404), byUrl), allowedBy: unentitledOpen },
  "gtin-unentitled-403": { inside: "gtin-unentitled-403", allowedBy: unentitledOpen },
  "gtin-resolves-to-one-retailer": {
    // A GTIN resolves to the first entitled retailer that has it. Scoped to any other retailer, it is not found.
    wire: onResponse(async (response, request, ask) => {
      const scoped = byGtin(request) && parameter(request, "retailer") !== undefined;
      if (!scoped || response.status !== 200) return undefined;
      const resolved = await ask(withParameters(request, { retailer: undefined }));
      return resolved.body.equals(response.body) ? undefined : errorResponse(404);
    }),
    allowedBy: [
      section,
      "When `retailer` is given and the product resolves to a different retailer, the response is 404, not a result from the other retailer.",
    ],
  },
  "gtin-unchecked": {
    // The request is repeated with an unused GTIN, so that all other rules still apply.
    wire: askAgain(400, (request) =>
      byGtin(request) && parameter(request, "gtin") !== ""
        ? withParameters(request, { gtin: "00000000" })
        : undefined,
    ),
    allowedBy: invalid,
  },
  "gtin-only-as-written": {
    wire: asWritten("lookup-by-gtin", "gtin", "gtin"),
    allowedBy: [section, "gtin | string | mode 2 | GTIN (UPC, EAN or similar)."],
  },
  "url-only-as-written": {
    wire: asWritten("lookup-by-url", "url", "product_url"),
    allowedBy: [
      section,
      "url | string, URL-encoded | mode 1 | Product page URL. The retailer is resolved server-side.",
    ],
  },
  "foreign-parameters-ignored": {
    wire: (send, keys) =>
      ignoringForeign("lookup-by-url")(
        ignoringForeign("lookup-by-gtin")(ignoringForeign("category-page")(send, keys), keys),
        keys,
      ),
    allowedBy: invalid,
  },
  "unknown-parameters-refused": {
    wire: onResponse(({ status }, { query }) => {
      const unknown = [...new URLSearchParams(query).keys()].some((name) => !known.includes(name));
      return unknown && status !== 401 && status !== 429 ? errorResponse(400) : undefined;
    }),
    allowedBy: invalid,
  },
  "existence-before-entitlement": {
    inside: "existence-before-entitlement",
    allowedBy: [section, "An unknown product gives 404 (`not_found`)."],
  },
} satisfies VariantTable;

/** Other statuses for wrong methods and media types, and errors with more fields. */
export const errorVariants = {
  "wrong-method-404": { wire: onStatus(405, as(404)), allowedBy: errorShape },
  "wrong-content-type-400": {
    wire: onStatus(415, as(400)),
    allowedBy: [
      "Errors",
      "400 | bad_request | Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    ],
  },
  "messages-vary": {
    wire: onResponse((response) => {
      const { code } = objectIn(objectOf(response)?.error);
      return response.status < 400 || code === undefined
        ? undefined
        : withJson(response, { error: { code, message: `Das geht so nicht (${crypto.randomUUID()}).` } });
    }),
    allowedBy: ["Errors", "error.message | string | Human-readable text. Its wording may change."],
  },
  "error-details": {
    wire: onResponse((response) => {
      const error = response.status < 400 ? undefined : objectOf(response)?.error;
      return error === undefined
        ? undefined
        : withJson(response, {
            error: { ...objectIn(error), request_id: crypto.randomUUID() },
            documentation: "/docs",
          });
    }),
    allowedBy: errorShape,
  },
} satisfies VariantTable;
