import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { SharedFields } from "../../schemas/contracts/finding-fields.ts";
import type {
  Problem,
  RequirementResult,
  Results,
  Summary,
  schemaVersion,
} from "../../schemas/contracts/results.ts";
import type { SituationId } from "./situations.ts";
import type { TaskName } from "./tasks.ts";

export interface ClientRequest {
  /** Milliseconds from the start of the run until it had arrived completely. */
  at: number;
  /** Milliseconds until the response was sent. */
  end: number;
  /** Counts from 1. */
  connection?: number | undefined;
  method: string;
  /** Path and query, cut at 300 characters, without values of parameters that the spec does not name. */
  target: string;
  endpoint: NonNullable<SharedFields["endpoint"]>;
  /** Number of items of a batch. */
  items?: number | undefined;
  status: number;
  /** Seconds. */
  retryAfter?: number | undefined;
  /** Number of products of a page. */
  products?: number | undefined;
  /** What was played for it. */
  situations?: readonly SituationId[] | undefined;
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

/** What a client did on the reference service, and the requirements on clients that its requests meet or not. */
export interface ClientResults<F = SaidFinding> {
  schemaVersion: typeof schemaVersion;
  tool: { name: "shelfcheck"; version: string };
  command: "client";
  client: {
    /** The program, without secrets. Omitted when none was started. */
    commandLine?: string | undefined;
    ended: ClientEnd;
    /** `exit code 2` or `signal SIGKILL`; why it could not be started. */
    status?: string | undefined;
    /** The last lines that it printed, without keys. */
    output?: string | undefined;
    /** Number of processes that share nothing, as --workers says. Omitted for a client that is one. */
    workers?: number | undefined;
  };
  /** The seed decides the catalog, the tasks and the order of what is played. */
  service: { baseUrl: string; seed: number };
  tasks: {
    do: TaskName;
    sentence: string;
    /** Parts of it that were requested. */
    done: number;
    /** Parts of it. */
    of: number;
    /** Names of the first parts that were not requested. */
    missing: readonly string[];
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
  /** Which of the requirements on clients the selected tasks can judge. Omitted when all tasks were set. */
  scope?: { requirements: number; of: number } | undefined;
  notices?: F[] | undefined;
  problem?: Problem | undefined;
  summary: Summary;
  requests: { total: number };
  requirements: RequirementResult<F>[];
}

declare module "../../schemas/contracts/results.ts" {
  interface OwnResults {
    client: ClientResults;
  }
}
