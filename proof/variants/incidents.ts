import { isObject } from "../../schemas/json.ts";
import type { WireChange, WireRequest, WireResponse } from "../../service/wire.ts";
import {
  as,
  errorResponse,
  instead,
  isFor,
  type Json,
  jsonResponse,
  listOf,
  objectIn,
  objectOf,
  onBody,
  onMeta,
  onProducts,
  onRequest,
  onResponse,
  onStatus,
  parameter,
  remembering,
  withParameters,
} from "../changes/change.ts";
import type { VariantTable } from "../changes/entry.ts";

const errorShape = [
  "Errors",
  "Every error response has the Error body shape `{ error: { code, message } }`.",
] as const;
const invalid = ["Errors", "400 | bad_request | Malformed request: missing or invalid parameter"] as const;
const query = "GET /v1/products (query-driven)";
const json = ["What the service does", "All requests and responses are JSON."] as const;

const isPage = isFor("category-page");

const refusing = (status: number) => () => errorResponse(status, "refused");

/** Near misses of the faults modelled on incidents: similar behaviour that the spec allows. */
export const incidentVariants = {
  "long-urls-refused": {
    does: "URLs of more than 2,000 characters get 414, before the key is checked.",
    // Like an intermediary, before the key is checked.
    wire: instead((request) => request.path.length + request.query.length > 2000, refusing(414)),
    allowedBy: errorShape,
  },
  "large-bodies-refused": {
    does: "Bodies of more than 9,900 bytes get 413, before the key is checked.",
    wire: instead(({ body }) => body.length > 9900, refusing(413)),
    allowedBy: errorShape,
  },
  "odd-characters-refused": {
    does: "Requests with NUL or invalid characters get 400.",
    wire: instead(
      (request) =>
        /%00|%0D|%C3%28|%ED%A0|\\u0000|\\ud8/i.test(`${request.path}?${request.query}${request.body}`),
      () => errorResponse(400),
    ),
    allowedBy: invalid,
  },
  "long-values-refused": {
    does: "Values of more than 500 characters get 400 instead of 404.",
    wire: onStatus(404, as(400), (request) =>
      [...request.path.split("/"), ...new URLSearchParams(request.query).values()].some(
        (value) => value.length > 500,
      ),
    ),
    allowedBy: invalid,
  },
  "malformed-url-not-found": {
    does: "A `url` that is not a URL gets 404 instead of 400.",
    wire: onStatus(400, as(404), (request) => {
      const url = isFor("lookup-by-url")(request) ? parameter(request, "url") : undefined;
      return url !== undefined && url !== "" && new URLSearchParams(request.query).size === 1;
    }),
    allowedBy: [query, "When the URL does not resolve to a product in the catalog, the response is 404."],
  },
  "product-leaves-while-asked": {
    does: "After 150 requests, a product leaves the catalog.",
    wire: remembering(() => leaving(150)),
    allowedBy: ["GET /v1/products/{retailer}/{product_id}", "An unknown product gives 404 (`not_found`)."],
    mayHinder: ["catalog-changed", "control-failed"],
  },
  "cursors-expire-early": {
    does: "A cursor expires after 25 more page requests.",
    // After 25 more page requests, a cursor becomes an invalid parameter.
    wire: remembering(() => expiring(25)),
    allowedBy: [query, "A missing or invalid parameter gives 400 (`bad_request`)."],
  },
  "last-page-empty": {
    does: "The last page of a category is empty.",
    wire: (send, keys) => instead(isEnd, emptyPage)(toTheEnd(send, keys), keys),
    allowedBy: [query, "Paging must follow `next_cursor`, not whether `count` reached `limit`."],
  },
  "gtin-padded-to-fourteen": {
    does: "Products show their GTIN with 14 digits.",
    wire: remembering(() => paddedGtins),
    allowedBy: [query, "gtin | string | mode 2 | GTIN (UPC, EAN or similar)."],
  },
  "caching-headers": {
    does: "Responses have ETag, Age and Cache-Control.",
    wire: onResponse((response) => ({
      ...response,
      headers: {
        ...response.headers,
        etag: `W/"${response.body.length}"`,
        "last-modified": "Fri, 31 Oct 2025 10:00:00 GMT",
        "cache-control": "private, max-age=60, stale-while-revalidate=30",
        vary: "Authorization, X-Api-Key, Accept-Encoding",
        age: "12",
        "x-request-id": crypto.randomUUID(),
      },
    })),
    allowedBy: json,
  },
  "connections-not-kept": {
    does: "The connection is closed after each response.",
    wire: onResponse((response) => ({
      ...response,
      headers: { ...response.headers, connection: "close" },
    })),
    allowedBy: json,
  },
} satisfies VariantTable;

const endMark = "end-of-pages";

function isEnd(request: WireRequest): boolean {
  return isPage(request) && parameter(request, "cursor")?.startsWith(endMark) === true;
}

function emptyPage(): WireResponse {
  return jsonResponse(200, { products: [], meta: { next_cursor: "", count: 0 } });
}

const toTheEnd: WireChange = onMeta("category-page", (meta) =>
  meta.next_cursor === "" && Number(meta.count) > 0 ? { ...meta, next_cursor: endMark } : undefined,
);

/** Cursors expire after a number of further page requests. */
function expiring(pages: number): WireChange {
  const given = new Map<string, number>();
  let turn = 0;
  return (send) => async (request) => {
    if (!isPage(request)) return await send(request);
    turn++;
    const since = given.get(parameter(request, "cursor") ?? "");
    const response = await send(request);
    if (since !== undefined && turn - since > pages && response.status === 200) return errorResponse(400);
    const next = objectIn(objectOf(response)?.meta).next_cursor;
    if (typeof next === "string" && next !== "") given.set(next, turn);
    return response;
  };
}

/** After a number of requests, one product that was returned before is removed from the catalog. */
function leaving(requests: number): WireChange {
  let count = 0;
  let product: Json | undefined;
  const isIt = (one: unknown) =>
    isObject(one) &&
    product !== undefined &&
    one.retailer === product.retailer &&
    one.product_id === product.product_id;
  const gone = (): boolean => count > requests;

  const noticing: WireChange = onResponse((response, request) => {
    count++;
    const body = response.status === 200 ? objectOf(response) : undefined;
    if (product === undefined && body !== undefined && isFor("lookup-by-id")(request)) product = body;
    return gone() && isIt(body) ? errorResponse(404) : undefined;
  });
  const page = onBody("category-page", (body) => {
    const products = listOf(body.products).filter((one) => !isIt(one));
    return gone()
      ? { ...body, products, meta: { ...objectIn(body.meta), count: products.length } }
      : undefined;
  });
  const batch = onBody("batch", (body) => {
    const products = listOf(body.products).filter((one) => !isIt(one));
    const lost = listOf(body.products).length - products.length;
    if (!gone() || lost === 0) return undefined;
    const meta = objectIn(body.meta);
    const entry = { retailer: product?.retailer, product_id: product?.product_id, code: "not_found" };
    return {
      ...body,
      products,
      errors: [...listOf(body.errors), ...Array(lost).fill(entry)],
      meta: { ...meta, found: Number(meta.found) - lost, not_found: Number(meta.not_found) + lost },
    };
  });
  return (send, keys) => batch(page(noticing(send, keys), keys), keys);
}

/** Responses pad every GTIN to fourteen digits; lookups accept it with and without the zeros. */
const paddedGtins: WireChange = (send, keys) => {
  const short = new Map<string, string>();
  const pad = onProducts(({ gtin, ...product }) => {
    if (typeof gtin !== "string" || gtin === "") return undefined;
    const padded = gtin.padStart(14, "0");
    short.set(padded, gtin);
    return { ...product, gtin: padded };
  });
  const find = onRequest((request) => {
    const gtin = isFor("lookup-by-gtin")(request) ? short.get(parameter(request, "gtin") ?? "") : undefined;
    return gtin === undefined ? undefined : withParameters(request, { gtin });
  });
  return pad(find(send, keys), keys);
};
