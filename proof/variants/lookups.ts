import type { WireChange, WireRequest } from "../../service/wire.ts";
import { askAgain, instead, inTurn, reading, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { allowedBy, type VariantTable } from "../changes/entry.ts";
import { besideAll } from "../changes/key-entitlement.ts";
import {
  as,
  errorResponse,
  itemsOf,
  type Json,
  listOf,
  objectIn,
  objectOf,
  parameter,
  segmentOf,
  withItems,
  withParameters,
  withRefused,
  withSegment,
} from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const section = "GET /v1/products (query-driven)";
const byPath = "GET /v1/products/{retailer}/{product_id}";

const scoped: is.When = is.all(is.byGtin, is.sending("retailer"));
const unscoped: is.When = is.all(is.byGtin, is.not(is.sending("retailer")));

const cart = "🛒";
/** Begins an id that no product has. */
const strange = "no ";

/** Without the emoji, with which no id in the service begins. Half a character is a replacement character. */
const idWithin = (id: string) => (id.startsWith(cart) ? id.slice(cart.length) : strange + id.toWellFormed());

/** A request whose ids are those within the service. */
const withIdsWithin = (request: WireRequest): WireRequest | undefined => {
  const within = (item: unknown) => {
    const { product_id: id } = objectIn(item);
    return typeof id === "string" && id !== "" ? { ...objectIn(item), product_id: idWithin(id) } : item;
  };
  const items = itemsOf(request);
  if (items.length > 0) return withItems(request, items.map(within));
  const [, start, id] = /^(\/v1\/products\/[^/]+\/)([^/]+)$/.exec(request.path) ?? [];
  if (id === undefined || request.method !== "GET") return undefined;
  const encoded = encodeURIComponent(cart);
  const isOurs = id.slice(0, encoded.length).toUpperCase() === encoded;
  return { ...request, path: start + (isOurs ? id.slice(encoded.length) : encodeURIComponent(strange) + id) };
};

const withEmoji = (entry: Json): Json => {
  const { product_id: id } = entry;
  if (typeof id !== "string") return entry;
  return { ...entry, product_id: id.startsWith(strange) ? id.slice(strange.length) : cart + id };
};

/** Ids are found in any case of letters, once a page showed them. */
const idsInAnyCase: WireChange = (send) => {
  const known = new Map<string, string>();
  return async (request) => {
    const response = await send(request);
    for (const { retailer, product_id: id } of listOf(objectOf(response)?.products)) {
      const path = `/v1/products/${encodeURIComponent(String(retailer))}/${encodeURIComponent(String(id))}`;
      known.set(path.toLowerCase(), path);
    }
    const path = known.get(request.path.toLowerCase());
    return response.status === 404 && path !== undefined ? await send({ ...request, path }) : response;
  };
};

/** Changes the slug (3) or id (4) of lookups by id. */
const onSegment = (place: 3 | 4, change: (text: string) => string): WireChange =>
  where(
    is.byId,
    on.request((request) => {
      const text = segmentOf(request, place);
      const changed = change(text ?? "");
      return changed === "" || changed === text ? undefined : withSegment(request, place, changed);
    }),
  );

/** A lookup succeeds only if the product's field of this name, if any, equals the parameter exactly. */
const asWritten = (when: is.When, name: string, field: string): WireChange =>
  on.status(
    200,
    (response, request) => {
      const written = objectOf(response)?.[field];
      return written === undefined || written === parameter(request, name) ? response : errorResponse(404);
    },
    when,
  );

/** Removes the parameters of other modes. */
const withoutParameters = (when: is.When, ...foreign: readonly string[]): WireChange =>
  where(
    when,
    on.request((request) =>
      withParameters(request, Object.fromEntries(foreign.map((name) => [name, undefined]))),
    ),
  );

/** After a number of requests, one product that was returned before is removed from the catalog. */
const leaving =
  (requests: number): WireChange =>
  (send, keys) => {
    let count = 0;
    let product: Json | undefined;
    const isIt = (one: Json | undefined) =>
      product !== undefined && one?.retailer === product.retailer && one?.product_id === product.product_id;
    const isGone = () => count > requests;
    const noticing = on.response((response, request) => {
      count++;
      if (response.status === 200 && is.byId(request)) product ??= objectOf(response);
      return undefined;
    });
    const gone = inTurn(
      on.response((response) => (isIt(objectOf(response)) ? errorResponse(404) : undefined)),
      on.listed("category-page", (products) => products.filter((one) => !isIt(one))),
      on.body("batch", (result) => withRefused(result, isIt, "not_found", "not_found")),
    );
    return inTurn(noticing, where(isGone, gone))(send, keys);
  };

/** Lookups that resolve, refuse or read parameters differently. */
export const lookupVariants: readonly VariantTable[] = [
  {
    // A GTIN resolves to the first entitled retailer with it; scoped to any other one, it is not found.
    "gtin-resolves-to-one-retailer": {
      does: "A GTIN that several retailers have is found at the first one only.",
      wire: where(
        scoped,
        on.response(async (response, request, ask) => {
          const resolved = objectOf(await ask(withParameters(request, { retailer: undefined })));
          const isOther = resolved?.retailer !== objectOf(response)?.retailer;
          return response.status === 200 && isOther ? errorResponse(404) : undefined;
        }),
      ),
      allowedBy: [
        section,
        "When `retailer` is given and the product resolves to a different retailer, the response is 404, not a result from the other retailer.",
      ],
    },
    "slugs-in-any-case": {
      does: "Slugs are found in any case of letters.",
      wire: onSegment(3, (slug) => slug.trim().toLowerCase()),
      allowedBy: ["Retailer", "Identifier used as the `retailer` parameter anywhere a retailer is accepted."],
    },
    "malformed-url-not-found": {
      does: "A `url` that is not a URL gets 404 instead of 400.",
      wire: on.status(
        400,
        as(404),
        is.all(is.sending("url", /./), ({ query }) => new URLSearchParams(query).size === 1),
      ),
      allowedBy: [section, "When the URL does not resolve to a product in the catalog, the response is 404."],
    },
    "url-only-as-written": {
      does: "A URL is found only as it is shown.",
      wire: asWritten(is.byUrl, "url", "product_url"),
      allowedBy: [
        section,
        "url | string, URL-encoded | mode 1 | Product page URL. The retailer is resolved server-side.",
      ],
    },
  },
  allowedBy(
    [
      section,
      "A valid key not entitled to the request (for example a retailer the organization has no access to) gives 403 (`forbidden`).",
    ],
    {
      "url-unentitled-404": [
        "By URL, a retailer without access gets 404.",
        on.status(403, as(404), is.byUrl),
      ],
      "gtin-unentitled-403": [
        "By GTIN, a product of a retailer without access gets 403.",
        where(
          unscoped,
          besideAll(async ({ status }, _request, ask) =>
            status === 404 && (await ask()).status === 200 ? errorResponse(403) : undefined,
          ),
        ),
      ],
    },
  ),
  allowedBy(
    [
      byPath,
      "`product_id`: the retailer's own identifier (for example an ASIN-style, item-ID-style or SKU-style identifier).",
    ],
    {
      "ids-begin-with-an-emoji": [
        "Ids begin with an emoji, and half a character is read as a replacement character.",
        inTurn(on.products(withEmoji), on.batchErrors(withEmoji), on.request(withIdsWithin)),
      ],
      "ids-in-any-case": ["Ids are found in any case of letters.", idsInAnyCase],
      "ids-trimmed": ["Blanks around an id are ignored.", onSegment(4, (id) => id.trim())],
    },
  ),
  allowedBy([byPath, "An unknown product gives 404 (`not_found`)."], {
    "existence-before-entitlement": [
      "An unknown product of a retailer without access gets 404 instead of 403.",
      where(
        is.byId,
        besideAll(async ({ status }, _request, ask) => {
          const found = status === 403 ? await ask() : undefined;
          return found?.status === 404 ? found : undefined;
        }),
      ),
    ],
    "product-leaves-while-asked": [
      "After 150 requests, a product leaves the catalog.",
      leaving(150),
      { mayHinder: ["catalog-changed", "control-failed"] },
    ],
  }),
  allowedBy([section, "A missing or invalid parameter gives 400 (`bad_request`)."], {
    // The request is repeated with an unused GTIN, so that all other rules still apply.
    "gtin-unchecked": [
      "A GTIN that is not valid gets 404 instead of 400.",
      askAgain(
        400,
        reading("gtin", (gtin) => (gtin === "" ? gtin : "00000000"), is.byGtin),
      ),
    ],
    "foreign-parameters-ignored": [
      "Parameters of another mode are ignored.",
      inTurn(
        withoutParameters(is.byUrl, "retailer", "limit", "cursor"),
        withoutParameters(is.byGtin, "limit", "cursor"),
        withoutParameters(is.page, "retailer"),
      ),
    ],
    "long-values-refused": [
      "Values of more than 500 characters get 400 instead of 404.",
      on.status(404, as(400), ({ path, query }) =>
        [...path.split("/"), ...new URLSearchParams(query).values()].some(({ length }) => length > 500),
      ),
    ],
    "odd-characters-refused": [
      "Requests with NUL or invalid characters get 400.",
      instead(
        ({ path, query, body }) => /%00|%0D|%C3%28|%ED%A0|\\u0000|\\ud8/i.test(`${path}?${query}${body}`),
        as(400),
      ),
    ],
  }),
  allowedBy([section, "gtin | string | mode 2 | GTIN (UPC, EAN or similar)."], {
    "gtin-only-as-written": ["A GTIN is found only as it is shown.", asWritten(is.byGtin, "gtin", "gtin")],
    "gtins-with-hyphens": [
      "A GTIN is also found with hyphens or blanks.",
      on.request(
        reading(
          "gtin",
          (gtin) => (/^[\d -]*\d[\d -]*$/.test(gtin) ? gtin.replaceAll(/[ -]/g, "") : gtin),
          is.byGtin,
        ),
      ),
    ],
  }),
];
