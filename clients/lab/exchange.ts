import { type EndpointId, retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import { endpointOf, type WireRequest, type WireResponse } from "../../service/wire.ts";
import type { SituationId } from "../contract/client-findings.ts";
import type { LookupTask } from "./task.ts";

/** A request of a client and the response that it got. Times are in milliseconds since the run began. */
export interface ClientExchange {
  /** Position in the run, from 0, in the order in which requests arrived. */
  readonly index: number;
  readonly request: WireRequest;
  /** What it asks for: see `targetOf`. */
  readonly target: string;
  readonly response: WireResponse;
  /** When the request had arrived completely. */
  readonly at: number;
  /** When the response was sent. */
  readonly end: number;
  /** The process that sent it; undefined where the system does not say. */
  readonly process: number | undefined;
  /** When its connection was opened. */
  readonly connectedAt: number;
  readonly isFirstOnConnection: boolean;
  /** What the service played for it, if anything. */
  readonly situation: SituationId | undefined;
  /** Whether the message of this error has another wording than the service gives it by itself. */
  readonly isReworded: boolean;
}

/** The seconds that a refused request has to wait; undefined for any other response. */
export function waitOf({
  response: { status, headers },
}: Pick<ClientExchange, "response">): number | undefined {
  return status === 429 ? retryAfterSeconds(headers[retryAfterHeader.toLowerCase()]) : undefined;
}

/** The parsed body of a response, or undefined where it is no JSON object. */
export function bodyOf({
  response,
}: Pick<ClientExchange, "response">): Readonly<Record<string, unknown>> | undefined {
  return parsedObject(response.body);
}

// What a request of a client asks for, read from its bytes.

/** A request, alone or as a part of an exchange. */
export interface HasRequest {
  readonly request: WireRequest;
}

/** The query of a request by its names; a name that was sent twice has its values in order. */
export function parametersOf({ request: { query } }: HasRequest): URLSearchParams {
  return new URLSearchParams(query);
}

/** The modes of `GET /products` that a request names with a value (spec, GET /v1/products), with repetition. */
export function modesOf(exchange: HasRequest): string[] {
  const modes = ["url", "gtin", "category"];
  return [...parametersOf(exchange)].flatMap(([name, value]) =>
    modes.includes(name) && value !== "" ? [name] : [],
  );
}

/** What a request is for, also when it names several modes: the first one counts. */
export function kindOf({ request }: HasRequest): EndpointId | "other" {
  if (request.path === "/v1/products/batch-lookup") return "batch";
  const endpoint = endpointOf(request);
  const [mode] = modesOf({ request });
  return endpoint !== "other" || mode === undefined
    ? endpoint
    : endpointOf({ ...request, query: `${mode}=` });
}

/** Two requests with the same target ask for the same thing. */
export function targetOf({ request: { method, path, query, body } }: HasRequest): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return `${method} ${path}?${sorted} ${body.toString()}`;
}

/** The retailer and the product of a lookup by id, decoded; undefined for other requests and malformed escapes. */
export function identifierOf({
  request: { path },
}: HasRequest): { readonly retailer: string; readonly productId: string } | undefined {
  const [, retailer, productId] = /^\/v1\/products\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (retailer === undefined || productId === undefined) return undefined;
  try {
    return { retailer: decodeURIComponent(retailer), productId: decodeURIComponent(productId) };
  } catch {
    return undefined;
  }
}

/** Whether a request looks up this product in the way that was asked for. */
export function isLookupOf(exchange: HasRequest, product: LookupTask): boolean {
  if (product.by === "id") {
    const sent = identifierOf(exchange);
    return sent?.retailer === product.retailer && sent.productId === product.product_id;
  }
  const parameters = parametersOf(exchange);
  return product.by === "url"
    ? parameters.get("url") === product.url
    : parameters.get("gtin") === product.gtin;
}

/** The items of a batch request: of the first list in its body, whatever its name (spec: "not shown"). */
export function itemsOf(request: WireRequest): readonly unknown[] | undefined {
  const body = parsedObject(request.body);
  return body === undefined ? undefined : Object.values(body).find((value) => Array.isArray(value));
}

/** A parsed JSON object, or undefined. */
export function parsedObject(text: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
