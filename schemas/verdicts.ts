import type { ClientResults } from "./contracts/client-results.ts";
import type { Drift } from "./contracts/drift.ts";
import type { LoadResult } from "./contracts/load-result.ts";
import type { RequirementResult, Results } from "./contracts/results.ts";
import type { Threshold } from "./contracts/threshold.ts";
import type { TwinResult } from "./contracts/twin.ts";
import type { WaiverResult } from "./contracts/waivers.ts";

// results.json has the ids; every report shows the labels.

/** Outcome of a requirement or check, most important first. */
export const verdictLabels = {
  fail: "failed",
  error: "error",
  inconclusive: "not judged",
  warn: "warning",
  pass: "passed",
  notApplicable: "not applicable",
} as const satisfies Record<RequirementResult["verdict"], string>;

/** The label of a verdict beside a number: `2 warnings`. */
export function countedLabel(verdict: RequirementResult["verdict"], count: number): string {
  const isNoun = verdict === "warn" || verdict === "error";
  return `${verdictLabels[verdict]}${isNoun && count !== 1 ? "s" : ""}`;
}

/** Outcome of a run. */
export const runVerdictLabels = {
  conformant: "conformant",
  violations: "not conformant",
  partial: "partial",
  incomplete: "incomplete",
  error: "error",
} as const satisfies Record<Results["verdict"], string>;

/** Outcome of a load run. */
export const loadVerdictLabels = {
  pass: "passed",
  fail: "failed",
  invalid: "invalid",
} as const satisfies Record<LoadResult["verdict"], string>;

/** Whether a limit was exceeded, and by enough samples to rule out chance. */
export function isCrossed({ met, notJudged }: Pick<Threshold, "met" | "notJudged">): boolean {
  return !met && notJudged === undefined;
}

/** Outcome of two deployments that were asked the same, worst first. */
export const twinLabels = {
  different: "different",
  slower: "slower",
  inconclusive: "not judged",
  faster: "faster",
  same: "same",
} as const satisfies Record<TwinResult["outcome"], string>;

/** State of a waiver, most important first. */
export const waiverLabels = {
  expired: "expired",
  stale: "stale",
  active: "active",
  unused: "unused",
} as const satisfies Record<WaiverResult["state"], string>;

/** How much a change of the contract matters, most important first. */
export const driftLabels = {
  breaking: "breaking",
  notable: "notable",
  harmless: "harmless",
} as const satisfies Record<Drift["rank"], string>;

/** What decided a run. */
export type Cause = Results["cause"];

/** What a cause means for a run: verdict, exit code, and the label at the top of every report. */
export interface CauseMeaning {
  readonly verdict: Results["verdict"];
  readonly exitCode: Results["exitCode"];
  readonly label: string;
  /** The label for the command `load`, if it differs. */
  readonly loadLabel?: string;
}

/** Every cause that can decide a run. If several apply, the first one decides. */
export const causes = {
  "requirement-failed": { verdict: "violations", exitCode: 1, label: runVerdictLabels.violations },
  "load-failed": {
    verdict: "violations",
    exitCode: 1,
    label: loadVerdictLabels.fail,
  },
  "requests-failed": { verdict: "violations", exitCode: 1, label: runVerdictLabels.violations },
  "contract-broken": { verdict: "violations", exitCode: 1, label: "contract changed" },
  "responses-differ": { verdict: "violations", exitCode: 1, label: twinLabels.different },
  "latency-slower": { verdict: "violations", exitCode: 1, label: twinLabels.slower },
  "waiver-expired": { verdict: "violations", exitCode: 1, label: "waiver expired" },
  "waiver-stale": { verdict: "violations", exitCode: 1, label: "waiver stale" },
  problem: { verdict: "error", exitCode: 3, label: runVerdictLabels.error },
  "nothing-run": { verdict: "error", exitCode: 3, label: runVerdictLabels.error },
  "check-error": { verdict: "error", exitCode: 3, label: runVerdictLabels.error },
  "load-invalid": {
    verdict: "error",
    exitCode: 3,
    label: loadVerdictLabels.invalid,
  },
  interrupted: { verdict: "incomplete", exitCode: 130, label: runVerdictLabels.incomplete },
  "not-judged": { verdict: "incomplete", exitCode: 4, label: runVerdictLabels.incomplete },
  "twin-not-judged": { verdict: "incomplete", exitCode: 4, label: twinLabels.inconclusive },
  "nothing-judged": { verdict: "incomplete", exitCode: 4, label: runVerdictLabels.incomplete },
  "load-not-sent": { verdict: "incomplete", exitCode: 4, label: runVerdictLabels.incomplete },
  partial: { verdict: "partial", exitCode: 0, label: runVerdictLabels.partial },
  none: {
    verdict: "conformant",
    exitCode: 0,
    label: runVerdictLabels.conformant,
    loadLabel: loadVerdictLabels.pass,
  },
} as const satisfies Record<Cause, CauseMeaning>;

/** Every cause that can decide the run of a client. If several apply, the first one decides. */
export const clientCauses = {
  "requirement-failed": causes["requirement-failed"],
  problem: causes.problem,
  "client-failed": { verdict: "error", exitCode: 3, label: runVerdictLabels.error },
  interrupted: causes.interrupted,
  "nothing-judged": causes["nothing-judged"],
  "not-judged": causes["not-judged"],
  partial: causes.partial,
  none: causes.none,
} as const satisfies Record<ClientResults["cause"], CauseMeaning>;

/** The outcome of a run, at the top of every report; what decided it is a sentence of its own. */
export function runLabel(cause: Cause, { command, twin }: Pick<Results, "command" | "twin">): string {
  const meaning: CauseMeaning = causes[cause];
  if (command === "twin" && twin !== undefined && meaning.verdict !== "error")
    return twinLabels[twin.outcome];
  return command === "load" ? (meaning.loadLabel ?? meaning.label) : meaning.label;
}
