import type { SharedFields } from "../../schemas/contracts/finding.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { ClientEnd } from "./client-words.ts";
import type { SituationId } from "./situations.ts";
import type { TaskProgress } from "./tasks.ts";

export interface ClientRequest {
  /** Milliseconds from the start of the run until it had arrived completely. */
  at: number;
  /** Milliseconds until the response was sent. */
  end: number;
  method: string;
  /** Path and query, cut at 300 characters. Of a parameter that the spec does not name, only the variable of a key is shown. */
  target: string;
  endpoint: NonNullable<SharedFields["endpoint"]>;
  status: number;
  /** Seconds. */
  retryAfter?: number | undefined;
  /** What was played for it. */
  situations?: readonly SituationId[] | undefined;
}

type SharedWithRuns =
  | "schemaVersion"
  | "tool"
  | "startedAt"
  | "finishedAt"
  | "exitCode"
  | "verdict"
  | "environment"
  | "problem"
  | "summary"
  | "requirements";

/** What a client did, and the requirements on clients that its requests meet or not. */
export interface ClientResults extends Pick<Results, SharedWithRuns> {
  command: "client";
  client: {
    /** The program, without secrets. Omitted when none was started. */
    commandLine?: string | undefined;
    ended: ClientEnd;
    /** `exit code 2` or `signal SIGKILL`; why it could not be started. */
    status?: string | undefined;
    /** Number of processes that share nothing, as --workers says. Omitted for a client that is one. */
    workers?: number | undefined;
  };
  /** The seed decides the catalog, the tasks and the order of what is played. */
  service: { baseUrl: string; seed: number };
  tasks: (TaskProgress & { readonly sentence: string })[];
  /** The first 2,000 requests, in the order in which they arrived. */
  timeline: ClientRequest[];
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
  /** Which of the requirements on clients the selected tasks can judge. Omitted when all tasks were set. */
  scope?: { requirements: number; of: number } | undefined;
  requests: { total: number };
}

declare module "../../schemas/contracts/results.ts" {
  interface OwnResults {
    client: ClientResults;
  }
}
