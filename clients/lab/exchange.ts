import { unescape as decoded } from "node:querystring";
import { itemName, itemsIn } from "../../schemas/accounts.ts";
import { retryAfterHeader, retryAfterSeconds } from "../../schemas/api.ts";
import { isObject, jsonIn } from "../../schemas/json.ts";
import { endpointOf, type WireRequest, type WireResponse } from "../../service/wire.ts";
import type { SituationId } from "../contract/situations.ts";
import type { LookupTask } from "../contract/tasks.ts";

/** A request and the response that it got. Times are in milliseconds since the run began. */
export interface ClientExchange extends ReadRequest, ReturnType<typeof readResponse> {
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

/** A response with its body, if that is a JSON object, and the seconds that a refused request waits. */
export function readResponse(response: WireResponse) {
  const body = jsonIn(response.body.toString());
  const retryAfter = response.headers[retryAfterHeader.toLowerCase()];
  return {
    response,
    body: isObject(body) ? body : undefined,
    wait: response.status === 429 ? retryAfterSeconds(retryAfter) : undefined,
  };
}

/** What a request of a client asks for, read from its bytes. */
export type ReadRequest = ReturnType<typeof readRequest>;

export function readRequest(request: WireRequest) {
  const { method, path, query, body } = request;
  const parameters = new URLSearchParams(query);
  const modes = [...parameters].flatMap(([name, value]) =>
    ["url", "gtin", "category"].includes(name) && value !== "" ? [name] : [],
  );
  const [mode] = modes;
  const isBatch = path === "/v1/products/batch-lookup";
  const kind = isBatch
    ? "batch"
    : endpointOf(mode === undefined ? request : { ...request, query: `${mode}=` });
  const items = isBatch ? itemsIn(body.toString()) : [];
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return {
    request,
    parameters,
    /** The modes of `GET /products` that it names with a value, with repetition. */
    modes,
    /** What it is for; of several modes, the first one counts. */
    kind,
    /** The items of a batch: of the first list in its body, whatever its name (spec: "not shown"). */
    items,
    /** Equal for requests that ask for the same. */
    target: `${method} ${path}?${sorted} ${body.toString()}`,
    /** What it asks for, as the parts of tasks are named. */
    names: [
      ...items.flatMap((item) => (isObject(item) ? itemName(item) : undefined) ?? []),
      ...(kind === "retailers" ? [listName] : []),
      ...lookedUp(path, parameters),
    ],
  };
}

/** The name of the list of retailers. */
export const listName = "the retailers";

/** The name of a product to look up. */
export function nameOf(product: LookupTask): string {
  if (product.by === "id") return `${product.retailer} ${product.product_id}`;
  return product.by === "gtin" ? `GTIN ${product.gtin}` : (URL.parse(product.url)?.href ?? product.url);
}

/** The retailer that appears when another one leaves. */
export const newRetailer = {
  slug: "northwind-fresh",
  name: "Northwind Fresh",
  domains: ["northwind-fresh.example"],
};

/** The name of a search for a GTIN at one retailer, whichever that is. */
export function searchName(gtin: string, retailer = "a retailer"): string {
  return `${nameOf({ by: "gtin", gtin })} at ${retailer}`;
}

/** The names of what is looked up by this path and these parameters. */
function lookedUp(path: string, parameters: URLSearchParams): string[] {
  const [retailer = "", product_id, ...others] = path
    .split("/")
    .slice(3)
    .map((part) => decoded(part));
  const [url, gtin] = [parameters.get("url"), parameters.get("gtin")];
  const at = parameters.get("retailer");
  const isById = product_id !== undefined && others.length === 0;
  return [
    ...(isById ? [nameOf({ by: "id", retailer, product_id })] : []),
    ...(url === null ? [] : [nameOf({ by: "url", url })]),
    ...(gtin === null ? [] : [nameOf({ by: "gtin", gtin })]),
    ...(gtin === null || at === null ? [] : [searchName(gtin), searchName(gtin, at)]),
  ];
}
