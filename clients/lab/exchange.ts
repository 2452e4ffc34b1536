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
  /** When its connection was opened. */
  readonly connectedAt: number;
  /** What the service played for it. */
  readonly situations: readonly SituationId[];
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

/** Whether a request looks up this product in the way that was asked for. */
export function isLookupOf({ request }: HasRequest, product: LookupTask): boolean {
  const parameters = parametersOf({ request });
  if (product.by === "id") {
    const wanted = [product.retailer, product.product_id].join("\n");
    return request.path.split("/").slice(3).map(unescaped).join("\n") === wanted;
  }
  if (product.by === "gtin") return withoutZeros(parameters.get("gtin")) === withoutZeros(product.gtin);
  const url = parameters.get("url") ?? "";
  return url === product.url || URL.parse(url)?.href === URL.parse(product.url)?.href;
}

/** A GTIN of 13 digits and the same with a zero before it are one. */
const withoutZeros = (gtin: string | null) => gtin?.replace(/^0+/, "");

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The items of a batch request: of the first list in its body, whatever its name (spec: "not shown"). */
export function itemsOf(request: WireRequest): readonly unknown[] | undefined {
  const body = parsed(request.body);
  return isObject(body) ? Object.values(body).find(Array.isArray) : Array.isArray(body) ? body : undefined;
}

/** What an item of a batch asks for. */
export function itemName(item: unknown): string {
  const { retailer, product_id } = isObject(item) ? item : {};
  return JSON.stringify([retailer, product_id]);
}

/** A parsed JSON object, or undefined. */
export function parsedObject(text: Buffer): Readonly<Record<string, unknown>> | undefined {
  const value = parsed(text);
  return isObject(value) ? value : undefined;
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}
