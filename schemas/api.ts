// Facts of the API that every part of the project shares. Source: the spec.

export interface ApiEndpoint {
  readonly method: "GET" | "POST";
  /** Below the base URL, as the spec writes it, with the query parameter that selects the mode. */
  readonly path: string;
  /** The name in messages and reports. */
  readonly label: string;
}

/** Every endpoint by its id, the only name that code, results, metrics and profiles use (spec, Endpoints). */
export const endpoints = {
  retailers: { method: "GET", path: "/retailers", label: "Retailers" },
  "lookup-by-id": { method: "GET", path: "/products/{retailer}/{product_id}", label: "Lookup by id" },
  "lookup-by-url": { method: "GET", path: "/products?url", label: "Lookup by URL" },
  "lookup-by-gtin": { method: "GET", path: "/products?gtin", label: "Lookup by GTIN" },
  "category-page": { method: "GET", path: "/products?category", label: "Category page" },
  batch: { method: "POST", path: "/products/batch-lookup", label: "Batch lookup" },
} as const satisfies Record<string, ApiEndpoint>;

export type EndpointId = keyof typeof endpoints;

/** Label of an endpoint; any other name is returned unchanged. */
export function endpointLabel(name: string): string {
  return Object.hasOwn(endpoints, name) ? endpoints[name as EndpointId].label : name;
}

/** The error code of each error status (spec, Errors). */
export const errorCodes = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  429: "rate_limited",
  500: "internal_error",
  502: "upstream_error",
  504: "upstream_error",
} as const;

export type ErrorStatus = keyof typeof errorCodes;
export type ErrorCode = (typeof errorCodes)[ErrorStatus];

/** The code that the spec gives for a status, or undefined where it names none. */
export function errorCodeOf(status: number): ErrorCode | undefined {
  return Object.hasOwn(errorCodes, status) ? errorCodes[status as ErrorStatus] : undefined;
}

/** The two equivalent headers for the key (spec, Authentication). */
export const keyHeaders = { bearer: "Authorization", plain: "X-Api-Key" } as const;

export type KeyHeader = (typeof keyHeaders)[keyof typeof keyHeaders];

/** The longest body that is read; no product, page or batch comes near it. */
export const maxBodyBytes = 8 * 1024 * 1024;

/** Maximum number of items in a batch (spec, Limits). */
export const mostBatchItems = 50;

/** The header of a 429 that gives the seconds to wait (spec, Errors). */
export const retryAfterHeader = "Retry-After";

/**
 * Whole seconds, zero or more (spec, Errors: "gives the seconds to wait"); undefined without them, as for an
 * HTTP date. Whether the limit has reset after zero is checked by sending again.
 */
export function retryAfterSeconds(header = ""): number | undefined {
  const text = header.trim();
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The longest announced wait that the suite waits for, in seconds. */
export const longestTriedWait = 90;

/** The longest that a load run waits for, in seconds. */
export const longestKeptWait = 120;
