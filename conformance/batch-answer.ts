import type { Exchange } from "./exchange.ts";
import { isObject } from "./products-in.ts";

/** The entries of the list under `errors` of a batch result (spec, Batch result); none when there is no list. */
export function entriesUnderErrors({ response }: Exchange): Record<string, unknown>[] {
  const list = isObject(response.json) ? response.json.errors : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Whether there is a list under `errors` at all. */
export function listsErrors({ response }: Exchange): boolean {
  return isObject(response.json) && Array.isArray(response.json.errors);
}

/** The counters under `meta` of a batch result; empty when there is no such object. */
export function countersOf({ response }: Exchange): Record<string, unknown> {
  const meta = isObject(response.json) ? response.json.meta : undefined;
  return isObject(meta) ? meta : {};
}
