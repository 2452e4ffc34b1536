import { errorCodeOf, keyHeaders, retryAfterHeader } from "../../schemas/api.ts";
import { isObject, jsonIn } from "../../schemas/json.ts";
import type { WireKeys, WireRequest, WireResponse } from "../../service/wire.ts";

// What requests and responses say, and the same messages with something else in them.

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

export type HeaderKind = keyof typeof keyHeaders;

const keyHeader = (which: HeaderKind) => keyHeaders[which].toLowerCase();

export const hasKeyIn = (which: HeaderKind, { headers }: WireRequest) =>
  headers[keyHeader(which)] !== undefined;

/** Changes every list of a page or a batch result except `errors`. */
export function mapLists(body: Json, change: (list: readonly Json[]) => unknown): Json {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name !== "errors" && Array.isArray(value) ? change(value) : value,
    ]),
  );
}

/** A batch result whose counters are higher by these numbers. */
export function counting(result: Json, more: Readonly<Record<string, number>>): Json {
  const meta = objectIn(result.meta);
  const changed = Object.entries(more).map(([name, number]) => [name, Number(meta[name]) + number]);
  return { ...result, meta: { ...meta, ...Object.fromEntries(changed) } };
}

/** A batch result in which some products are errors of their items instead. */
export function withRefused(
  result: Json,
  isRefused: (product: Json) => boolean,
  counter: "not_found" | "other_errors",
  code: string,
): Json {
  const refused: Json[] = [];
  const rest = mapLists(result, (list) =>
    list.filter((entry) => {
      // An entry may wrap its product.
      const product = objectIn(entry.product ?? entry);
      const isKept = !isRefused(product);
      if (!isKept) refused.push(product);
      return isKept;
    }),
  );
  const entries = refused.map(({ retailer, product_id }) => ({ retailer, product_id, code, message: "No." }));
  const { length } = entries;
  const errors = [...listOf(result.errors), ...entries];
  return counting({ ...rest, errors }, { found: -length, [counter]: length });
}

/** The decoded slug (3) or id (4) in the path of a lookup by id; undefined if it cannot be decoded. */
export function segmentOf({ path }: WireRequest, place: 3 | 4): string | undefined {
  try {
    return decodeURIComponent(path.split("/")[place] ?? "");
  } catch {
    return undefined;
  }
}

/** The lookup by id with another slug or id. */
export function withSegment(request: WireRequest, place: 3 | 4, text: string): WireRequest {
  return { ...request, path: request.path.split("/").with(place, encodeURIComponent(text)).join("/") };
}

/** The decoded value of a query parameter. */
export function parameter({ query }: WireRequest, name: string): string | undefined {
  return new URLSearchParams(query).get(name) ?? undefined;
}

/** The request with other query parameters; undefined removes one. */
export function withParameters(
  request: WireRequest,
  changes: Readonly<Record<string, string | undefined>>,
): WireRequest {
  const parameters = new URLSearchParams(request.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
  }
  // Like the suite, this encodes a space as %20 and never as a plus.
  const query = [...parameters].map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  return { ...request, query };
}

/** The request without one of the two key headers. */
export function withoutKeyIn(which: HeaderKind, request: WireRequest): WireRequest {
  return { ...request, headers: without(keyHeader(which), request.headers) };
}

/** The key that a request carries, valid or not. */
export function keyOf({ headers }: WireRequest): string | undefined {
  return headers[keyHeader("plain")] ?? headers[keyHeader("bearer")]?.replace(/^bearer\s+/i, "");
}

/** Whose key a request carries; undefined for a missing or unknown key. */
export function callerOf(request: WireRequest, keys: WireKeys): keyof WireKeys | undefined {
  const sent = keyOf(request);
  return (["primary", "sameOrg", "otherOrg"] as const).find((caller) => keys[caller] === sent);
}

/** The request with another caller's key. */
export function sentAs(caller: keyof WireKeys, request: WireRequest, keys: WireKeys): WireRequest {
  const bare = withoutKeyIn("plain", withoutKeyIn("bearer", request));
  return { ...bare, headers: { ...bare.headers, [keyHeader("plain")]: keys[caller] } };
}

/** The items of a batch request, whatever their field is called; empty for other requests. */
export function itemsOf({ body }: WireRequest): readonly unknown[] {
  const sent = parsed(body);
  if (Array.isArray(sent)) return sent;
  return isObject(sent) ? (Object.values(sent).find(Array.isArray) ?? []) : [];
}

export function withItems(request: WireRequest, items: readonly unknown[]): WireRequest {
  const sent = parsed(request.body);
  return withSent(request, isObject(sent) ? mapLists(sent, () => items) : items);
}

export function withSent(request: WireRequest, json: unknown): WireRequest {
  return { ...request, body: Buffer.from(JSON.stringify(json)) };
}

/** A body parsed as JSON; undefined when it is not valid JSON. */
export function parsed(body: Buffer): unknown {
  return jsonIn(body.toString());
}

/** The JSON object in a response; undefined when the body is anything else. */
export function objectOf({ body }: WireResponse): Json | undefined {
  const json = parsed(body);
  return isObject(json) ? json : undefined;
}

/** The cursor that a page gives; undefined on the last page, and for any other response. */
export function nextOf(response: WireResponse): string | undefined {
  const { next_cursor: next } = objectIn(response.status === 200 ? objectOf(response)?.meta : undefined);
  return typeof next === "string" && next !== "" ? next : undefined;
}

export function withNext(response: WireResponse, next_cursor: unknown): WireResponse {
  const page = objectOf(response);
  return withJson(response, { ...page, meta: { ...objectIn(page?.meta), next_cursor } });
}

export function withJson(response: WireResponse, json: unknown): WireResponse {
  return withText(response, JSON.stringify(json));
}

export function withText(response: WireResponse, text: string): WireResponse {
  return { ...response, body: Buffer.from(text) };
}

/** The response with a header added or replaced, or without it. */
export function withHeader(response: WireResponse, name: string, value: string | undefined): WireResponse {
  const others = without(name.toLowerCase(), response.headers);
  return { ...response, headers: value === undefined ? others : { ...others, [name.toLowerCase()]: value } };
}

/** The response with another Retry-After, or without one. */
export function withRetryAfter(response: WireResponse, value: string | undefined): WireResponse {
  return withHeader(response, retryAfterHeader, value);
}

export function secondsOf({ headers }: WireResponse): number {
  return Number(headers[retryAfterHeader.toLowerCase()]);
}

export function jsonResponse(status: number, json: unknown): WireResponse {
  const headers = { "content-type": "application/json; charset=utf-8" };
  return withJson({ status, headers, body: Buffer.alloc(0) }, json);
}

/** An error response in the shape of the spec. By default it has the code that belongs to its status. */
export function errorResponse(status: number, code: string | undefined = errorCodeOf(status)): WireResponse {
  return jsonResponse(status, { error: { code, message: "Refused." } });
}

export const as = (status: number, code?: string) => () => errorResponse(status, code);

export const pageOf = (products: readonly unknown[], next_cursor: unknown = ""): WireResponse =>
  jsonResponse(200, { products, meta: { next_cursor, count: products.length } });

/** The result of a batch that finds nothing. */
export const emptyBatch = {
  products: [] as readonly object[],
  errors: [],
  meta: { total: 0, found: 0, not_found: 0, other_errors: 0 },
};

/** The value if it is an object, otherwise an empty object. */
export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** An empty list for what is none. The lists in the service's own responses are of objects. */
export function listOf<Entry = Json>(value: unknown): readonly Entry[] {
  return Array.isArray(value) ? value : [];
}

export function without<T>(
  name: string,
  { [name]: _left, ...rest }: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  return rest;
}
