import { evidence } from "./evidence.ts";
import { finding } from "./finding.ts";
import { judgedShare } from "./judged-share.ts";
import {
  amount,
  array,
  choice,
  count,
  described,
  mapOf,
  moment,
  named,
  nullable,
  number,
  object,
  optional,
  type Static,
  string,
} from "./schema.ts";
import { threshold } from "./threshold.ts";

export const column = named("Column", array(nullable(number())));

export const rateLimitResult = named(
  "RateLimitResult",
  object(
    {
      mode: choice(["probe", "polite"]),
      limit: optional(
        object(
          {
            perSecond: amount(),
            low: amount(),
            high: amount(),
            burst: amount(
              "Maximum number of requests accepted at once: the size of a full bucket, or of a window.",
            ),
            burstLow: optional(
              amount("Ends of its interval; without an upper one if it may not have been full."),
            ),
            burstHigh: optional(amount()),
            kind: choice(
              ["window", "bucket"],
              "A window accepts a block and then nothing until it turns; a bucket accepts evenly.",
            ),
            windowSeconds: optional(amount()),
          },
          "The estimate; omitted when no request was refused up to the highest rate, or when the limit's window is longer than the probe.",
        ),
      ),
      expected: optional(
        array(
          object({
            of: choice(["perSecond", "burst"]),
            expected: amount(),
            low: optional(amount()),
            high: optional(amount()),
            outcome: choice(
              ["met", "excluded", "open"],
              "Whether the interval of the estimate holds the expected value; open if it was not reached.",
            ),
          }),
          "What the configuration expects of the limit.",
        ),
      ),
      highestRate: optional(amount("The highest rate that the probe reached, in responses a second.")),
      refusedShare: optional(amount({ maximum: 1 })),
      retryAfter: optional(
        object(
          {
            tried: count(),
            accepted: count(),
            refused: optional(count()),
          },
          "Requests sent exactly when Retry-After had passed, how many of them were accepted, and how many were refused again a second later although nothing else had been sent.",
        ),
      ),
      otherOrganization: optional(
        object(
          {
            requests: count(),
            refused: count(),
          },
          "Requests that another organization sent while the first was above its limit, and how many were refused.",
        ),
      ),
      polite: optional(
        object({
          goodput: amount("Accepted requests a second."),
          paced: amount("Rate that the pacing reached."),
          unsent: count("Requests of the demand beyond the limit."),
          waits: count(),
          waitSeconds: amount("Seconds of Retry-After, summed."),
          refusedAgain: count("Waits after which the first request was refused again."),
          recoveryMilliseconds: optional(amount("Median time from a refusal to the next request accepted.")),
        }),
      ),
    },
    "The result of the rate-limit scenario, in one of its two modes.",
  ),
);
export type RateLimitResult = Static<typeof rateLimitResult>;

export const loadResult = named(
  "LoadResult",
  object({
    scenario: string(),
    profile: string(),
    verdict: choice(["pass", "fail", "invalid"]),
    startedAt: optional(moment("When k6 was started.")),
    seconds: optional(amount("From the start of k6 to the end of its last process.")),
    findings: array(finding, "Why the verdict is not pass; the first one decided it."),
    notes: array(finding, "Notes for the reader that do not change the verdict."),
    thresholds: array(threshold),
    failures: optional(
      described(judgedShare, "Failed requests of the whole run against the limit of the profile."),
    ),
    metrics: mapOf(
      mapOf(number()),
      "By metric, with k6's own value names (avg, p(95), count, rate). Times are milliseconds.",
    ),
    retryAfter: object(
      {
        refused: count(),
        withRetryAfter: count("Of those, with a Retry-After of whole seconds."),
        longestSeconds: optional(amount()),
      },
      "429 responses, counted separately from failures.",
    ),
    rateLimit: optional(rateLimitResult),
    evidence: optional(
      array(
        object({
          request: string("Kind of request, as in schemas/scenarios.ts."),
          finding: finding,
          exchange: evidence,
          overlapping: optional(
            described(evidence, "An exchange of another organization that was under way at the same time."),
          ),
        }),
        "The first responses of each kind that violated a rule.",
      ),
    ),
    validated: object(
      {
        answers: count(),
        invalid: count(),
        undetectedShareBound: optional(amount()),
      },
      "Responses checked against their schema; when none violated it, 3/n bounds the undetected share at 95 % confidence.",
    ),
    planned: optional(
      array(
        object({
          seconds: amount(),
          rate: amount(),
        }),
        "The planned rate: for each stage its seconds, and the requests a second at its end. Omitted where requests follow from each other.",
      ),
    ),
    series: optional(
      object(
        {
          periodSeconds: number({ exclusiveMinimum: 0 }),
          seconds: array(number(), "End of each period, from the start of the run."),
          requestRate: described(column, "Requests a second."),
          failedRate: described(column, "Failed requests a second, without 429 responses."),
          refusedRate: described(column, "429 responses a second."),
          waitSeconds: described(column, "Retry-After, mean of the period."),
          virtualUsers: column,
          latency: object(
            {
              p50: column,
              p95: column,
              p99: column,
            },
            "Milliseconds of the 200 responses. For several processes or merged periods, the highest value: percentiles of parts cannot be merged, and the true one is not higher.",
          ),
          lateMilliseconds: optional(
            described(
              column,
              "95th percentile of the delay with which iterations started, without what dropped ones explain. Not measured in pods.",
            ),
          ),
        },
        "The run over time, one value a period in each column; null where there was nothing to measure. At most 600 periods; the last one, cut short by the end, is omitted.",
      ),
    ),
    percentiles: optional(
      array(
        object({
          endpoint: string(),
          count: count(),
          at: array(number(), "From 0 to 100."),
          milliseconds: array(number()),
        }),
        "Latency of good responses by endpoint: milliseconds at each percentile, from the whole distribution. Whole walks through a category are `category-walk`.",
      ),
    ),
    conditions: optional(
      mapOf(
        string(),
        "What the figures depend on besides the service: seed, shards, version of k6, machine, and a fingerprint of the profile.",
      ),
    ),
  }),
);
export type LoadResult = Static<typeof loadResult>;
