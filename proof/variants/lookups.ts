import { isObject } from "../../schemas/json.ts";
import type { WireChange, WireRequest } from "../../service/wire.ts";
import {
  as,
  askAgain,
  errorResponse,
  isFor,
  itemsOf,
  type Json,
  listOf,
  objectIn,
  objectOf,
  onBatchErrors,
  onlyFor,
  onProducts,
  onRequest,
  onResponse,
  onStatus,
  parameter,
  remembering,
  withItems,
  withJson,
  withParameters,
} from "../changes/change.ts";
import type { VariantTable } from "../changes/entry.ts";
import { besideAll, entitledToLess } from "../changes/key-entitlement.ts";

const section = "GET /v1/products (query-driven)";
const unentitledOpen = [
  section,
  "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
] as const;
const invalid = [section, "A missing or invalid parameter gives 400 (`bad_request`)."] as const;

const byId = isFor("lookup-by-id");
const byUrl = isFor("lookup-by-url");
const byGtin = isFor("lookup-by-gtin");

const cart = "🛒";
/** Begins an id that no product has. */
const strange = "no ";

/** The id within the service, where no id begins with the emoji. Half a character is a replacement character there. */
const idWithin = (id: string) => (id.startsWith(cart) ? id.slice(cart.length) : strange + id.toWellFormed());

const withIdsWithin = (request: WireRequest): WireRequest => {
  if (isFor("batch")(request) && itemsOf(request).length > 0) {
    const within = (item: unknown) =>
      isObject(item) && typeof item.product_id === "string" && item.product_id !== ""
        ? { ...item, product_id: idWithin(item.product_id) }
        : item;
    return withItems(request, itemsOf(request).map(within));
  }
  const [, retailer, id] = /^(.*\/)([^/]+)$/.exec(request.path) ?? [];
  if (!byId(request) || retailer === undefined || id === undefined) return request;
  const encoded = encodeURIComponent(cart);
  const isOurs = id.slice(0, encoded.length).toUpperCase() === encoded;
  const rest = isOurs ? id.slice(encoded.length) : encodeURIComponent(strange) + id;
  return { ...request, path: retailer + rest };
};

const withEmoji = (entry: Json): Json => {
  const { product_id: id } = entry;
  if (typeof id !== "string") return entry;
  return { ...entry, product_id: id.startsWith(strange) ? id.slice(strange.length) : cart + id };
};

/** A lookup succeeds only if the product's field, when it has one of this name, equals the parameter exactly. */
const asWritten = (endpoint: "lookup-by-url" | "lookup-by-gtin", name: string, field: string): WireChange =>
  onStatus(
    200,
    (response, request) => {
      const written = objectOf(response)?.[field];
      return written === undefined || written === parameter(request, name) ? response : errorResponse(404);
    },
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
  "url-unentitled-404": {
    does: "By URL, a product of a retailer without access gets 404.",
    wire: onStatus(403, as(404), byUrl),
    allowedBy: unentitledOpen,
  },
  "gtin-unentitled-403": {
    does: "By GTIN, a product of a retailer without access gets 403.",
    wire: besideAll(async ({ status }, request, ask) => {
      if (status !== 404 || !byGtin(request) || parameter(request, "retailer") !== undefined)
        return undefined;
      return (await ask()).status === 200 ? errorResponse(403) : undefined;
    }),
    allowedBy: unentitledOpen,
  },
  "gtin-resolves-to-one-retailer": {
    does: "A GTIN that several retailers have is found at the first one only.",
    // A GTIN resolves to the first entitled retailer that has it. Scoped to any other retailer, it is not found.
    wire: onResponse(async (response, request, ask) => {
      const scoped = byGtin(request) && parameter(request, "retailer") !== undefined;
      if (!scoped || response.status !== 200) return undefined;
      const resolved = await ask(withParameters(request, { retailer: undefined }));
      const isSame = ["retailer", "product_id"].every(
        (name) => objectOf(resolved)?.[name] === objectOf(response)?.[name],
      );
      return isSame ? undefined : errorResponse(404);
    }),
    allowedBy: [
      section,
      "When `retailer` is given and the product resolves to a different retailer, the response is 404, not a result from the other retailer.",
    ],
  },
  "ids-begin-with-an-emoji": {
    does: "Ids begin with an emoji, and half a character is read as a replacement character.",
    wire: (send, keys) => {
      const respond = onBatchErrors(withEmoji)(onProducts(withEmoji)(send, keys), keys);
      return (request) => respond(withIdsWithin(request));
    },
    allowedBy: [
      "GET /v1/products/{retailer}/{product_id}",
      "`product_id`: the retailer's own identifier (for example an ASIN-style, item-ID-style or SKU-style identifier).",
    ],
  },
  "ids-in-any-case": {
    does: "Ids are found in any case of letters.",
    wire: remembering(() => {
      const known = new Map<string, string>();
      return (send) => async (request) => {
        const response = await send(request);
        const shown = isFor("category-page")(request) ? listOf(objectOf(response)?.products) : [];
        for (const { retailer, product_id: id } of shown.map(objectIn)) {
          const path = [request.path, ...[retailer, id].map((part) => encodeURIComponent(String(part)))].join(
            "/",
          );
          known.set(path.toLowerCase(), path);
        }
        if (!byId(request)) return response;
        const path = known.get(request.path.toLowerCase());
        return response.status === 404 && path !== undefined ? await send({ ...request, path }) : response;
      };
    }),
    allowedBy: [
      "GET /v1/products/{retailer}/{product_id}",
      "`product_id`: the retailer's own identifier (for example an ASIN-style, item-ID-style or SKU-style identifier).",
    ],
  },
  "gtin-unchecked": {
    does: "A GTIN that is not valid gets 404 instead of 400.",
    // The request is repeated with an unused GTIN, so that all other rules still apply.
    wire: askAgain(400, (request) =>
      byGtin(request) && parameter(request, "gtin") !== ""
        ? withParameters(request, { gtin: "00000000" })
        : undefined,
    ),
    allowedBy: invalid,
  },
  "gtin-only-as-written": {
    does: "A GTIN is found only as the product shows it.",
    wire: asWritten("lookup-by-gtin", "gtin", "gtin"),
    allowedBy: [section, "gtin | string | mode 2 | GTIN (UPC, EAN or similar)."],
  },
  "url-only-as-written": {
    does: "A URL is found only as the product shows it.",
    wire: asWritten("lookup-by-url", "url", "product_url"),
    allowedBy: [
      section,
      "url | string, URL-encoded | mode 1 | Product page URL. The retailer is resolved server-side.",
    ],
  },
  "foreign-parameters-ignored": {
    does: "Parameters of another mode are ignored.",
    wire: (send, keys) =>
      ignoringForeign("lookup-by-url")(
        ignoringForeign("lookup-by-gtin")(ignoringForeign("category-page")(send, keys), keys),
        keys,
      ),
    allowedBy: invalid,
  },
  "unknown-parameters-refused": {
    does: "Unknown parameters get 400.",
    wire: onResponse(({ status }, { query }) => {
      const unknown = [...new URLSearchParams(query).keys()].some((name) => !known.includes(name));
      return unknown && status !== 401 && status !== 429 ? errorResponse(400) : undefined;
    }),
    allowedBy: invalid,
  },
  "other-organization-has-less": {
    does: "The first organization may use every retailer of the other one.",
    wire: onlyFor(
      "otherOrg",
      entitledToLess(
        () => true,
        (slugs) => slugs.filter((slug) => slug !== "harbour-outlet"),
      ),
    ),
    allowedBy: [
      "GET /v1/retailers",
      "The list is scoped to the calling organization and is the live source of truth.",
    ],
  },
  "existence-before-entitlement": {
    does: "An unknown product of a retailer without access gets 404 instead of 403.",
    wire: besideAll(async ({ status }, request, ask) => {
      if (status !== 403 || !byId(request)) return undefined;
      const found = await ask();
      return found.status === 404 ? found : undefined;
    }),
    allowedBy: [section, "An unknown product gives 404 (`not_found`)."],
  },
} satisfies VariantTable;

/** Other statuses for wrong methods and media types, and errors with more fields. */
export const errorVariants = {
  "wrong-content-type-400": {
    does: "A wrong content type gets 400.",
    wire: onStatus(415, as(400)),
    allowedBy: [
      "Errors",
      "400 | bad_request | Malformed request: missing or invalid parameter, unknown retailer slug, or a batch over the size limit.",
    ],
  },
  "messages-vary": {
    does: "Error messages are different each time, and in German.",
    wire: onResponse((response) => {
      const { code } = objectIn(objectOf(response)?.error);
      return response.status < 400 || code === undefined
        ? undefined
        : withJson(response, { error: { code, message: `Das geht so nicht (${crypto.randomUUID()}).` } });
    }),
    allowedBy: ["Errors", "error.message | string | Human-readable text. Its wording may change."],
  },
} satisfies VariantTable;
