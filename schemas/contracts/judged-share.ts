/** How many requests failed, against a limit. */
export interface JudgedShare {
  /** Requests that failed. */
  count: number;
  total: number;
  /** Maximum share, from 0 to 1. */
  limit: number;
  /** Requests of which none may fail to confirm the limit. */
  needed: number;
  /** By the exact binomial probability: above the limit, within it, or too few requests to tell. */
  outcome: "above" | "within" | "open";
}
