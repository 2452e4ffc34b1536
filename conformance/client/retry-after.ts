/**
 * Seconds to wait from a `Retry-After` header (spec, Errors: "gives the seconds to wait"): a whole number of
 * seconds, zero or more. Anything else, an HTTP date included, is undefined.
 */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header.trim()) ? Number(header) : undefined;
}
