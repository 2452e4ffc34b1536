import { situation, taskName } from "./client-findings.ts";
import { finding } from "./finding.ts";
import { endpointId } from "./finding-fields.ts";
import { environment, problem, requirementResult, schemaVersion, summary } from "./results.ts";
import {
  amount,
  array,
  boolean,
  choice,
  count,
  integer,
  literal,
  moment,
  named,
  object,
  optional,
  type Static,
  string,
} from "./schema.ts";
import { aboutCauses, exitCodes, outcomes } from "./vocabulary.ts";

/** One request of a client, without anything that may be secret. */
export const clientRequest = named(
  "ClientRequest",
  object({
    at: amount("Milliseconds from the start of the run until it had arrived completely."),
    end: amount("Milliseconds until the response was sent."),
    process: optional(count("Counts from 1. Omitted where the system does not tell processes apart.")),
    connection: optional(count("Counts from 1.")),
    method: string(),
    target: string(
      "Path and query, cut at 300 characters. Values of parameters that the spec does not name are left out.",
    ),
    endpoint: endpointId,
    key: choice(["bearer", "plain", "both", "none"], "The header with the key."),
    items: optional(count("Number of items of a batch.")),
    status: integer(),
    retryAfter: optional(count("Seconds.")),
    products: optional(count("Number of products of a page.")),
    situation: optional(situation),
  }),
);
export type ClientRequest = Static<typeof clientRequest>;

/** How the run of a client ended. */
export const clientEnds = [
  "exited",
  "failed",
  "silent",
  "too-long",
  "too-many-requests",
  "time-over",
  "interrupted",
  "not-started",
] as const;
export type ClientEnd = (typeof clientEnds)[number];

export const clientResults = object(
  {
    schemaVersion: literal(schemaVersion),
    tool: object({ name: literal("shelfcheck"), version: string() }),
    command: literal("client"),
    client: object({
      commandLine: optional(string("The program, without secrets. Omitted when none was started.")),
      ended: choice(
        clientEnds,
        "`exited` with code 0, or `failed`; ended by shelfcheck when it was silent, took too long or sent too many requests, when the time of --timeout was over, or by Ctrl-C.",
      ),
      status: optional(string("`exit code 2` or `signal SIGKILL`.")),
      output: optional(string("The last lines that it printed, without keys.")),
      processes: count("Number of processes that sent requests."),
    }),
    service: object({
      baseUrl: string(),
      seed: count("Decides the catalog, the tasks and the order of what is played."),
      products: optional(count("Products of the generated catalog.")),
      catalog: optional(string("File of the catalog.")),
      lagMilliseconds: amount("Longest time for which the observer stood still."),
    }),
    tasks: array(
      object({
        do: taskName,
        sentence: string(),
        done: count("Parts of it that were requested."),
        of: count("Parts of it."),
      }),
    ),
    situations: array(
      object({ situation, at: count("Place in `timeline` of the request that met it.") }),
      "What was played, in order.",
    ),
    timeline: array(clientRequest, "The first 2,000 requests, in the order in which they arrived."),
    startedAt: moment(),
    finishedAt: moment(),
    exitCode: choice(exitCodes),
    verdict: choice(outcomes),
    cause: choice(
      [
        "requirement-failed",
        "problem",
        "client-failed",
        "interrupted",
        "nothing-judged",
        "not-judged",
        "partial",
        "none",
      ],
      aboutCauses,
    ),
    environment: optional(environment),
    scope: optional(
      object(
        { requirements: count(), of: count() },
        "Which of the requirements on clients the selected tasks can judge. Omitted when all tasks were set.",
      ),
    ),
    notices: optional(array(finding)),
    problem: optional(problem),
    summary,
    requests: object({ total: count(), isComplete: boolean("Whether `timeline` has all of them.") }),
    requirements: array(requirementResult),
  },
  "What a client did on the reference service, and the requirements on clients that its requests meet or not.",
  { $id: "client-results.schema.json", title: "Results of a client" },
);
export type ClientResults = Static<typeof clientResults>;
