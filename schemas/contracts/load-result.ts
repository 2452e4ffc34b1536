import { evidence } from "./evidence.ts";
import { finding } from "./finding.ts";
import { judgedShare } from "./judged-share.ts";
import * as t from "./schema.ts";
import { threshold } from "./threshold.ts";

export const column = t.named("Column", t.array(t.nullable(t.number())));

export const rateLimitResult = t.named(
  "RateLimitResult",
  t.object(
    {
      mode: t.choice(["probe", "polite"]),
      limit: t.optional(
        t.object(
          {
            perSecond: t.amount(),
            low: t.amount(),
            high: t.amount(),
            burst: t.amount(
              "Maximum number of requests accepted at once: the size of a full bucket, or of a window.",
            ),
            burstLow: t.optional(
              t.amount("Ends of its interval; without an upper one if it may not have been full."),
            ),
            burstHigh: t.optional(t.amount()),
            kind: t.choice(
              ["window", "bucket"],
              "A window accepts a block and then nothing until it turns; a bucket accepts evenly.",
            ),
            windowSeconds: t.optional(t.amount()),
          },
          "The estimate; omitted when no request was refused up to the highest rate, or when the limit's window is longer than the probe.",
        ),
      ),
      expected: t.optional(
        t.array(
          t.object({
            of: t.choice(["perSecond", "burst"]),
            expected: t.amount(),
            low: t.optional(t.amount()),
            high: t.optional(t.amount()),
            outcome: t.choice(
              ["met", "excluded", "open"],
              "Whether the interval of the estimate holds the expected value; open if it was not reached.",
            ),
          }),
          "What the configuration expects of the limit.",
        ),
      ),
      highestRate: t.optional(t.amount("The highest rate that the probe reached, in responses a second.")),
      refusedShare: t.optional(t.amount({ maximum: 1 })),
      retryAfter: t.optional(
        t.object(
          {
            tried: t.count(),
            accepted: t.count(),
            refused: t.optional(t.count()),
          },
          "Requests sent exactly when Retry-After had passed, how many of them were accepted, and how many were refused again a second later although nothing else had been sent.",
        ),
      ),
      otherOrganization: t.optional(
        t.object(
          {
            requests: t.count(),
            refused: t.count(),
          },
          "Requests that another organization sent while the first was above its limit, and how many were refused.",
        ),
      ),
      polite: t.optional(
        t.object({
          goodput: t.amount("Accepted requests a second."),
          paced: t.amount("Rate that the pacing reached."),
          unsent: t.count("Requests of the demand beyond the limit."),
          waits: t.count(),
          waitSeconds: t.amount("Seconds of Retry-After, summed."),
          refusedAgain: t.count("Waits after which the first request was refused again."),
          recoveryMilliseconds: t.optional(
            t.amount("Median time from a refusal to the next request accepted."),
          ),
        }),
      ),
    },
    "The result of the rate-limit scenario, in one of its two modes.",
  ),
);
export type RateLimitResult = t.Static<typeof rateLimitResult>;

export const loadResult = t.named(
  "LoadResult",
  t.object({
    scenario: t.string(),
    profile: t.string(),
    verdict: t.choice(["pass", "fail", "invalid"]),
    startedAt: t.optional(t.moment("When k6 was started.")),
    seconds: t.optional(t.amount("From the start of k6 to the end of its last process.")),
    findings: t.array(finding, "Why the verdict is not pass; the first one decided it."),
    notes: t.array(finding, "Notes for the reader that do not change the verdict."),
    thresholds: t.array(threshold),
    failures: t.optional(
      t.described(judgedShare, "Failed requests of the whole run against the limit of the profile."),
    ),
    metrics: t.mapOf(
      t.mapOf(t.number()),
      "By metric, with k6's own value names (avg, p(95), count, rate). Times are milliseconds.",
    ),
    retryAfter: t.object(
      {
        refused: t.count(),
        withRetryAfter: t.count("Of those, with a Retry-After of whole seconds."),
        longestSeconds: t.optional(t.amount()),
      },
      "429 responses, counted separately from failures.",
    ),
    rateLimit: t.optional(rateLimitResult),
    evidence: t.optional(
      t.array(
        t.object({
          request: t.string("Kind of request, as in schemas/scenarios.ts."),
          finding: finding,
          exchange: evidence,
          overlapping: t.optional(
            t.described(evidence, "An exchange of another organization that was under way at the same time."),
          ),
        }),
        "The first responses of each kind that violated a rule.",
      ),
    ),
    validated: t.object(
      {
        answers: t.count(),
        invalid: t.count(),
        undetectedShareBound: t.optional(t.amount()),
      },
      "Responses checked against their schema; when none violated it, 3/n bounds the undetected share at 95 % confidence.",
    ),
    planned: t.optional(
      t.array(
        t.object({
          seconds: t.amount(),
          rate: t.amount(),
        }),
        "The planned rate: for each stage its seconds, and the requests a second at its end. Omitted where requests follow from each other.",
      ),
    ),
    series: t.optional(
      t.object(
        {
          periodSeconds: t.number({ exclusiveMinimum: 0 }),
          seconds: t.array(t.number(), "End of each period, from the start of the run."),
          requestRate: t.described(column, "Requests a second."),
          failedRate: t.described(column, "Failed requests a second, without 429 responses."),
          refusedRate: t.described(column, "429 responses a second."),
          latency: t.object(
            {
              p50: column,
              p95: column,
              p99: column,
            },
            "Milliseconds of the 200 responses. For several processes or merged periods, the highest value: percentiles of parts cannot be merged, and the true one is not higher.",
          ),
          lateMilliseconds: t.optional(
            t.described(
              column,
              "95th percentile of the delay with which iterations started, without what dropped ones explain. Not measured in pods.",
            ),
          ),
        },
        "The run over time, one value a period in each column; null where there was nothing to measure. At most 600 periods; the last one, cut short by the end, is omitted.",
      ),
    ),
    conditions: t.optional(
      t.mapOf(
        t.string(),
        "What the figures depend on besides the service: seed, shards, version of k6, machine, and a fingerprint of the profile.",
      ),
    ),
  }),
);
export type LoadResult = t.Static<typeof loadResult>;
