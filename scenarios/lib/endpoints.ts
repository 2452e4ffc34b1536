/** How a request is judged: which statuses are honest, and which body each of them must carry. */
export interface Endpoint {
  /** Statuses that are no failure. 429 is always one of them: it is counted apart. */
  readonly honest: readonly number[];
  /** The status whose answers are timed and gated. */
  readonly gated: number;
  /** The body of a 200. */
  readonly body: "product" | "product-list" | "batch-result" | "retailers";
}

/**
 * Everything that the scenarios ask, by the `name` tag of its requests: the whole cardinality of the tag.
 *
 * By URL and by GTIN, 404 is honest: a retailer without domains does not resolve, and a GTIN may belong to
 * several retailers. So is 403 by GTIN, where the spec leaves the answer for an unentitled retailer open.
 */
export const endpoints = {
  "lookup-by-id": { honest: [200], gated: 200, body: "product" },
  "lookup-by-url": { honest: [200, 404], gated: 200, body: "product" },
  "lookup-by-gtin": { honest: [200, 403, 404], gated: 200, body: "product" },
  "lookup-unknown-product": { honest: [404], gated: 404, body: "product" },
  "lookup-unknown-retailer": { honest: [400], gated: 400, body: "product" },
  "lookup-unentitled-retailer": { honest: [403], gated: 403, body: "product" },
  "category-page": { honest: [200], gated: 200, body: "product-list" },
  batch: { honest: [200], gated: 200, body: "batch-result" },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;
