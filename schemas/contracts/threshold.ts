import type { CrossingWordsByCode } from "./words.ts";

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
