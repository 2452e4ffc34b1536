/** By the rules of drift: `breaking` fails the gate, `notable` is shown, `harmless` is listed. */
export type DriftRank = "breaking" | "notable" | "harmless";

/** What every change has. */
export interface Ranked {
  rank: DriftRank;
  /** Id of the rule that ranked it. */
  rule: string;
}

/** How often something was seen, out of how often it could have been. */
export interface Share {
  count: number;
  total: number;
}

/** Requests a second, with the ends of the interval that holds the true value. */
export interface LimitEstimate {
  perSecond: number;
  low: number;
  high: number;
}

export interface Burst {
  accepted: number;
  /** Without a 429 in the run, the burst ended before the limit. */
  limitReached: boolean;
}

/** A field is on more or fewer products than before. */
export interface FieldDrift extends Ranked {
  kind: "field";
  /** Path of the field. */
  subject: string;
  /** How many of the retailer's products had the field. */
  retailers: { retailer: string; before: Share; after: Share }[];
  /** More fields that changed by the same rule and are not listed. */
  more?: number | undefined;
}

/** A name that the spec leaves open changed. */
export interface FieldNameDrift extends Ranked {
  kind: "dialect";
  /** Name of the setting in `dialect`. */
  subject: "batchRequestField" | "batchFoundField" | "batchFoundProduct" | "gtin";
  /** Omitted when it was not found. */
  before?: string | undefined;
  /** Omitted when it was not found. */
  after?: string | undefined;
}

/** A retailer was added or removed for the primary key, or none of its products was seen. */
export interface RetailerDrift extends Ranked {
  kind: "retailer";
  /** Slug of the retailer. */
  subject: string;
  /** The primary key has changed, which may be the cause. */
  otherKey?: true | undefined;
}

/** An endpoint returned a status more or less often than before. */
export interface StatusDrift extends Ranked {
  kind: "status";
  /** The status, such as `404`. */
  subject: string;
  /** Named as in schemas/api.ts. */
  endpoint: string;
  before: Share;
  after: Share;
}

/** Two probes under load found different limits, in requests a second. */
export interface LimitDrift extends Ranked {
  kind: "limit";
  subject: "rate";
  before: LimitEstimate;
  after: LimitEstimate;
}

/** Two bursts had different numbers of accepted requests. */
export interface BurstDrift extends Ranked {
  kind: "limit";
  subject: "burst";
  before: Burst;
  after: Burst;
}

/** One change of the contract, by a rule of drift. */
export type Drift = FieldDrift | FieldNameDrift | RetailerDrift | StatusDrift | LimitDrift | BurstDrift;

declare module "../../schemas/contracts/results.ts" {
  interface ResultParts {
    /**
     * How the contract seen in this run differs from that of the run of `--since`. Omitted without one.
     */
    drift?:
      | {
          /** Start of that run. */
          since: string;
          changes: Drift[];
        }
      | undefined;
  }
}
