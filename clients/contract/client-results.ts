import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { SharedFields } from "../../schemas/contracts/finding-fields.ts";
import type {
  Problem,
  RequirementResult,
  Results,
  Summary,
  schemaVersion,
} from "../../schemas/contracts/results.ts";
import type { SituationId, TaskName } from "./client-findings.ts";

export interface ClientRequest {
  /** Milliseconds from the start of the run until it had arrived completely. */
  at: number;
  /** Milliseconds until the response was sent. */
  end: number;
  /** Counts from 1. */
  connection?: number | undefined;
  method: string;
  /**
   * Path and query, cut at 300 characters. Values of parameters that the spec does not name are left out.
   */
  target: string;
  endpoint: NonNullable<SharedFields["endpoint"]>;
  /** The header with the key. */
  key: "bearer" | "plain" | "both" | "none";
  /** Number of items of a batch. */
  items?: number | undefined;
  status: number;
  /** Seconds. */
  retryAfter?: number | undefined;
  /** Number of products of a page. */
  products?: number | undefined;
  /** What was played for it. */
  situations?: SituationId[] | undefined;
}

/** How the run of a client ended. */
export type ClientEnd =
  | "exited"
  | "failed"
  | "silent"
  | "too-long"
  | "too-many-requests"
  | "time-over"
  | "interrupted"
  | "not-started";

/**
 * What a client did on the reference service, and the requirements on clients that its requests meet or
 * not.
 */
export interface ClientResults<F = SaidFinding> {
  schemaVersion: typeof schemaVersion;
  tool: { name: "shelfcheck"; version: string };
  command: "client";
  client: {
    /** The program, without secrets. Omitted when none was started. */
    commandLine?: string | undefined;
    /**
     * `exited` with code 0, or `failed`; ended by shelfcheck when it was silent, took too long or sent too
     * many requests, when the time of --timeout was over, or by Ctrl-C.
     */
    ended: ClientEnd;
    /** `exit code 2` or `signal SIGKILL`. */
    status?: string | undefined;
    /** The last lines that it printed, without keys. */
    output?: string | undefined;
    /** Number of processes that share nothing, as --workers says. Omitted for a client that is one. */
    workers?: number | undefined;
  };
  service: {
    baseUrl: string;
    /** Decides the catalog, the tasks and the order of what is played. */
    seed: number;
    /** Products of the generated catalog. */
    products?: number | undefined;
    /** File of the catalog. */
    catalog?: string | undefined;
    /** Longest time for which the observer stood still. */
    lagMilliseconds: number;
  };
  tasks: {
    do: TaskName;
    sentence: string;
    /** Parts of it that were requested. */
    done: number;
    /** Parts of it. */
    of: number;
    /** Names of the first parts that were not requested. */
    missing?: string[] | undefined;
  }[];
  /** The first 2,000 requests, in the order in which they arrived. */
  timeline: ClientRequest[];
  startedAt: string;
  finishedAt: string;
  exitCode: Results["exitCode"];
  verdict: Results["verdict"];
  /** What decided verdict and exit code. Where several apply, the first in this order. */
  cause:
    | "requirement-failed"
    | "problem"
    | "client-failed"
    | "interrupted"
    | "nothing-judged"
    | "tasks-not-done"
    | "not-judged"
    | "partial"
    | "none";
  environment?: Results["environment"];
  /**
   * Which of the requirements on clients the selected tasks can judge. Omitted when all tasks were set.
   */
  scope?: { requirements: number; of: number } | undefined;
  notices?: F[] | undefined;
  problem?: Problem | undefined;
  summary: Summary;
  requests: {
    total: number;
    /** Whether `timeline` has all of them. */
    isComplete: boolean;
  };
  requirements: RequirementResult<F>[];
}

declare module "../../schemas/contracts/results.ts" {
  interface OwnResults {
    client: ClientResults;
  }
}
