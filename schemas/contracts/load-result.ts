import type { Evidence } from "./evidence.ts";
import type { CrossingWordsByCode, Finding } from "./finding.ts";

/** One limit of a load run. */
export interface Threshold {
  /** As k6 names it, with its tags. */
  metric: string;
  /** Code of the finding that a crossing makes. */
  crossing: keyof CrossingWordsByCode;
  /** Kind of request, as in schemas/scenarios.ts, where the limit is for one. */
  request?: string | undefined;
  statistic: "p95" | "p99" | "share" | "count";
  /** Whether the limit is a maximum or a minimum. */
  bound: "most" | "least";
  limit: number;
  /** What was measured. Omitted when there was nothing. */
  value?: number | undefined;
  unit: "ms" | "share" | "count";
  /** Of a share over several kinds of request. */
  counted?: { count: number; total: number } | undefined;
  met: boolean;
  /**
   * What a crossing means: `target` makes the verdict fail, `run` makes it invalid, `search` means that it
   * is the result the profile searches for.
   */
  guards: "target" | "run" | "search";
  /** Why a share above its limit is not a failure: there were too few samples to rule out chance. */
  notJudged?: { samples: number; needed: number } | undefined;
  /** The share is within its limit, but with too few samples to rule out chance. */
  fewSamples?: { samples: number; needed: number } | undefined;
}

type SeriesColumn = (number | null)[];

/** The rate limit as a probe estimated it. */
export interface FoundRateLimit {
  perSecond: number;
  low: number;
  high: number;
  /** Requests accepted at once after a rest. */
  burst: number;
  /** Ends of its interval; without an upper one if it may not have been full. */
  burstLow?: number | undefined;
  burstHigh?: number | undefined;
}

/** The result of the rate-limit scenario, in one of its two modes. */
export interface RateLimitResult {
  mode: "probe" | "polite";
  /** Omitted when nothing was refused up to the highest rate, or the limit's window is longer than the probe. */
  limit?: FoundRateLimit | undefined;
  /** What the configuration expects of the limit. */
  expected?:
    | {
        of: "perSecond" | "burst";
        expected: number;
        low?: number | undefined;
        high?: number | undefined;
        /** Whether the interval of the estimate holds the expected value; open if it has no end there, or is wide. */
        outcome: "met" | "excluded" | "open";
      }[]
    | undefined;
  /** The highest rate that the probe reached, in responses a second. */
  highestRate?: number | undefined;
  refusedShare?: number | undefined;
  /** Single requests sent when Retry-After had passed, and how many of them were accepted; all others got 429. */
  retryAfter?: { tried: number; accepted: number } | undefined;
  /** Accepted requests a second; waits, and after how many of them the first request was refused again. */
  polite?: { goodput: number; waits: number; refusedAgain: number } | undefined;
}

/** How many requests failed, against a limit. */
export interface JudgedShare {
  /** Requests that failed. */
  count: number;
  /** Without those refused with 429. */
  total: number;
  /** Maximum share, from 0 to 1. */
  limit: number;
  /** Requests of which none may fail to confirm the limit. */
  needed: number;
  /** By the exact binomial probability: above the limit, within it, or too few requests to tell. */
  outcome: "above" | "within" | "open";
}

export interface LoadResult<F = Finding> {
  scenario: string;
  profile: string;
  verdict: "pass" | "fail" | "invalid";
  /** When k6 was started. */
  startedAt?: string | undefined;
  /** From the start of k6 to its end; of pods, from the first start to the last end. */
  seconds?: number | undefined;
  /** Why the verdict is not pass; the first one decided it. */
  findings: F[];
  /** Notes for the reader that do not change the verdict. */
  notes: F[];
  thresholds: Threshold[];
  /** Failed requests of the whole run against the limit of the profile. */
  failures?: JudgedShare | undefined;
  /** By metric, with k6's own value names (avg, p(95), count, rate). Times are milliseconds. */
  metrics: Record<string, Record<string, number>>;
  /** 429 responses, counted separately from failures. */
  retryAfter: {
    refused: number;
    /** Of those, with a Retry-After of whole seconds. Omitted for a run without a summary. */
    withRetryAfter?: number | undefined;
    longestSeconds?: number | undefined;
  };
  rateLimit?: RateLimitResult | undefined;
  /** The first responses of each kind that violated a rule. */
  evidence?:
    | {
        /** Kind of request, as in schemas/scenarios.ts. */
        request: string;
        finding: F;
        exchange: Evidence;
        /** An exchange of another organization that was under way at the same time. */
        overlapping?: Evidence | undefined;
      }[]
    | undefined;
  /** Responses checked, without right 429s; when none was found invalid, 3/n bounds the undetected share at 95 % confidence. */
  validated: {
    answers: number;
    invalid: number;
    /** How many of them got the complete check; the others got the quick one. */
    complete?: number | undefined;
    undetectedShareBound?: number | undefined;
  };
  /**
   * The planned rate: for each stage its seconds, and the requests a second at its end, without walks, whose
   * requests follow from each other. Omitted where there are no others.
   */
  planned?: { seconds: number; rate: number }[] | undefined;
  /**
   * The run over time, one value a period in each column; null where there was nothing to measure. At most
   * 600 periods for the planned time; the last one, cut short by the end, is omitted.
   */
  series?:
    | {
        periodSeconds: number;
        /** End of each period, from the start of the run. */
        seconds: number[];
        /** Requests a second, without those lost on the way. */
        requestRate: SeriesColumn;
        /** Those of them that failed, without 429 responses. */
        failedRate: SeriesColumn;
        /** 429 responses a second. */
        refusedRate: SeriesColumn;
        /** Milliseconds of the 200 responses. */
        latency: { p50: SeriesColumn; p95: SeriesColumn; p99: SeriesColumn };
      }
    | undefined;
  /**
   * What the figures depend on besides the service: seed, version of k6, machine or number of pods, and a
   * fingerprint of the profile.
   */
  conditions?: Record<string, string> | undefined;
}
