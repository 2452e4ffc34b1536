import { itemsIn } from "../../schemas/accounts.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";

/** The entries under `errors` of a batch result (spec, Batch result); none when there is no list. */
export function entriesUnderErrors({ response }: Exchange): Record<string, unknown>[] {
  const list = isObject(response.json) ? response.json.errors : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Whether a batch result has a list under `errors`. */
export function listsErrors({ response }: Exchange): boolean {
  return isObject(response.json) && Array.isArray(response.json.errors);
}

/** The counters under `meta` of a batch result; empty when there is no such object. */
export function countersOf({ response }: Exchange): Record<string, unknown> {
  const meta = isObject(response.json) ? response.json.meta : undefined;
  return isObject(meta) ? meta : {};
}

/** The items that were sent in a batch; none when its body is malformed on purpose. */
export function itemsSent({ request }: Exchange): Record<string, unknown>[] {
  return itemsIn(request.body ?? "").filter(isObject);
}

interface Named {
  readonly retailer?: unknown;
  readonly product_id?: unknown;
}

/** Whether two items, entries or products have the same retailer and id. */
export function isSameItem(one: Named, other: Named): boolean {
  return one.retailer === other.retailer && one.product_id === other.product_id;
}
