import { type EndpointId, retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import { isObject } from "../../schemas/json.ts";
import { endpointOf, type WireRequest, type WireResponse } from "../../service/wire.ts";
import type { SituationId } from "../contract/situations.ts";
import type { LookupTask } from "../contract/tasks.ts";

/** What a request of a client asks for, read from its bytes. */
export interface ReadRequest {
  readonly request: WireRequest;
  readonly parameters: URLSearchParams;
  /** The modes of `GET /products` that it names with a value, with repetition. */
  readonly modes: readonly string[];
  /** What it is for; of several modes, the first one counts. */
  readonly kind: EndpointId | "other";
  /** The items of a batch: of the first list in its body, whatever its name (spec: "not shown"). */
  readonly items: readonly unknown[];
  /** Equal for requests that ask for the same. */
  readonly target: string;
  /** What it asks for, as the parts of tasks are named. */
  readonly names: readonly string[];
}

/** A request and the response that it got. Times are in milliseconds since the run began. */
export interface ClientExchange extends ReadRequest, ReadResponse {
  /** Position in the run, from 0, in the order in which requests arrived. */
  readonly index: number;
  /** When the request had arrived completely. */
  readonly at: number;
  /** When the response was sent. */
  readonly end: number;
  /** When its connection was opened. */
  readonly connectedAt: number;
  /** What the service played for it. */
  readonly situations: readonly SituationId[];
}

interface ReadResponse {
  readonly response: WireResponse;
  /** The parsed body, where it is a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** The seconds that a refused request has to wait. */
  readonly wait: number | undefined;
}

export function readResponse(response: WireResponse): ReadResponse {
  const body = parsed(response.body);
  const wait =
    response.status === 429 ? retryAfterSeconds(response.headers[retryAfterHeader.toLowerCase()]) : undefined;
  return { response, wait, body: isObject(body) ? body : undefined };
}

export function readRequest(request: WireRequest): ReadRequest {
  const { method, path, query, body } = request;
  const parameters = new URLSearchParams(query);
  const modes = [...parameters].flatMap(([name, value]) =>
    ["url", "gtin", "category"].includes(name) && value !== "" ? [name] : [],
  );
  const isBatch = path === "/v1/products/batch-lookup";
  const endpoint = endpointOf(request);
  const isOfModes = endpoint === "other" && modes.length > 0;
  const sorted = new URLSearchParams(query);
  sorted.sort();
  const read = {
    request,
    parameters,
    modes,
    kind: isBatch ? "batch" : isOfModes ? endpointOf({ ...request, query: `${modes[0]}=` }) : endpoint,
    items: isBatch ? itemsOf(parsed(body)) : [],
    target: `${method} ${path}?${sorted} ${body.toString()}`,
  } as const;
  return { ...read, names: namesOf(read) };
}

function itemsOf(body: unknown): readonly unknown[] {
  const list = isObject(body) ? Object.values(body).find(Array.isArray) : body;
  return Array.isArray(list) ? list : [];
}

/** The name of the list of retailers. */
export const listName = "the retailers";

/** The name of a product to look up. A GTIN of 13 digits and the same with a zero before it are one. */
export function nameOf(product: LookupTask): string {
  if (product.by === "id") return `${product.retailer} ${product.product_id}`;
  return product.by === "gtin"
    ? `GTIN ${product.gtin.padStart(14, "0")}`
    : (URL.parse(product.url)?.href ?? product.url);
}

/** The name of a search for a GTIN at one retailer. */
export function searchName(gtin: string): string {
  return `${nameOf({ by: "gtin", gtin })} at a retailer`;
}

/** The name of an item of a batch; a number is no text. */
export function itemName(item: unknown): string {
  const { retailer, product_id } = isObject(item) ? item : {};
  return JSON.stringify([retailer, product_id]);
}

function namesOf({ request, parameters, kind, items }: Omit<ReadRequest, "names">): string[] {
  const [retailer = "", product_id, ...others] = request.path.split("/").slice(3).map(unescaped);
  const url = parameters.get("url");
  const gtin = parameters.get("gtin");
  const isById = product_id !== undefined && others.length === 0;
  return [
    ...items.map(itemName),
    ...(kind === "retailers" ? [listName] : []),
    ...(isById ? [nameOf({ by: "id", retailer, product_id })] : []),
    ...(url === null ? [] : [nameOf({ by: "url", url })]),
    ...(gtin === null ? [] : [nameOf({ by: "gtin", gtin })]),
    ...(gtin === null || !parameters.has("retailer") ? [] : [searchName(gtin)]),
  ];
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}
