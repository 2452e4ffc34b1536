import type { Dialect } from "../../schemas/types.ts";
import type { Caller } from "./target.ts";

/** How the key travels (spec, Authentication: two headers, equivalent). */
export type KeyHeader = "Authorization" | "X-Api-Key";

/** One request to the target, before the key and the base URL are put to it. */
export interface Request {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Below the base URL, encoded, with its query. */
  readonly path: string;
  readonly caller: Caller;
  readonly keyHeader: KeyHeader | "either";
  /** Sent as they are, after the key's header, so that a check can spoil exactly one of them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The parts of the API, as the spec's headings name them; `other` is whatever is asked beside them. */
export type Endpoint =
  | "GET /retailers"
  | "GET /products/{retailer}/{product_id}"
  | "GET /products?url"
  | "GET /products?gtin"
  | "GET /products?category"
  | "POST /products/batch-lookup"
  | "other";

/** One item of a batch (spec, POST /v1/products/batch-lookup). */
export interface BatchItem {
  readonly retailer: string;
  readonly product_id: string;
}

const defaults = { method: "GET", caller: "primary", keyHeader: "either", headers: {} } as const;

/** GET /retailers. */
export function retailers(): Request {
  return { ...defaults, endpoint: "GET /retailers", path: "/retailers" };
}

/** GET /products/{retailer}/{product_id}; both may hold any character. */
export function byId(retailer: string, productId: string): Request {
  const path = `/products/${pathSegment(retailer)}/${pathSegment(productId)}`;
  return { ...defaults, endpoint: "GET /products/{retailer}/{product_id}", path };
}

/** GET /products with any parameters: for the modes below, and for what no mode allows. */
export function query(endpoint: Endpoint, parameters: Readonly<Record<string, string | undefined>>): Request {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return { ...defaults, endpoint, path: pairs.length === 0 ? "/products" : `/products?${pairs.join("&")}` };
}

/** GET /products by product page URL. */
export function byUrl(url: string): Request {
  return query("GET /products?url", { url });
}

/** GET /products by GTIN, scoped to a retailer when one is given. */
export function byGtin(gtin: string, retailer?: string): Request {
  return query("GET /products?gtin", { gtin, retailer });
}

/** GET /products by category: one page. */
export function byCategory(category: string, options: { limit?: string; cursor?: string } = {}): Request {
  return query("GET /products?category", { category, ...options });
}

/** POST /products/batch-lookup in the target's dialect. */
export function batch(items: readonly unknown[], dialect: Dialect): Request {
  const field = dialect.batchRequestField ?? "";
  return {
    ...defaults,
    endpoint: "POST /products/batch-lookup",
    method: "POST",
    path: "/products/batch-lookup",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(field === "" ? items : { [field]: items }),
  };
}

// A segment of `.` or `..` would be removed by any URL parser on the way, even percent-encoded; such an
// identifier cannot be asked by path at all, so it is encoded as far as it goes.
function pathSegment(text: string): string {
  const encoded = encodeURIComponent(text);
  return /^\.{1,2}$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded;
}
