import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult, Results } from "../../schemas/contracts/results.ts";
import type { CauseMeaning } from "../../schemas/contracts/verdicts.ts";
import type { WaiverResult } from "../../schemas/contracts/waivers.ts";

/** Meaning of a label; the page (`page/page.css`) and the console have a colour and a sign for each. */
export type Tone = "good" | "bad" | "unsure" | "notice" | "plain";

export const verdictTones = {
  fail: "bad",
  error: "unsure",
  inconclusive: "unsure",
  warn: "notice",
  pass: "good",
  notApplicable: "plain",
} as const satisfies Record<RequirementResult["verdict"], Tone>;

const runTones = {
  violations: "bad",
  error: "unsure",
  incomplete: "unsure",
  partial: "notice",
  conformant: "good",
} as const satisfies Record<Results["verdict"], Tone>;

/** The tone of a run that a cause decided. Red is for failures of the target only. */
export function causeTone({ verdict, isAgreed }: CauseMeaning): Tone {
  return isAgreed ? "unsure" : runTones[verdict];
}

export const loadTones = {
  pass: "good",
  fail: "bad",
  invalid: "unsure",
} as const satisfies Record<LoadResult["verdict"], Tone>;

/** Worst first. */
export const waiverTones = {
  expired: "unsure",
  stale: "unsure",
  active: "notice",
  unused: "plain",
} as const satisfies Record<WaiverResult["state"], Tone>;
