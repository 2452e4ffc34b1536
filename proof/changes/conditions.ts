import type { EndpointId } from "../../schemas/api.ts";
import { endpointOf, type WireKeys, type WireRequest } from "../../service/wire.ts";
import { callerOf, type HeaderKind, hasKeyIn, itemsOf, parameter } from "./messages.ts";

// Conditions on requests, to be imported as `is`.

/** A condition on requests. */
export type When = (request: WireRequest, keys: WireKeys) => boolean;

/** A condition on what a request itself says. */
type WhenAlone = (request: WireRequest) => boolean;

export const always: When = () => true;

const isFor =
  (endpoint: EndpointId | "other"): WhenAlone =>
  (request) =>
    endpointOf(request) === endpoint;

export const list = isFor("retailers");
export const other = isFor("other");
export const byId = isFor("lookup-by-id");
export const byUrl = isFor("lookup-by-url");
export const byGtin = isFor("lookup-by-gtin");
export const page = isFor("category-page");
export const batch = isFor("batch");

/** Whether a request has a query parameter whose value matches. */
export const sending =
  (name: string, pattern = /^/): WhenAlone =>
  (request) => {
    const value = parameter(request, name);
    return value !== undefined && pattern.test(value);
  };

export const all =
  (...conditions: readonly When[]): When =>
  (request, keys) =>
    conditions.every((when) => when(request, keys));

export const not =
  (when: When): When =>
  (request, keys) =>
    !when(request, keys);

/** Whether a request carries a key, valid or not. */
export const keyed: WhenAlone = (request) => hasKeyIn("bearer", request) || hasKeyIn("plain", request);

export const keyedTwice: WhenAlone = (request) => hasKeyIn("bearer", request) && hasKeyIn("plain", request);

/** Whether a request carries its key in this header and not in the other. */
export const keyedOnlyIn =
  (which: HeaderKind): WhenAlone =>
  (request) =>
    hasKeyIn(which, request) && !keyedTwice(request);

/** Whether a request carries this caller's key. */
export const of =
  (caller: keyof WireKeys): When =>
  (request, keys) =>
    callerOf(request, keys) === caller;

/** Whether a request is a batch whose number of items matches. */
export const batchOf = (size: (length: number) => boolean): When =>
  all(batch, (request) => size(itemsOf(request).length));
