import type { Evidence } from "../../schemas/contracts/evidence.ts";

/** The two deployments of a run; `new` is its target. */
export const sides = ["old", "new"] as const;
export type Side = (typeof sides)[number];
export type BySide<T> = Readonly<Record<Side, T>>;

/** Kinds of request that most clients never send: nearly all get an error from a correct service. */
export const unusualKinds = {
  "invalid-key": "Request without a valid key",
  "unknown-item": "Request for something made up, or for a GTIN at one retailer",
  "odd-parameters": "Request with unusual parameters",
  "odd-batch": "Unusual batch",
  "not-entitled": "Lookup with an identifier of a product that the key may not see",
} as const;

/** Differences that decide nothing, each with the reason. */
export const notes = {
  added: "New field, no failure",
  moved: "Data of another time (another `last_updated`), no failure",
  unstable: "Not counted (two responses of the same deployment differ)",
} as const;

/** A field that differs in the responses to the same requests. */
export interface TwinDifference {
  /** Kind of request of the example: an endpoint, an unusual kind, or `category-walk`. */
  request: string;
  /**
   * `missing`, `extra`: only one deployment has the place; `added`: a field that the old one never returns.
   * `varies`: two responses of the new one differ, not those of the old one, and not by chance.
   * `shifted`: all times are later, or earlier, by the same hours.
   */
  change: "value" | "missing" | "extra" | "varies" | "shifted" | keyof typeof notes;
  /** Place of the example: in the body, with `*` for any item of a list; `status` or `content-type`. */
  path: string;
  /** The value of the old deployment in the example. Omitted where there was none. */
  old?: unknown;
  new?: unknown;
  /** Of the different requests of each kind, those that showed it. */
  requests: { request: string; count: number; total: number }[];
  /** The exchange with the old deployment, then that with the new one. Empty for what decides nothing. */
  evidence: Evidence[];
}

/** Latency of one kind of request at both deployments. */
export interface TwinLatency {
  /** Kind of request, named as in schemas/api.ts. */
  request: string;
  /** `same`: no difference that counts was found, and one as large as the rule says is ruled out. */
  outcome: "same" | "slower" | "faster" | "inconclusive";
  /** Pairs of the same request to both deployments. */
  pairs: number;
  /** Medians, in milliseconds. */
  old: number;
  new: number;
  /** Middle of the paired differences, as a share of the old latency: 0.2 is 20 % slower. Omitted for few. */
  change?: number | undefined;
  /** Ends of the interval of the change. */
  low?: number | undefined;
  high?: number | undefined;
}

/** Two deployments that got the same requests in turn: `old`, and the target of the run. */
export interface TwinResult {
  /** The deployment that the target is compared with. */
  old: { name: string; baseUrl: string };
  /** The worst of responses and latency. */
  outcome: "different" | "slower" | "faster" | "same" | "inconclusive";
  /** Time after which no new comparison of a request began. */
  longestSeconds: number;
  /** From the first request that was compared to the last. */
  seconds: number;
  responses: {
    outcome: "same" | "different" | "inconclusive";
    /** Different requests whose responses were compared. */
    requests: number;
    /** Those that stayed when the request was sent to both again, in turn. */
    differences: TwinDifference[];
    /** Those that decide nothing. */
    notes: TwinDifference[];
  };
  latency: TwinLatency[];
}

declare module "../../schemas/contracts/results.ts" {
  interface ResultParts {
    /** The target beside another deployment. */
    twin?: TwinResult | undefined;
  }
}
