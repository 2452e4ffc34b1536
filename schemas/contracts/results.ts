import { discovered } from "./discovered.ts";
import { drift } from "./drift.ts";
import { evidence } from "./evidence.ts";
import { finding } from "./finding.ts";
import { judgedShare } from "./judged-share.ts";
import { loadResult } from "./load-result.ts";
import * as t from "./schema.ts";
import { twinResult } from "./twin.ts";
import { aboutCauses, exitCodes, outcomes } from "./vocabulary.ts";
import { waiver, waiverResult } from "./waivers.ts";

/** The version of results and baselines: the one that is written, and the only one that is read. */
export const schemaVersion = 5;

export const verdict = t.choice(["pass", "fail", "warn", "inconclusive", "notApplicable", "error"]);

export const level = t.choice(["must", "should", "may"]);

export const problem = t.named(
  "Problem",
  t.object({
    what: t.string("What went wrong."),
    where: t.string("URL, file, variable or flag at fault."),
    fix: t.string("How to fix it."),
  }),
);
export type Problem = t.Static<typeof problem>;

export const checkResult = t.named(
  "CheckResult",
  t.object({
    id: t.string(),
    title: t.string(),
    verdict: verdict,
    startedAt: t.optional(t.moment("When the check began.")),
    milliseconds: t.optional(
      t.amount("From the start of the check to its verdict, waits for the target's rate limit included."),
    ),
    findings: t.array(
      finding,
      "What it found, most important first; for a passed check, which of several allowed readings was seen.",
    ),
    attempts: t.optional(
      t.object(
        {
          failed: t.integer({ minimum: 1 }),
          total: t.integer({ minimum: 2 }),
        },
        "For a failure that did not occur in every attempt: the failed attempts and all attempts.",
      ),
    ),
    evidence: t.array(evidence),
    excused: t.optional(
      t.string(
        "The name in the config's `optional` of what the target lacks: the check may remain not judged.",
      ),
    ),
    waiver: t.optional(waiver),
  }),
);
export type CheckResult = t.Static<typeof checkResult>;

export const requirementResult = t.named(
  "RequirementResult",
  t.object({
    id: t.string(),
    section: t.string("Heading in the spec."),
    level: level,
    statement: t.string("The requirement in our own words."),
    verdict: verdict,
    excused: t.optional(
      t.choice(
        ["avoided", "optional"],
        "Why it may remain not judged without making the run incomplete: the config excludes what it needs, or lists what the target lacks as optional.",
      ),
    ),
    checks: t.array(checkResult),
  }),
);
export type RequirementResult = t.Static<typeof requirementResult>;

/** Where a run was made. */
export const environment = t.object(
  {
    commandLine: t.optional(t.string("As typed, without secrets.")),
    isIncomplete: t.optional(
      t.literal(true, "A secret was removed from the command line, which cannot be repeated as it is."),
    ),
    placeFlags: t.optional(
      t.object(
        {
          target: t.optional(t.string()),
          baseUrl: t.optional(t.string()),
          category: t.optional(t.array(t.string())),
          envFile: t.optional(t.string()),
          config: t.optional(t.string()),
          out: t.optional(t.string()),
          baseline: t.optional(t.string()),
        },
        "The flags of the command line that name the target, the files with its settings and the folders. A value with a secret is omitted.",
      ),
    ),
    commit: t.optional(t.string()),
    branch: t.optional(t.string()),
    jobUrl: t.optional(t.string("Page of the CI job.")),
    host: t.string("Processor, cores, memory and system of the machine."),
    node: t.string("Version of Node."),
  },
  "Where the run was made. Commit, branch and job come from the variables of the CI; omitted where there are none.",
);

/** Requirements by verdict. */
export const summary = t.object(
  {
    pass: t.count(),
    fail: t.count(),
    warn: t.count(),
    inconclusive: t.count(),
    notApplicable: t.count(),
    error: t.count(),
  },
  "Number of requirements by verdict.",
);

export const results = t.object(
  {
    schemaVersion: t.literal(schemaVersion),
    tool: t.object({
      name: t.literal("shelfcheck"),
      version: t.string(),
    }),
    command: t.choice(["conformance", "load", "gate", "twin"]),
    target: t.object({
      name: t.string(),
      baseUrl: t.string(),
      builtIn: t.optional(
        t.literal(
          true,
          "The target was the built-in reference service, so no service of the user was tested. Omitted for any other target.",
        ),
      ),
      keyFingerprint: t.string(
        "First 12 hexadecimal digits of the SHA-256 of the primary key, or `none`: distinguishes two keys without revealing either.",
      ),
      keyVariables: t.optional(
        t.object(
          {
            primary: t.string(),
            sameOrg: t.string(),
            otherOrg: t.string(),
          },
          "Names of the environment variables that, after a `$`, replace the keys. Default: SHELFCHECK_API_KEY and so on.",
        ),
      ),
    }),
    startedAt: t.moment(),
    finishedAt: t.moment(),
    exitCode: t.choice(exitCodes),
    verdict: t.choice(outcomes),
    cause: t.choice(
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
    environment: t.optional(environment),
    scope: t.optional(
      t.object(
        {
          requirements: t.count(),
          of: t.count(),
          checks: t.optional(t.count("Number of selected checks.")),
          ofChecks: t.optional(t.count("Number of all checks.")),
        },
        "Which of the requirements that have checks were selected. Omitted when all were.",
      ),
    ),
    notices: t.optional(
      t.array(
        finding,
        "Warnings about the input of the run, whatever its verdict: no category, a category without products, a load that was not sent. Omitted when there is nothing.",
      ),
    ),
    problem: t.optional(
      t.described(
        problem,
        "Why the run ended early: present with verdict `error` and after an interruption.",
      ),
    ),
    summary: summary,
    requests: t.object(
      {
        total: t.count(),
        byEndpoint: t.mapOf(t.count(), "Requests by endpoint, named as in schemas/api.ts."),
        burst: t.optional(t.count("Of all these, those that were to exceed the rate limit.")),
        lost: t.optional(finding),
        failed: t.optional(
          t.object(
            { count: t.count(), total: t.count() },
            "Requests that the service failed with 500 to 599, of those outside of bursts. Omitted when there are none.",
          ),
        ),
        failures: t.optional(
          t.described(judgedShare, "The same against the limit of the config, if it has one."),
        ),
      },
      "Requests of the conformance part; those of the load part are in `load`. `lost` is present when some got no complete response.",
    ),
    requirements: t.array(requirementResult),
    discovered: discovered,
    load: t.array(loadResult),
    twin: t.optional(twinResult),
    waivers: t.optional(t.array(waiverResult, "Waivers that apply to this run, and their states.")),
    drift: t.optional(
      t.object(
        {
          since: t.moment("Start of the run that was recorded."),
          changes: t.array(drift),
        },
        "How the contract seen in this run differs from the recorded baseline. Omitted when none was recorded for the target.",
      ),
    ),
  },
  "The results of one run of conformance, load, gate or twin. Every report and the exit code are made from this value.",
  { $id: "results.schema.json", title: "Results" },
);
export type Results = t.Static<typeof results>;
