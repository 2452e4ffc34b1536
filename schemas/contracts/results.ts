import { discovered } from "./discovered.ts";
import { drift } from "./drift.ts";
import { evidence } from "./evidence.ts";
import { finding } from "./finding.ts";
import { judgedShare } from "./judged-share.ts";
import { loadResult } from "./load-result.ts";
import {
  amount,
  array,
  choice,
  count,
  described,
  integer,
  literal,
  mapOf,
  moment,
  named,
  object,
  optional,
  type Static,
  string,
} from "./schema.ts";
import { twinResult } from "./twin.ts";
import { aboutCauses, exitCodes, outcomes } from "./vocabulary.ts";
import { waiver, waiverResult } from "./waivers.ts";

/** The version of results and baselines: the one that is written, and the only one that is read. */
export const schemaVersion = 4;

export const verdict = choice(["pass", "fail", "warn", "inconclusive", "notApplicable", "error"]);

export const level = choice(["must", "should", "may"]);

export const problem = named(
  "Problem",
  object({
    what: string("What went wrong."),
    where: string("URL, file, variable or flag at fault."),
    fix: string("How to fix it."),
  }),
);
export type Problem = Static<typeof problem>;

export const checkResult = named(
  "CheckResult",
  object({
    id: string(),
    title: string(),
    verdict: verdict,
    startedAt: optional(moment("When the check began.")),
    milliseconds: optional(
      amount("From the start of the check to its verdict, waits for the target's rate limit included."),
    ),
    findings: array(
      finding,
      "What it found, most important first; for a passed check, which of several allowed readings was seen.",
    ),
    attempts: optional(
      object(
        {
          failed: integer({ minimum: 1 }),
          total: integer({ minimum: 2 }),
        },
        "For a failure that did not occur in every attempt: the failed attempts and all attempts.",
      ),
    ),
    evidence: array(evidence),
    excused: optional(
      string(
        "The name in the config's `optional` of what the target lacks: the check may remain not judged.",
      ),
    ),
    waiver: optional(waiver),
  }),
);
export type CheckResult = Static<typeof checkResult>;

export const requirementResult = named(
  "RequirementResult",
  object({
    id: string(),
    section: string("Heading in the spec."),
    level: level,
    statement: string("The requirement in our own words."),
    verdict: verdict,
    excused: optional(
      choice(
        ["avoided", "optional"],
        "Why it may remain not judged without making the run incomplete: the config excludes what it needs, or lists what the target lacks as optional.",
      ),
    ),
    checks: array(checkResult),
  }),
);
export type RequirementResult = Static<typeof requirementResult>;

export const requestsOverTime = named(
  "RequestsOverTime",
  object(
    {
      startedAt: moment("Start of the first period."),
      milliseconds: amount("Length of a period."),
      sent: array(count(), "By the time of sending, as in the other lists: requests of each period."),
      refused: array(count(), "Those that got 429."),
      failed: array(count(), "Those that got a status from 500 or no response."),
      retried: array(count(), "Those that repeat an earlier request, because it was refused or failed."),
      waits: array(
        object({
          startedAt: moment("When the 429 arrived."),
          milliseconds: amount("What Retry-After requires."),
          kept: optional(
            amount("Milliseconds until the organization's next request left. Omitted when there was none."),
          ),
        }),
        "Waits that a 429 requires; those of one organization that overlap are one.",
      ),
    },
    "The requests of the conformance part in periods of equal length.",
  ),
);
export type RequestsOverTime = Static<typeof requestsOverTime>;

/** Where a run was made. */
export const environment = object(
  {
    commandLine: optional(string("As typed, without secrets.")),
    isIncomplete: optional(
      literal(true, "A secret was removed from the command line, which cannot be repeated as it is."),
    ),
    placeFlags: optional(
      object(
        {
          target: optional(string()),
          baseUrl: optional(string()),
          config: optional(string()),
          out: optional(string()),
          baseline: optional(string()),
        },
        "The flags of the command line that name the target, the config file and the folders. A value with a secret is omitted.",
      ),
    ),
    commit: optional(string()),
    branch: optional(string()),
    jobUrl: optional(string("Page of the CI job.")),
    host: string("Processor, cores, memory and system of the machine."),
    node: string("Version of Node."),
  },
  "Where the run was made. Commit, branch and job come from the variables of the CI; omitted where there are none.",
);

/** Requirements by verdict. */
export const summary = object(
  {
    pass: count(),
    fail: count(),
    warn: count(),
    inconclusive: count(),
    notApplicable: count(),
    error: count(),
  },
  "Number of requirements by verdict.",
);

export const results = object(
  {
    schemaVersion: literal(schemaVersion),
    tool: object({
      name: literal("shelfcheck"),
      version: string(),
    }),
    command: choice(["conformance", "load", "gate", "twin"]),
    target: object({
      name: string(),
      baseUrl: string(),
      builtIn: optional(
        literal(
          true,
          "The target was the built-in reference service, so no service of the user was tested. Omitted for any other target.",
        ),
      ),
      keyFingerprint: string(
        "First 12 hexadecimal digits of the SHA-256 of the primary key, or `none`: distinguishes two keys without revealing either.",
      ),
      keyVariables: optional(
        object(
          {
            primary: string(),
            sameOrg: string(),
            otherOrg: string(),
          },
          "Names of the environment variables that, after a `$`, replace the keys. Default: SHELFCHECK_API_KEY and so on.",
        ),
      ),
    }),
    startedAt: moment(),
    finishedAt: moment(),
    exitCode: choice(exitCodes),
    verdict: choice(outcomes),
    cause: choice(
      [
        "requirement-failed",
        "load-failed",
        "requests-failed",
        "contract-broken",
        "responses-differ",
        "latency-slower",
        "waiver-expired",
        "waiver-stale",
        "problem",
        "nothing-run",
        "check-error",
        "load-invalid",
        "interrupted",
        "not-judged",
        "twin-not-judged",
        "nothing-judged",
        "load-not-sent",
        "partial",
        "none",
      ],
      aboutCauses,
    ),
    environment: optional(environment),
    scope: optional(
      object(
        {
          requirements: count(),
          of: count(),
          checks: optional(count("Number of selected checks.")),
          ofChecks: optional(count("Number of all checks.")),
        },
        "Which of the requirements that have checks were selected. Omitted when all were.",
      ),
    ),
    notices: optional(
      array(
        finding,
        "Warnings about the input of the run, whatever its verdict: no category, a category without products, a load that was not sent. Omitted when there is nothing.",
      ),
    ),
    problem: optional(
      described(problem, "Why the run ended early: present with verdict `error` and after an interruption."),
    ),
    summary: summary,
    cells: optional(
      object(
        { tried: count(), of: count() },
        "Of the ways to change a request that checks try (`explain matrix`), those that this target let be tried: at least one of their checks was judged. Omitted without conformance.",
      ),
    ),
    requests: object(
      {
        total: count(),
        byEndpoint: mapOf(count(), "Requests by endpoint, named as in schemas/api.ts."),
        lost: optional(finding),
        overTime: optional(requestsOverTime),
        failed: optional(
          object(
            { count: count(), total: count() },
            "Requests that the service failed with 500 to 599, of those outside of bursts. Omitted when there are none.",
          ),
        ),
        failures: optional(
          described(judgedShare, "The same against the limit of the config, if it has one."),
        ),
      },
      "Requests of the conformance part; those of the load part are in `load`. `lost` is present when some got no complete response.",
    ),
    requirements: array(requirementResult),
    discovered: discovered,
    load: array(loadResult),
    twin: optional(twinResult),
    waivers: optional(array(waiverResult, "Waivers that apply to this run, and their states.")),
    drift: optional(
      object(
        {
          since: moment("Start of the run that was recorded."),
          changes: array(drift),
        },
        "How the contract seen in this run differs from the recorded baseline. Omitted when none was recorded for the target.",
      ),
    ),
  },
  "The results of one run of conformance, load, gate or twin. Every report and the exit code are made from this value.",
  { $id: "results.schema.json", title: "Results" },
);
export type Results = Static<typeof results>;
