import { type EndpointId, errorCodeOf, keyHeaders, retryAfterHeader } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import {
  applyChanges,
  endpointOf,
  type Send,
  type WireChange,
  type WireKeys,
  type WireRequest,
  type WireResponse,
} from "../../service/wire.ts";

// Building blocks for faults and variants: conditions on requests, changes, and readers and writers of messages.

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

type NowOrLater<T> = T | Promise<T>;

/** A condition on requests. */
export type When = (request: WireRequest, keys: WireKeys) => boolean;

/** A condition on what a request itself says. */
type WhenAlone = (request: WireRequest) => boolean;

export const always: When = () => true;

export const isFor =
  (endpoint: EndpointId | "other"): WhenAlone =>
  (request) =>
    endpointOf(request) === endpoint;

export const isList = isFor("retailers");
export const byId = isFor("lookup-by-id");
export const byUrl = isFor("lookup-by-url");
export const byGtin = isFor("lookup-by-gtin");
export const isPage = isFor("category-page");
export const isBatch = isFor("batch");

/** Whether a request has a query parameter whose value matches. */
export const sends =
  (name: string, pattern = /^/): WhenAlone =>
  (request) => {
    const value = parameter(request, name);
    return value !== undefined && pattern.test(value);
  };

export const all =
  (...conditions: readonly When[]): When =>
  (request, keys) =>
    conditions.every((when) => when(request, keys));

type HeaderKind = keyof typeof keyHeaders;

const keyHeader = (which: HeaderKind) => keyHeaders[which].toLowerCase();

const hasKeyIn = (which: HeaderKind, { headers }: WireRequest) => headers[keyHeader(which)] !== undefined;

/** Whether a request carries a key, valid or not. */
export const hasKey: WhenAlone = (request) => hasKeyIn("bearer", request) || hasKeyIn("plain", request);

export const hasBothKeys: WhenAlone = (request) => hasKeyIn("bearer", request) && hasKeyIn("plain", request);

/** Whether a request carries its key in this header and not in the other. */
export const keyOnlyIn =
  (which: HeaderKind): WhenAlone =>
  (request) =>
    hasKeyIn(which, request) && !hasBothKeys(request);

/** Whether a request carries this caller's key. */
export const isOf =
  (caller: keyof WireKeys): When =>
  (request, keys) =>
    callerOf(request, keys) === caller;

/** Applies several changes, the first one innermost. */
export const inTurn =
  (...changes: readonly WireChange[]): WireChange =>
  (send, keys) =>
    applyChanges(send, changes, keys);

/** Applies a change to the requests that match. */
export const where =
  (when: When, change: WireChange): WireChange =>
  (send, keys) => {
    const changed = change(send, keys);
    return (request) => (when(request, keys) ? changed(request) : send(request));
  };

/** A change with a memory: `start` creates it, with an empty memory, whenever a service starts. */
export const remembering =
  (start: () => WireChange): WireChange =>
  (send, keys) =>
    start()(send, keys);

/**
 * Changes responses. Where `change` returns undefined, the response stays as it is; `ask` sends another request to the
 * service.
 */
export const onResponse =
  (
    change: (response: WireResponse, request: WireRequest, ask: Send) => NowOrLater<WireResponse | undefined>,
  ): WireChange =>
  (send) =>
  async (request) => {
    const response = await send(request);
    return (await change(response, request, send)) ?? response;
  };

/** Changes requests. Where `change` returns undefined, the request stays as it is. */
export const onRequest =
  (change: (request: WireRequest, keys: WireKeys) => WireRequest | undefined): WireChange =>
  (send, keys) =>
  (request) =>
    send(change(request, keys) ?? request);

/** Changes the responses with one status to the requests that match. */
export const onStatus = (
  status: number,
  change: (response: WireResponse, request: WireRequest) => WireResponse,
  when: When = always,
): WireChange =>
  where(
    when,
    onResponse((response, request) => (response.status === status ? change(response, request) : undefined)),
  );

/** Sends the same kind of response to all requests that match, without passing them to the service. */
export const instead = (when: When, response: () => WireResponse): WireChange =>
  where(when, () => async () => response());

/** Repeats requests that got one status in another form and returns the second response. Undefined: no repetition. */
export const askAgain =
  (
    status: number,
    other: (request: WireRequest, keys: WireKeys) => WireRequest | undefined,
    when: When = always,
  ): WireChange =>
  (send, keys) =>
  async (request) => {
    const response = await send(request);
    const isIt = response.status === status && when(request, keys);
    const again = isIt ? other(request, keys) : undefined;
    return again === undefined ? response : await send(again);
  };

/** A request with another value of one of its parameters, for `onRequest` and `askAgain`. Undefined removes it. */
export const reading =
  (name: string, change: (value: string) => string | undefined, when: When = always) =>
  (request: WireRequest, keys: WireKeys): WireRequest | undefined => {
    const value = parameter(request, name);
    if (value === undefined || !when(request, keys)) return undefined;
    const changed = change(value);
    return changed === value ? undefined : withParameters(request, { [name]: changed });
  };

/** Changes the JSON object in successful responses of one endpoint. Undefined: no change. */
export const onBody = (
  endpoint: EndpointId,
  change: (body: Json, request: WireRequest) => unknown,
): WireChange =>
  onResponse((response, request) => {
    const body = response.status === 200 && endpointOf(request) === endpoint ? objectOf(response) : undefined;
    const changed = body === undefined ? undefined : change(body, request);
    return changed === undefined ? undefined : withJson(response, changed);
  });

/** Changes the text of successful responses, which a parser may hide. */
export const onText = (when: When, change: (text: string) => string): WireChange =>
  onStatus(200, (response) => withText(response, change(response.body.toString())), when);

/** Endpoints that return products. */
const productEndpoints: readonly EndpointId[] = [
  "lookup-by-id",
  "lookup-by-url",
  "lookup-by-gtin",
  "category-page",
  "batch",
];

/** Changes each product in the responses of some endpoints. Undefined: no change. */
export const onProducts = (
  change: (product: Json, request: WireRequest) => Json | undefined,
  endpoints: readonly EndpointId[] = productEndpoints,
): WireChange =>
  onResponse((response, request) => {
    const endpoint = endpointOf(request);
    if (endpoint === "other" || !endpoints.includes(endpoint) || response.status !== 200) return undefined;
    const body = objectOf(response);
    if (body === undefined) return undefined;
    const changed = (product: Json) => change(product, request) ?? product;
    const isMany = endpoint === "category-page" || endpoint === "batch";
    return withJson(response, isMany ? withListed(body, changed) : changed(body));
  });

// The spec leaves the name of the list of found products open, and an entry may wrap its product.
const withListed = (body: Json, change: (product: Json) => Json): Json =>
  mapLists(body, (list) =>
    list.map((one) => {
      if (!isObject(one)) return one;
      return isObject(one.product) ? { ...one, product: change(one.product) } : change(one);
    }),
  );

/** Changes one field of the products that have it. */
export const onField = (
  field: string,
  change: (value: string) => unknown,
  endpoints?: readonly EndpointId[],
): WireChange =>
  onProducts(
    (product) =>
      product[field] === undefined ? undefined : { ...product, [field]: change(String(product[field])) },
    endpoints,
  );

/** Changes every list of a page or a batch result except `errors`. */
export function mapLists(body: Json, change: (list: readonly Json[]) => unknown): Json {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name !== "errors" && Array.isArray(value) ? change(value) : value,
    ]),
  );
}

/** Changes the list of retailers, the products of a page, with its `count`, or those that a batch found. */
export const onListed = (
  endpoint: "retailers" | "category-page" | "batch",
  change: (list: readonly Json[], request: WireRequest) => readonly Json[],
): WireChange =>
  onBody(endpoint, (body, request) => {
    const changed = mapLists(body, (list) => change(list, request));
    if (endpoint !== "category-page") return changed;
    return { ...changed, meta: { ...objectIn(body.meta), count: listOf(changed.products).length } };
  });

export const onRetailers = (change: (entry: Json) => Json): WireChange =>
  onListed("retailers", (list) => list.map(change));

/** Changes `meta` of pages or of batch results. Undefined: no change. */
export const onMeta = (
  endpoint: "category-page" | "batch",
  change: (meta: Json, request: WireRequest) => Json | undefined,
): WireChange =>
  onBody(endpoint, (body, request) => {
    const meta = change(objectIn(body.meta), request);
    return meta === undefined ? undefined : { ...body, meta };
  });

/** Changes each entry of a batch's `errors`. */
export const onBatchErrors = (change: (entry: Json) => Json): WireChange =>
  onBody("batch", (result) => ({ ...result, errors: listOf(result.errors).map(change) }));

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

/** Replaces a part of the path of lookups by id. */
export const onPath = (pattern: RegExp, text: string): WireChange =>
  where(
    byId,
    onRequest((request) => ({ ...request, path: request.path.replace(pattern, text) })),
  );

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

/** Whether a request is a batch whose number of items matches. */
export const isBatchOf = (size: (length: number) => boolean): When =>
  all(isBatch, (request) => size(itemsOf(request).length));

/** A body parsed as JSON; undefined when it is not valid JSON. */
export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
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

/** The value if it is an object, otherwise an empty object. */
export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The value if it is a list, otherwise an empty list. The lists in the service's own responses are of objects. */
export function listOf<Entry = Json>(value: unknown): readonly Entry[] {
  return Array.isArray(value) ? value : [];
}

export function without<T>(
  name: string,
  { [name]: _left, ...rest }: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  return rest;
}
