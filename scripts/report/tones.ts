import type { Drift } from "../../schemas/contracts/drift.ts";
import type { LoadComparison, LoadResult } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult, Results } from "../../schemas/contracts/results.ts";
import type { WaiverResult } from "../../schemas/contracts/waivers.ts";

/** Meaning of a label; the page (`style/base.css`) and the console have a colour and a sign for each. */
export type Tone = "good" | "bad" | "unsure" | "notice" | "plain";

export const verdictTones = {
  fail: "bad",
  error: "bad",
  inconclusive: "unsure",
  warn: "notice",
  pass: "good",
  notApplicable: "plain",
} as const satisfies Record<RequirementResult["verdict"], Tone>;

export const runTones = {
  conformant: "good",
  violations: "bad",
  partial: "notice",
  incomplete: "unsure",
  error: "bad",
} as const satisfies Record<Results["verdict"], Tone>;

export const loadTones = {
  pass: "good",
  slower: "bad",
  fail: "bad",
  invalid: "unsure",
} as const satisfies Record<LoadResult["verdict"], Tone>;

export const comparisonTones = {
  slower: "bad",
  same: "good",
  faster: "good",
  inconclusive: "unsure",
  refused: "unsure",
} as const satisfies Record<LoadComparison["answer"], Tone>;

/** Worst first. */
export const waiverTones = {
  expired: "bad",
  stale: "bad",
  active: "notice",
  unused: "plain",
} as const satisfies Record<WaiverResult["state"], Tone>;

/** Worst first. */
export const driftTones = {
  breaking: "bad",
  notable: "notice",
  harmless: "plain",
} as const satisfies Record<Drift["rank"], Tone>;
