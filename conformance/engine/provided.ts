import type { CheckResult, Results, Waiver } from "../../schemas/types.ts";
import type { ClientState } from "../client/exchange.ts";
import type { Target } from "../client/target.ts";
import type { Discovery } from "../discovery/discover.ts";
import type { Surveyed } from "../discovery/survey.ts";

/** What the suite's worker is given: it comes from discovery, which meets the target first. */
export interface Provided {
  readonly target: Target;
  readonly maxRequests: number;
  readonly discovery: Discovery;
  readonly http: ClientState;
  /** Ids of the checks to run. */
  readonly selected: readonly string[];
  /** Those that hold for this target today. Default: none */
  readonly waivers?: readonly Waiver[];
}

/** What each test hands back; the reporter builds the results from these. */
export interface CheckReport {
  /** Heading of the suite's file that it comes from. */
  readonly file: string;
  readonly requirement: string;
  readonly result: CheckResult;
  /** Totals of the run when this check ended, so that a broken-off run knows them too. */
  readonly traffic: Traffic;
}

export interface Traffic {
  readonly requests: Results["requests"];
  readonly refused: number;
  /** Milliseconds since the suite began: on the clock, and of processor time in its thread. */
  readonly cost: { readonly wall: number; readonly cpu: number };
  readonly longestRetryAfterSeconds?: number;
  /** Requests accepted in the burst that provoked the limit, before its first 429; all when none came. */
  readonly accepted?: number;
  /** What all answers until now show, those of discovery included. */
  readonly surveyed?: Surveyed;
  /** Set once the target stopped answering. */
  readonly gone?: { readonly what: string; readonly where: string; readonly fix: string };
}

declare module "vitest" {
  interface ProvidedContext {
    conformance: Provided;
  }
  interface TaskMeta {
    conformance?: CheckReport;
  }
}
