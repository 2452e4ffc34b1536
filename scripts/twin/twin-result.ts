import type { Evidence } from "../../schemas/contracts/evidence.ts";

/** Kind of the requests that most clients never send: nearly all get an error from a correct service. */
export const unusualName = "unusual";

/** The place within the last item of a list: a field of a product is the same wherever the product is. */
export function fieldOf(path: string): string {
  return path.slice(path.lastIndexOf("/*") + 1).replace("*", "");
}

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
  /** `same`: no difference was found, and one as large as the rule says is ruled out. */
  outcome: "same" | "slower" | "faster" | "inconclusive";
  /** Pairs of the same request to both deployments. */
  pairs: number;
  /** Median, in milliseconds; omitted without any pair. */
  old?: number | undefined;
  /** Median, in milliseconds. */
  new?: number | undefined;
  /** Middle of the paired differences, as a share of the old latency: 0.2 is 20 % slower. Omitted for too few pairs. */
  change?: number | undefined;
  /** Lower end of the interval of the change. */
  low?: number | undefined;
  /** Upper end. */
  high?: number | undefined;
}

/** Two deployments that got the same requests in turn: `old`, and the target of the run. */
export interface TwinResult {
  /** The deployment that the target is compared with. */
  old: { name: string; baseUrl: string };
  /** The worst of responses and latency. */
  outcome: "different" | "slower" | "faster" | "same" | "inconclusive";
  seed: number;
  /** Longest comparison that the run allowed. */
  longestSeconds: number;
  /** From the first request that was compared to the last. */
  seconds: number;
  /** Requests to each deployment, discovery included. */
  requests: { old: number; new: number };
  responses: {
    outcome: "same" | "different" | "inconclusive";
    /** Different requests whose responses were compared. */
    requests: number;
    differences: TwinDifference[];
    /** Fields that the old deployment never returns. They decide nothing. */
    additions: TwinDifference[];
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
  latency: TwinLatency[];
}

declare module "../../schemas/contracts/results.ts" {
  interface ResultParts {
    /** The target beside another deployment. */
    twin?: TwinResult | undefined;
  }
}
