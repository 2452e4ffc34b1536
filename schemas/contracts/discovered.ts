import type { Finding } from "./finding.ts";
import type { FieldNames } from "./product.ts";

export type SeenRole = "asNamed" | "unclear" | "contradicted" | "unusable" | "unset";

/** For each retailer: the number of different products seen, and how many of them have each field path. */
export type FieldsByRetailer = Record<string, { products: number; fields: Record<string, number> }>;

/** Number of responses by endpoint, named as in schemas/api.ts, and status. */
export type Statuses = Record<string, Record<string, number>>;

export interface Discovered<F = Finding> {
  /** Slugs that the primary key may use. */
  retailers: string[];
  dialect: FieldNames;
  /** Paths of the fields seen on products, and how many of the different products have each. */
  fields: Record<string, number>;
  /** Observations of the rate limit. */
  rateLimit: {
    /** 429 responses. */
    refused: number;
    longestRetryAfterSeconds?: number | undefined;
    /**
     * Requests accepted in the burst that provokes the limit, before its first 429. Without a 429 in the
     * whole run, the limit is above it.
     */
    accepted?: number | undefined;
  };
  /**
   * What was seen of the second keys: it has the role that its variable names, its role is unclear, what
   * it sees contradicts its role, it cannot be used, or it is not set.
   */
  keyRoles?: { sameOrg: SeenRole; otherOrg: SeenRole } | undefined;
  /** What the checks and the load need, each present, or missing with the reason. */
  fixtures: {
    name: string;
    present: boolean;
    /** A short description of what was found. */
    value?: string | undefined;
    missing?: F | undefined;
    /** For a key that is set but whose role is unclear: the reason. */
    doubt?: F | undefined;
  }[];
  fieldsByRetailer?: FieldsByRetailer | undefined;
  /** How many products had each type of JSON at a path, lists and objects included. */
  productsByType?: Record<string, Record<string, number>> | undefined;
  statuses?: Statuses | undefined;
  /** Categories that could be browsed. */
  categories?: string[] | undefined;
}
