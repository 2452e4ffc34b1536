import type { Evidence } from "../../schemas/contracts/evidence.ts";
import type { ContractDifference } from "../earlier/since-result.ts";

/** A difference that stayed when the request was sent to both again, in turn. */
export interface TwinDifference {
  /** Kind of request: an endpoint, `category-walk`, or `unusual`. */
  request: string;
  /**
   * `missing` and `added`: only one deployment has the place. `varies`: it changes from response to
   * response at the new deployment only.
   */
  change: "status" | "value" | "type" | "missing" | "added" | "varies";
  /** Place in the body, with `*` for any item of a list; empty for the whole response. */
  path: string;
  /** The value of the old deployment in the example. Omitted where there was none. */
  old?: unknown;
  new?: unknown;
  /** Different requests that showed it. */
  count: number;
  /** Different requests of this kind. */
  total: number;
  /** The example: the exchange with the old deployment, then that with the new one. */
  evidence: Evidence[];
}

/** Latency of one kind of request at both deployments. */
export interface TwinLatency {
  /** Kind of request, named as in schemas/api.ts. */
  request: string;
  outcome: "same" | "slower" | "faster" | "inconclusive";
  /** Pairs of the same request to both deployments that were tested. */
  pairs: number;
  /** Median, in milliseconds; omitted without any pair. */
  old?: number | undefined;
  /** Median, in milliseconds. */
  new?: number | undefined;
  /** Centre of the paired differences, as a share of the old latency: 0.2 is 20 % slower. */
  change?: number | undefined;
  /** Lower end of the interval of the change; omitted when there were too few pairs. */
  low?: number | undefined;
  /** Upper end. */
  high?: number | undefined;
  /** The smallest difference that counts, as a share of the old latency. */
  smallest: number;
  /** The old deployment against itself, measured in the same way. */
  control?:
    | {
        pairs: number;
        change: number;
        low?: number | undefined;
        high?: number | undefined;
      }
    | undefined;
}

/** Two deployments that got the same requests in turn: `old`, and the target of the run. */
export interface TwinResult {
  /** The deployment that the target is compared with. */
  old: { name: string; baseUrl: string };
  /** The worst of responses, contract and latency. */
  outcome: "different" | "slower" | "faster" | "same" | "inconclusive";
  seed: number;
  /** From the first request that was compared to the last. */
  seconds: number;
  /** Requests to each deployment, discovery included. */
  requests: { old: number; new: number };
  responses: {
    outcome: "same" | "different" | "inconclusive";
    /** Different requests whose responses were compared. */
    requests: number;
    /** Pairs of responses that were compared. */
    pairs: number;
    differences: TwinDifference[];
    /**
     * Fields of products that have another `last_updated` at the two deployments: their data are of
     * different times. They decide nothing.
     */
    moved: { path: string; count: number }[];
    /** Places whose value differs between two responses of the old deployment. */
    ignored: string[];
    /** Differences that were gone when the request was sent to both again. */
    passing: number;
    /**
     * Requests that failed: a status of 500 or above, or no response. Such a request is repeated before its
     * response is compared. `different`: the new deployment fails more often, and not by chance.
     */
    failures: {
      outcome: "same" | "different";
      old: { count: number; total: number };
      new: { count: number; total: number };
    };
  };
  /** How the contract of the new deployment differs. */
  contract?: ContractDifference[] | undefined;
  latency: TwinLatency[];
}

declare module "../../schemas/contracts/results.ts" {
  interface ResultParts {
    twin?: TwinResult | undefined;
  }
}
