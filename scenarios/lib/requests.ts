import type { RequestKindId } from "../../schemas/scenarios.ts";

/** How the response to a kind of request is judged. */
export interface RequestRules {
  /** Statuses that are no failure. 429 is always one of them: it is counted apart. */
  readonly honest: readonly number[];
  /** The status whose responses are timed and held to the limits of latency. */
  readonly gated: number;
  /** The body of a 200. */
  readonly body: "product" | "product-list" | "batch-result";
}

/**
 * The rules of each kind of request. By URL and by GTIN, 404 is honest: a retailer without domains does not resolve,
 * and a GTIN may belong to several retailers. So is 403 by GTIN, where the spec leaves the answer for an
 * unentitled retailer open.
 */
export const requests = {
  "lookup-by-id": { honest: [200], gated: 200, body: "product" },
  "lookup-by-url": { honest: [200, 404], gated: 200, body: "product" },
  "lookup-by-gtin": { honest: [200, 403, 404], gated: 200, body: "product" },
  "lookup-unknown-product": { honest: [404], gated: 404, body: "product" },
  "lookup-unknown-retailer": { honest: [400], gated: 400, body: "product" },
  "lookup-unentitled-retailer": { honest: [403], gated: 403, body: "product" },
  "category-page": { honest: [200], gated: 200, body: "product-list" },
  batch: { honest: [200], gated: 200, body: "batch-result" },
} as const satisfies Record<RequestKindId, RequestRules>;
