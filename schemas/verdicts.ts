import type { LoadComparison, LoadResult, RequirementResult, Results } from "./types.ts";

// Ids stand in results.json; labels are what a person reads, in every format.

/** Outcome of a requirement or of a check, in the order of concern. */
export const verdictLabels = {
  fail: "failed",
  error: "error",
  inconclusive: "not judged",
  warn: "warning",
  pass: "passed",
  notApplicable: "not applicable",
} as const satisfies Record<RequirementResult["verdict"], string>;

/** Outcome of a run. */
export const runVerdictLabels = {
  conformant: "conformant",
  violations: "not conformant",
  incomplete: "incomplete",
  error: "error",
} as const satisfies Record<Results["verdict"], string>;

/** Outcome of a load run. */
export const loadVerdictLabels = {
  pass: "passed",
  fail: "failed",
  slower: "slower",
  invalid: "invalid",
} as const satisfies Record<LoadResult["verdict"], string>;

/** Latency against earlier runs. */
export const comparisonLabels = {
  slower: "slower",
  same: "same",
  faster: "faster",
  inconclusive: "not judged",
  refused: "not compared",
} as const satisfies Record<LoadComparison["answer"], string>;
