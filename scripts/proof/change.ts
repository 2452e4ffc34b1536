import { isDeepStrictEqual } from "node:util";
import { type EndpointId, errorCodeOf, keyHeaders, retryAfterHeader } from "../../schemas/api.ts";
import {
  endpointOf,
  type Send,
  type WireChange,
  type WireKeys,
  type WireRequest,
  type WireResponse,
} from "../../service/wire.ts";

// What faults and variants are made of.

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

type Eventually<T> = T | Promise<T>;

/** A condition on requests. */
export type When = (request: WireRequest) => boolean;

const always: When = () => true;

/** Changes responses; undefined leaves one as it is. `ask` sends another request to the service. */
export function onResponse(
  change: (response: WireResponse, request: WireRequest, ask: Send) => Eventually<WireResponse | undefined>,
): WireChange {
  return (send) => async (request) => {
    const response = await send(request);
    return (await change(response, request, send)) ?? response;
  };
}

/** A change that goes by what it saw before. `start` makes it anew at every start. */
export function remembering(start: () => WireChange): WireChange {
  return (send, keys) => start()(send, keys);
}

/** The same change, and a call of `note` for each response that is missing or differs from what it is without the change. */
export function noting(change: WireChange, note: () => void): WireChange {
  return (send, keys) => {
    const own = new WeakMap<WireRequest, WireResponse>();
    const changed = change(async (request) => {
      const response = await send(request);
      own.set(request, response);
      return response;
    }, keys);
    return async (request) => {
      const response = await changed(request).catch((error: unknown) => {
        note();
        throw error;
      });
      if (!isDeepStrictEqual(response, own.get(request))) note();
      return response;
    };
  };
}

/** Changes requests; undefined leaves one as it is. */
export function onRequest(
  change: (request: WireRequest, keys: WireKeys) => WireRequest | undefined,
): WireChange {
  return (send, keys) => (request) => send(change(request, keys) ?? request);
}

/** Changes responses of one status, as `onStatus(404, …)`; `when` narrows it to some requests. */
export function onStatus(
  status: number,
  change: (response: WireResponse, request: WireRequest) => WireResponse,
  when: When = always,
): WireChange {
  return onResponse((response, request) =>
    response.status === status && when(request) ? change(response, request) : undefined,
  );
}

/** Responds to some requests without a look at them. */
export function instead(when: When, response: () => WireResponse): WireChange {
  return (send) => async (request) => (when(request) ? response() : await send(request));
}

/** What got one status is asked again in another way, and that response goes out; undefined asks nothing. */
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

/** Changes the JSON object of successful responses of one endpoint; undefined leaves it as it is. */
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

/** Endpoints that respond with products. */
const productEndpoints = [
  "lookup-by-id",
  "lookup-by-url",
  "lookup-by-gtin",
  "category-page",
  "batch",
] as const satisfies readonly EndpointId[];

/** Changes each product in responses of some endpoints; undefined leaves one as it is. */
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

// The list of found products has a name of the target's own, and its entries may wrap the product.
function withListed(body: Json, change: (product: Json) => Json): Json {
  const entry = (one: unknown): unknown => {
    if (!isObject(one)) return one;
    const wrapped = one.product;
    return isObject(wrapped) ? { ...one, product: change(wrapped) } : change(one);
  };
  return mapLists(body, (list) => list.map(entry));
}

/** Changes every list of a page or a batch result but `errors`. */
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

/** Changes the meta of pages or of batch results; undefined leaves it as it is. */
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

/** A query parameter as it was sent, decoded. */
export function parameter({ query }: WireRequest, name: string): string | undefined {
  return new URLSearchParams(query).get(name) ?? undefined;
}

/** The request with other parameters; undefined takes one away. */
export function withParameters(
  request: WireRequest,
  changes: Readonly<Record<string, string | undefined>>,
): WireRequest {
  const parameters = new URLSearchParams(request.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
  }
  // As the suite writes them: a space is %20 and never a plus.
  const query = [...parameters].map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  return { ...request, query };
}

type KeyHeader = keyof typeof keyHeaders;

const keyHeader = (which: KeyHeader) => keyHeaders[which].toLowerCase();

const hasKeyIn = (which: KeyHeader, { headers }: WireRequest) => headers[keyHeader(which)] !== undefined;

/** Whether a request carries a key, good or bad. */
export const hasKey: When = (request) => hasKeyIn("bearer", request) || hasKeyIn("plain", request);

/** Whether a request carries a key in both headers. */
export const hasBothKeys: When = (request) => hasKeyIn("bearer", request) && hasKeyIn("plain", request);

/** Whether a request carries its key in this header and not in the other. */
export const keyOnlyIn =
  (which: KeyHeader): When =>
  (request) =>
    hasKeyIn(which, request) && !hasBothKeys(request);

/** What stands in the header for a bearer token, scheme and all. */
export function bearerOf({ headers }: WireRequest): string | undefined {
  return headers[keyHeader("bearer")];
}

/** The request without one of the headers that carry a key. */
export function withoutKeyIn(which: KeyHeader, request: WireRequest): WireRequest {
  return { ...request, headers: without(keyHeader(which), request.headers) };
}

type Caller = keyof WireKeys;

/** Whose key a request carries; undefined for no key and for one that is not known. */
export function callerOf(request: WireRequest, keys: WireKeys): Caller | undefined {
  const sent = request.headers[keyHeader("plain")] ?? bearerOf(request)?.replace(/^bearer\s+/i, "");
  return (["primary", "sameOrg", "otherOrg"] as const).find(
    (caller) => sent !== undefined && keys[caller] === sent,
  );
}

/** The request with the key of another. */
export function sentAs(caller: Caller, request: WireRequest, keys: WireKeys): WireRequest {
  const bare = withoutKeyIn("plain", withoutKeyIn("bearer", request));
  const key = keys[caller];
  return key === undefined ? bare : { ...bare, headers: { ...bare.headers, [keyHeader("plain")]: key } };
}

/** Applies a change to the requests of one caller. */
export function onlyFor(caller: Caller, change: WireChange): WireChange {
  return (send, keys) => {
    const changed = change(send, keys);
    return (request) => (callerOf(request, keys) === caller ? changed(request) : send(request));
  };
}

/** The items of a batch request, under whatever name; empty for anything else. */
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

/** Whether a request is for a batch of a size. */
export const isBatchOf =
  (size: (length: number) => boolean): When =>
  (request) =>
    isFor("batch")(request) && size(itemsOf(request).length);

/** The JSON of a body, or undefined when it is none. */
export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** The JSON of a response, when it is an object. */
export function objectOf({ body }: WireResponse): Json | undefined {
  const json = parsed(body);
  return isObject(json) ? json : undefined;
}

/** The response with another body, JSON as before. */
export function withJson(response: WireResponse, json: unknown): WireResponse {
  return { ...response, body: Buffer.from(JSON.stringify(json)) };
}

/** The response with another body, of whatever kind. */
export function withText(response: WireResponse, text: string): WireResponse {
  return { ...response, body: Buffer.from(text) };
}

/** The response with one more header, or another value of it. */
export function withHeader(response: WireResponse, name: string, value: string): WireResponse {
  return { ...response, headers: { ...response.headers, [name]: value } };
}

/** The response without a header. */
export function withoutHeader(response: WireResponse, name: string): WireResponse {
  return { ...response, headers: without(name, response.headers) };
}

/** A 429 that says something else of how long to wait, or nothing. */
export function withRetryAfter(response: WireResponse, value: string | undefined): WireResponse {
  const name = retryAfterHeader.toLowerCase();
  return value === undefined ? withoutHeader(response, name) : withHeader(response, name, value);
}

/** The seconds to wait, as a response says them. */
export function retryAfterOf({ headers }: WireResponse): string | undefined {
  return headers[retryAfterHeader.toLowerCase()];
}

const jsonType = { "content-type": "application/json; charset=utf-8" };

/** A JSON response of its own. */
export function jsonResponse(status: number, json: unknown): WireResponse {
  return withJson({ status, headers: jsonType, body: Buffer.alloc(0) }, json);
}

/** An error in the shape of the spec, with the code that belongs to its status unless another is given. */
export function errorResponse(status: number, code: string | undefined = errorCodeOf(status)): WireResponse {
  return jsonResponse(status, { error: { code, message: "Refused." } });
}

/** Responds with an error in place of what would go out. */
export const as = (status: number, code?: ReturnType<typeof errorCodeOf>) => () =>
  errorResponse(status, code);

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value when it is an object, else an empty one. */
export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The value when it is a list, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The same without one of its fields. */
export function without<T>(
  name: string,
  { [name]: _left, ...rest }: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  return rest;
}
