/** What the `Retry-After` of a 429 said. The spec: the header gives the seconds to wait. */
export type RetryAfter =
  | { readonly kind: "seconds"; readonly seconds: number }
  | { readonly kind: "missing" }
  | { readonly kind: "malformed"; readonly text: string };

/** Reads a `Retry-After`: a positive whole number of seconds, or what is wrong with it. */
export function readRetryAfter(header: string | undefined): RetryAfter {
  if (header === undefined || header === "") return { kind: "missing" };
  const text = header.trim();
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) === 0) return { kind: "malformed", text };
  return { kind: "seconds", seconds: Number(text) };
}
