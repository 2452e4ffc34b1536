import type { EndpointId } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import {
  endpointOf,
  type Send,
  type WireChange,
  type WireKeys,
  type WireRequest,
  type WireResponse,
} from "../../service/wire.ts";
import { where } from "./change.ts";
import * as is from "./conditions.ts";
import { type Json, listOf, mapLists, objectIn, objectOf, withJson, withText } from "./messages.ts";

// Changes of one part of requests or responses, to be imported as `on`.

type NowOrLater<T> = T | Promise<T>;

/** Where `change` returns undefined, the response stays; `ask` sends another request to the service. */
export const response =
  (
    change: (response: WireResponse, request: WireRequest, ask: Send) => NowOrLater<WireResponse | undefined>,
  ): WireChange =>
  (send) =>
  async (request) => {
    const response = await send(request);
    return (await change(response, request, send)) ?? response;
  };

/** Changes requests. Where `change` returns undefined, the request stays as it is. */
export const request =
  (change: (request: WireRequest, keys: WireKeys) => WireRequest | undefined): WireChange =>
  (send, keys) =>
  (request) =>
    send(change(request, keys) ?? request);

/** Changes the responses with one status to the requests that match. */
export const status = (
  status: number,
  change: (response: WireResponse, request: WireRequest) => WireResponse,
  when: is.When = is.always,
): WireChange =>
  where(
    when,
    response((response, request) => (response.status === status ? change(response, request) : undefined)),
  );

/** Changes the JSON object in successful responses of one endpoint. Undefined: no change. */
export const body = (
  endpoint: EndpointId,
  change: (body: Json, request: WireRequest) => unknown,
): WireChange =>
  response((response, request) => {
    const body = response.status === 200 && endpointOf(request) === endpoint ? objectOf(response) : undefined;
    const changed = body === undefined ? undefined : change(body, request);
    return changed === undefined ? undefined : withJson(response, changed);
  });

/** Changes the text of successful responses, which a parser may hide. */
export const text = (when: is.When, change: (text: string) => string): WireChange =>
  status(200, (response) => withText(response, change(response.body.toString())), when);

/** Endpoints that return products. */
const productEndpoints: readonly EndpointId[] = [
  "lookup-by-id",
  "lookup-by-url",
  "lookup-by-gtin",
  "category-page",
  "batch",
];

/** Changes each product in the responses of some endpoints. Undefined: no change. */
export const products = (
  change: (product: Json, request: WireRequest) => Json | undefined,
  endpoints: readonly EndpointId[] = productEndpoints,
): WireChange =>
  response((response, request) => {
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

/** Changes one field of the products that have it: `change` gets its value as a text. */
export const field = (
  field: string,
  change: (value: string) => unknown,
  endpoints?: readonly EndpointId[],
): WireChange =>
  products(
    (product) =>
      product[field] === undefined ? undefined : { ...product, [field]: change(String(product[field])) },
    endpoints,
  );

/** Changes the list of retailers, the products of a page, with its `count`, or those that a batch found. */
export const listed = (
  endpoint: "retailers" | "category-page" | "batch",
  change: (list: readonly Json[], request: WireRequest) => readonly Json[],
): WireChange =>
  body(endpoint, (body, request) => {
    const changed = mapLists(body, (list) => change(list, request));
    if (endpoint !== "category-page") return changed;
    return { ...changed, meta: { ...objectIn(body.meta), count: listOf(changed.products).length } };
  });

export const retailers = (change: (entry: Json) => Json): WireChange =>
  listed("retailers", (list) => list.map(change));

/** Changes `meta` of pages or of batch results. Undefined: no change. */
export const meta = (
  endpoint: "category-page" | "batch",
  change: (meta: Json, request: WireRequest) => Json | undefined,
): WireChange =>
  body(endpoint, (body, request) => {
    const meta = change(objectIn(body.meta), request);
    return meta === undefined ? undefined : { ...body, meta };
  });

/** Changes each entry of a batch's `errors`. */
export const batchErrors = (change: (entry: Json) => Json): WireChange =>
  body("batch", (result) => ({ ...result, errors: listOf(result.errors).map(change) }));

/** Replaces a part of the path of lookups by id. */
export const path = (pattern: RegExp, text: string): WireChange =>
  where(
    is.byId,
    request((request) => ({ ...request, path: request.path.replace(pattern, text) })),
  );
