import type { SharedFields } from "./contracts/finding.ts";
import { given, isObject } from "./json.ts";

// Who gave a response: the service, something between it and the client, or it cannot be told.

/** By their names, in any case: k6 shows them in Go's canonical form. */
export type SentHeaders = Readonly<Record<string, string>>;

/** Undefined for the service. The name is its own for itself. */
export type Responder = NonNullable<SharedFields["from"]> | undefined;

/**
 * Statuses of something in front of a service that is down, busy or too slow, or of a network that wants a
 * login first (511); those from 520 on are nobody's in HTTP.
 */
export function isOutage(status: number): boolean {
  return status === 502 || status === 503 || status === 504 || status === 511 || status >= 520;
}

/** Whether a body has the shape of the service's errors (spec, Error body), or at least its only field. */
export function isErrorShape(json: unknown): boolean {
  return isObject(json) && isObject(json.error);
}

/** What a response in another shape than the service's says of its sender by `Server`, or else by `Via`. */
export function strangerOf(headers: SentHeaders): NonNullable<Responder> {
  const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { by: "unclear", ...given({ name: named.get("server") || named.get("via") || undefined }) };
}

/** As `name: value`, if a cache shows itself. It need not; `Age: 0` or a miss shows only that one is there. */
export function cacheIn(headers: Readonly<Record<string, string>>): string | undefined {
  const found = Object.entries(headers).find(([name, value]) => {
    const shows = signs[name.toLowerCase()];
    return shows === undefined ? isOfKind(name, value) : shows(value);
  });
  return found === undefined ? undefined : `${found[0]}: ${found[1]}`;
}

/** Headers of RFC 9111 and 9211, and those in common use, with what a response from the cache has there. */
const signs: Readonly<Record<string, (value: string) => boolean>> = {
  age: (value) => Number(value) > 0,
  "cache-status": (value) => /;\s*hit\b/i.test(value),
  "cf-cache-status": (value) => /^(hit|stale|updating|revalidated)/i.test(value),
  // The second id is that of the request that filled the cache.
  "x-varnish": (value) => /^\d+\s+\d+$/.test(value.trim()),
  via: () => false,
};

/** `X-Cache`, `X-Cache-Status` and the like; not `X-Cache-Lookup`, which tells what was there, not given. */
function isOfKind(name: string, value: string): boolean {
  return /^x-.*cache(?!-lookup)/i.test(name) && /\b(hit|stale)\b/i.test(value);
}
