import { type EndpointId, endpoints, type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";
import type { Caller } from "./target.ts";

/** The endpoint of a request, or `other` for a path or method outside the API. */
export type Endpoint = EndpointId | "other";

/** One request to the target, without base URL and key. */
export interface Request {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Relative to the base URL, encoded, with its query. */
  readonly path: string;
  readonly caller: Caller;
  readonly keyHeader: KeyHeader | "either";
  /** Sent after the usual headers and the key's, so that a check can overwrite any. Undefined: not sent. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | undefined;
}

/** One item of a batch (spec, POST /v1/products/batch-lookup). */
export interface BatchItem {
  readonly retailer: string;
  readonly product_id: string;
}

const defaults = { method: "GET", caller: "primary", keyHeader: "either", headers: {} } as const;

/** The header that carries a key (spec, Authentication). */
export function keyIn(header: KeyHeader, key: string): Record<string, string> {
  return { [header]: header === keyHeaders.bearer ? `Bearer ${key}` : key };
}

/** A text in upper case, or in lower case if it is in upper case already. */
export function inOtherCase(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}

/** GET /retailers. */
export function retailers(): Request {
  return { ...defaults, endpoint: "retailers", path: endpoints.retailers.path };
}

/** GET /products/{retailer}/{product_id}; both may hold any character. */
export function byId(retailer: string, productId: string): Request {
  const segments: Record<string, string> = { retailer, product_id: productId };
  const path = endpoints["lookup-by-id"].path.replace(/\{(\w+)\}/g, (_, name) =>
    pathSegment(segments[name] ?? ""),
  );
  return { ...defaults, endpoint: "lookup-by-id", path };
}

/** GET /products with any parameters: for the modes below and for combinations that no mode allows. */
export function query(endpoint: Endpoint, parameters: Readonly<Record<string, string | undefined>>): Request {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  const [path = ""] = endpoints["lookup-by-url"].path.split("?");
  return { ...defaults, endpoint, path: pairs.length === 0 ? path : `${path}?${pairs.join("&")}` };
}

/** GET /products by product page URL. */
export function byUrl(url: string): Request {
  return query("lookup-by-url", { url });
}

/** GET /products by GTIN, scoped to a retailer when one is given. */
export function byGtin(gtin: string, retailer?: string): Request {
  return query("lookup-by-gtin", { gtin, retailer });
}

/** GET /products by category: one page. */
export function byCategory(
  category: string,
  options: { limit?: string | undefined; cursor?: string | undefined } = {},
): Request {
  return query("category-page", { category, ...options });
}

/** POST /products/batch-lookup with the target's own field names. */
export function batch(items: readonly unknown[], fieldNames: FieldNames): Request {
  const field = fieldNames.batchRequestField ?? "";
  return {
    ...defaults,
    endpoint: "batch",
    method: endpoints.batch.method,
    path: endpoints.batch.path,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(field === "" ? items : { [field]: items }),
  };
}

// URL parsers remove a segment of `.` or `..` even percent-encoded: such an id cannot be looked up by path.
function pathSegment(text: string): string {
  const encoded = encodeURIComponent(text);
  return /^\.{1,2}$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded;
}
