import { situation, taskName } from "./client-findings.ts";
import { finding } from "./finding.ts";
import { endpointId } from "./finding-fields.ts";
import { environment, problem, requirementResult, schemaVersion, summary } from "./results.ts";
import * as t from "./schema.ts";
import { aboutCauses, exitCodes, outcomes } from "./vocabulary.ts";

/** One request of a client, without anything that may be secret. */
export const clientRequest = t.named(
  "ClientRequest",
  t.object({
    at: t.amount("Milliseconds from the start of the run until it had arrived completely."),
    end: t.amount("Milliseconds until the response was sent."),
    process: t.optional(t.count("Counts from 1. Omitted where the system does not tell processes apart.")),
    connection: t.optional(t.count("Counts from 1.")),
    method: t.string(),
    target: t.string(
      "Path and query, cut at 300 characters. Values of parameters that the spec does not name are left out.",
    ),
    endpoint: endpointId,
    key: t.choice(["bearer", "plain", "both", "none"], "The header with the key."),
    items: t.optional(t.count("Number of items of a batch.")),
    status: t.integer(),
    retryAfter: t.optional(t.count("Seconds.")),
    products: t.optional(t.count("Number of products of a page.")),
    situation: t.optional(situation),
  }),
);
export type ClientRequest = t.Static<typeof clientRequest>;

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

export const clientResults = t.object(
  {
    schemaVersion: t.literal(schemaVersion),
    tool: t.object({ name: t.literal("shelfcheck"), version: t.string() }),
    command: t.literal("client"),
    client: t.object({
      commandLine: t.optional(t.string("The program, without secrets. Omitted when none was started.")),
      ended: t.choice(
        clientEnds,
        "`exited` with code 0, or `failed`; ended by shelfcheck when it was silent, took too long or sent too many requests, when the time of --timeout was over, or by Ctrl-C.",
      ),
      status: t.optional(t.string("`exit code 2` or `signal SIGKILL`.")),
      output: t.optional(t.string("The last lines that it printed, without keys.")),
      processes: t.count("Number of processes that sent requests."),
    }),
    service: t.object({
      baseUrl: t.string(),
      seed: t.count("Decides the catalog, the tasks and the order of what is played."),
      products: t.optional(t.count("Products of the generated catalog.")),
      catalog: t.optional(t.string("File of the catalog.")),
      lagMilliseconds: t.amount("Longest time for which the observer stood still."),
    }),
    tasks: t.array(
      t.object({
        do: taskName,
        sentence: t.string(),
        done: t.count("Parts of it that were requested."),
        of: t.count("Parts of it."),
      }),
    ),
    situations: t.array(
      t.object({ situation, at: t.count("Place in `timeline` of the request that met it.") }),
      "What was played, in order.",
    ),
    timeline: t.array(clientRequest, "The first 2,000 requests, in the order in which they arrived."),
    startedAt: t.moment(),
    finishedAt: t.moment(),
    exitCode: t.choice(exitCodes),
    verdict: t.choice(outcomes),
    cause: t.choice(
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
    environment: t.optional(environment),
    scope: t.optional(
      t.object(
        { requirements: t.count(), of: t.count() },
        "Which of the requirements on clients the selected tasks can judge. Omitted when all tasks were set.",
      ),
    ),
    notices: t.optional(t.array(finding)),
    problem: t.optional(problem),
    summary,
    requests: t.object({ total: t.count(), isComplete: t.boolean("Whether `timeline` has all of them.") }),
    requirements: t.array(requirementResult),
  },
  "What a client did on the reference service, and the requirements on clients that its requests meet or not.",
  { $id: "client-results.schema.json", title: "Results of a client" },
);
export type ClientResults = t.Static<typeof clientResults>;
