import { itemsIn, type NamedItem } from "../../schemas/accounts.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";

// What the bodies of responses say, as far as they can be read.

/** The slugs in a response to GET /retailers; none when the body has no such list. */
export function slugsIn(body: unknown): string[] {
  const list = isObject(body) ? body.retailers : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const slug = isObject(entry) ? entry.slug : undefined;
    return typeof slug === "string" && slug !== "" ? [slug] : [];
  });
}

/** The `meta.next_cursor` of a page; undefined when it is missing or not a string. */
export function nextCursor(body: unknown): string | undefined {
  const meta = isObject(body) ? body.meta : undefined;
  const cursor = isObject(meta) ? meta.next_cursor : undefined;
  return typeof cursor === "string" ? cursor : undefined;
}

/** The body of a response as a product; empty when it is not an object. */
export function productOf({ response }: Exchange): Product {
  return isObject(response.json) ? response.json : {};
}

/** How many of these exchanges have each status. */
export function countsByStatus(exchanges: readonly Exchange[]): Record<string, number> {
  const byStatus = [...Map.groupBy(exchanges, ({ response }) => response.status)];
  return Object.fromEntries(byStatus.map(([status, { length }]) => [status, length]));
}

/** The body of a batch result; empty for any other, such as an error that has a list under `errors`, too. */
function batchResult({ response }: Exchange): Record<string, unknown> {
  return response.status === 200 && isObject(response.json) ? response.json : {};
}

/** The entries under `errors` of a batch result (spec, Batch result); none when there is no list. */
export function entriesUnderErrors(exchange: Exchange): Record<string, unknown>[] {
  const { errors } = batchResult(exchange);
  return Array.isArray(errors) ? errors.filter(isObject) : [];
}

/** Whether a batch result has a list under `errors`. */
export function listsErrors(exchange: Exchange): boolean {
  return Array.isArray(batchResult(exchange).errors);
}

/** The counters under `meta` of a batch result; empty when there is no such object. */
export function countersOf(exchange: Exchange): Record<string, unknown> {
  const { meta } = batchResult(exchange);
  return isObject(meta) ? meta : {};
}

/** The items that were sent in a batch; none when its body is malformed on purpose. */
export function itemsSent({ request }: Exchange): Record<string, unknown>[] {
  return itemsIn(request.body ?? "").filter(isObject);
}

/** Whether two items, entries or products have the same retailer and id. */
export function isSameItem(one: NamedItem, other: NamedItem): boolean {
  return one.retailer === other.retailer && one.product_id === other.product_id;
}
