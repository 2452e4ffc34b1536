import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult } from "../../schemas/contracts/results.ts";
import type { WaiverResult } from "../../schemas/contracts/waivers.ts";
import type { Cause } from "../../schemas/verdicts.ts";

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

/** Red is for failures of the target only. */
export const causeTones = {
  "requirement-failed": "bad",
  "load-failed": "bad",
  "requests-failed": "bad",
  "contract-broken": "unsure",
  "responses-differ": "bad",
  "latency-slower": "bad",
  "waiver-expired": "unsure",
  "waiver-stale": "unsure",
  problem: "unsure",
  "nothing-run": "unsure",
  "check-error": "unsure",
  "load-invalid": "unsure",
  interrupted: "unsure",
  "not-judged": "unsure",
  "twin-not-judged": "unsure",
  "nothing-judged": "unsure",
  "load-not-sent": "unsure",
  partial: "notice",
  none: "good",
} as const satisfies Record<Cause, Tone>;

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
