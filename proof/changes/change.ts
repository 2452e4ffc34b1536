import { type EndpointId, errorCodeOf, keyHeaders, retryAfterHeader } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import {
  endpointOf,
  type Send,
  type WireChange,
  type WireKeys,
  type WireRequest,
  type WireResponse,
} from "../../service/wire.ts";

// Building blocks for faults and variants.

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

type NowOrLater<T> = T | Promise<T>;

/** A condition on requests. */
export type When = (request: WireRequest) => boolean;

const always: When = () => true;

/**
 * Changes responses. Where `change` returns undefined, the response stays as it is; `ask` sends another request to the
 * service.
 */
export function onResponse(
  change: (response: WireResponse, request: WireRequest, ask: Send) => NowOrLater<WireResponse | undefined>,
): WireChange {
  return (send) => async (request) => {
    const response = await send(request);
    return (await change(response, request, send)) ?? response;
  };
}

/** A change with a memory: `start` creates it, with an empty memory, whenever a service starts. */
export function remembering(start: () => WireChange): WireChange {
  return (send, keys) => start()(send, keys);
}

/** Changes requests. Where `change` returns undefined, the request stays as it is. */
export function onRequest(
  change: (request: WireRequest, keys: WireKeys) => WireRequest | undefined,
): WireChange {
  return (send, keys) => (request) => send(change(request, keys) ?? request);
}

/** Changes responses with one status; `when` limits this to some requests. */
export function onStatus(
  status: number,
  change: (response: WireResponse, request: WireRequest) => WireResponse,
  when: When = always,
): WireChange {
  return onResponse((response, request) =>
    response.status === status && when(request) ? change(response, request) : undefined,
  );
}

/** Sends the same kind of response to all requests that match, without asking the service. */
export function instead(when: When, response: () => WireResponse): WireChange {
  return (send) => async (request) => (when(request) ? response() : await send(request));
}

/** Repeats requests that got one status in another form and returns the second response. Undefined: no repetition. */
export function askAgain(
  status: number,
  other: (request: WireRequest, keys: WireKeys) => WireRequest | undefined,
): WireChange {
  return (send, keys) => async (request) => {
    const response = await send(request);
    const again = response.status === status ? other(request, keys) : undefined;
    return again === undefined ? response : await send(again);
  };
}

/** Changes the JSON object in successful responses of one endpoint. Undefined: no change. */
export function onBody(
  endpoint: EndpointId,
  change: (body: Json, request: WireRequest) => unknown,
): WireChange {
  return onResponse((response, request) => {
    const body = response.status === 200 && isFor(endpoint)(request) ? objectOf(response) : undefined;
    const changed = body === undefined ? undefined : change(body, request);
    return changed === undefined ? undefined : withJson(response, changed);
  });
}

/** Endpoints that return products. */
const productEndpoints = [
  "lookup-by-id",
  "lookup-by-url",
  "lookup-by-gtin",
  "category-page",
  "batch",
] as const satisfies readonly EndpointId[];

/** Changes each product in the responses of some endpoints. Undefined: no change. */
export function onProducts(
  change: (product: Json, request: WireRequest) => Json | undefined,
  endpoints: readonly EndpointId[] = productEndpoints,
): WireChange {
  return onResponse((response, request) => {
    const endpoint = endpointOf(request);
    if (endpoint === "other" || !endpoints.includes(endpoint) || response.status !== 200) return undefined;
    const body = objectOf(response);
    if (body === undefined) return undefined;
    const changed = (product: Json) => change(product, request) ?? product;
    const isList = endpoint === "category-page" || endpoint === "batch";
    return withJson(response, isList ? withListed(body, changed) : changed(body));
  });
}

// The spec leaves the name of the list of found products open, and an entry may wrap its product.
function withListed(body: Json, change: (product: Json) => Json): Json {
  const entry = (one: unknown): unknown => {
    if (!isObject(one)) return one;
    const wrapped = one.product;
    return isObject(wrapped) ? { ...one, product: change(wrapped) } : change(one);
  };
  return mapLists(body, (list) => list.map(entry));
}

/** Changes every list of a page or a batch result except `errors`. */
export function mapLists(body: Json, change: (list: readonly unknown[]) => unknown): Json {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name !== "errors" && Array.isArray(value) ? change(value) : value,
    ]),
  );
}

/** Changes each entry of GET /retailers. */
export function onRetailers(change: (entry: Json) => Json): WireChange {
  return onBody("retailers", (body) => ({
    ...body,
    retailers: listOf(body.retailers).map((entry) => (isObject(entry) ? change(entry) : entry)),
  }));
}

/** Changes `meta` of pages or of batch results. Undefined: no change. */
export function onMeta(
  endpoint: "category-page" | "batch",
  change: (meta: Json, request: WireRequest) => Json | undefined,
): WireChange {
  return onBody(endpoint, (body, request) => {
    const meta = change(objectIn(body.meta), request);
    return meta === undefined ? undefined : { ...body, meta };
  });
}

/** Changes each entry of a batch's `errors`. */
export function onBatchErrors(change: (entry: Json) => Json): WireChange {
  return onBody("batch", (result) => ({
    ...result,
    errors: listOf(result.errors).map((entry) => (isObject(entry) ? change(entry) : entry)),
  }));
}

/** Whether a request is for an endpoint. */
export function isFor(endpoint: EndpointId | "other"): When {
  return (request) => endpointOf(request) === endpoint;
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

type HeaderKind = keyof typeof keyHeaders;

const keyHeader = (which: HeaderKind) => keyHeaders[which].toLowerCase();

const hasKeyIn = (which: HeaderKind, { headers }: WireRequest) => headers[keyHeader(which)] !== undefined;

/** Whether a request carries a key, valid or not. */
export const hasKey: When = (request) => hasKeyIn("bearer", request) || hasKeyIn("plain", request);

/** Whether a request carries a key in both headers. */
export const hasBothKeys: When = (request) => hasKeyIn("bearer", request) && hasKeyIn("plain", request);

/** Whether a request carries its key in this header and not in the other. */
export const keyOnlyIn =
  (which: HeaderKind): When =>
  (request) =>
    hasKeyIn(which, request) && !hasBothKeys(request);

/** The value of the Authorization header, including the scheme. */
export function bearerOf({ headers }: WireRequest): string | undefined {
  return headers[keyHeader("bearer")];
}

/** The request without one of the two key headers. */
export function withoutKeyIn(which: HeaderKind, request: WireRequest): WireRequest {
  return { ...request, headers: without(keyHeader(which), request.headers) };
}

type CallerWithKey = keyof WireKeys;

/** The key that a request carries, valid or not. */
export function keyOf(request: WireRequest): string | undefined {
  return request.headers[keyHeader("plain")] ?? bearerOf(request)?.replace(/^bearer\s+/i, "");
}

/** Whose key a request carries; undefined for a missing or unknown key. */
export function callerOf(request: WireRequest, keys: WireKeys): CallerWithKey | undefined {
  const sent = keyOf(request);
  return (["primary", "sameOrg", "otherOrg"] as const).find(
    (caller) => sent !== undefined && keys[caller] === sent,
  );
}

/** The request with another caller's key. */
export function sentAs(caller: CallerWithKey, request: WireRequest, keys: WireKeys): WireRequest {
  const bare = withoutKeyIn("plain", withoutKeyIn("bearer", request));
  return { ...bare, headers: { ...bare.headers, [keyHeader("plain")]: keys[caller] } };
}

/** Applies a change to the requests of one caller. */
export function onlyFor(caller: CallerWithKey, change: WireChange): WireChange {
  return (send, keys) => {
    const changed = change(send, keys);
    return (request) => (callerOf(request, keys) === caller ? changed(request) : send(request));
  };
}

/** The items of a batch request, whatever their field is called; empty for other requests. */
export function itemsOf({ body }: WireRequest): readonly unknown[] {
  const sent = parsed(body);
  if (Array.isArray(sent)) return sent;
  return isObject(sent) ? (Object.values(sent).find(Array.isArray) ?? []) : [];
}

/** The batch request with other items. */
export function withItems(request: WireRequest, items: readonly unknown[]): WireRequest {
  const sent = parsed(request.body);
  return withSent(request, isObject(sent) ? mapLists(sent, () => items) : items);
}

/** The request with another body. */
export function withSent(request: WireRequest, json: unknown): WireRequest {
  return { ...request, body: Buffer.from(JSON.stringify(json)) };
}

/** Whether a request is a batch whose number of items matches. */
export const isBatchOf =
  (size: (length: number) => boolean): When =>
  (request) =>
    isFor("batch")(request) && size(itemsOf(request).length);

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

/** The response with another JSON body. */
export function withJson(response: WireResponse, json: unknown): WireResponse {
  return { ...response, body: Buffer.from(JSON.stringify(json)) };
}

/** The response with any text as its body. */
export function withText(response: WireResponse, text: string): WireResponse {
  return { ...response, body: Buffer.from(text) };
}

/** The response with a header added or replaced. */
export function withHeader(response: WireResponse, name: string, value: string): WireResponse {
  return { ...response, headers: { ...response.headers, [name]: value } };
}

/** The response without a header. */
export function withoutHeader(response: WireResponse, name: string): WireResponse {
  return { ...response, headers: without(name, response.headers) };
}

/** The response with another Retry-After, or without one. */
export function withRetryAfter(response: WireResponse, value: string | undefined): WireResponse {
  const name = retryAfterHeader.toLowerCase();
  return value === undefined ? withoutHeader(response, name) : withHeader(response, name, value);
}

/** The value of Retry-After. */
export function retryAfterOf({ headers }: WireResponse): string | undefined {
  return headers[retryAfterHeader.toLowerCase()];
}

const jsonType = { "content-type": "application/json; charset=utf-8" };

/** A new JSON response. */
export function jsonResponse(status: number, json: unknown): WireResponse {
  return withJson({ status, headers: jsonType, body: Buffer.alloc(0) }, json);
}

/** An error response in the shape of the spec. By default it has the code that belongs to its status. */
export function errorResponse(status: number, code: string | undefined = errorCodeOf(status)): WireResponse {
  return jsonResponse(status, { error: { code, message: "Refused." } });
}

/** Replaces a response with an error. */
export const as = (status: number, code?: ReturnType<typeof errorCodeOf>) => () =>
  errorResponse(status, code);

/** The value if it is an object, otherwise an empty object. */
export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The value if it is a list, otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A copy without one field. */
export function without<T>(
  name: string,
  { [name]: _left, ...rest }: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  return rest;
}
