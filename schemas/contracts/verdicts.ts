import type { LoadResult, Threshold } from "./load-result.ts";

// results.json has the ids; every report shows the labels.

/** Outcome of a requirement or check, most important first. */
export const verdictLabels = {
  fail: "failed",
  error: "error",
  inconclusive: "not judged",
  warn: "warning",
  pass: "passed",
  notApplicable: "not applicable",
} as const;
export type Verdict = keyof typeof verdictLabels;

/** The label of a verdict beside a number: `2 warnings`. */
export function countedLabel(verdict: Verdict, count: number): string {
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
} as const;

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

/** What a cause means for a run: verdict, exit code, and the label at the top of every report. */
export interface CauseMeaning {
  readonly verdict: keyof typeof runVerdictLabels;
  readonly exitCode: 0 | 1 | 2 | 3 | 4 | 130;
  readonly label: string;
  /** The label for the command `load`, if it differs. */
  readonly loadLabel?: string;
  /** Something that was agreed no longer holds, whoever changed it: no failure of the target. */
  readonly isAgreed?: true;
}

/** The causes of the core that can decide a run. If several apply, the first one decides. */
export const causes = {
  "requirement-failed": { verdict: "violations", exitCode: 1, label: runVerdictLabels.violations },
  "load-failed": { verdict: "violations", exitCode: 1, label: loadVerdictLabels.fail },
  "requests-failed": { verdict: "violations", exitCode: 1, label: runVerdictLabels.violations },
  "waiver-expired": { verdict: "violations", exitCode: 1, label: "waiver expired", isAgreed: true },
  "waiver-stale": { verdict: "violations", exitCode: 1, label: "waiver stale", isAgreed: true },
  problem: { verdict: "error", exitCode: 3, label: runVerdictLabels.error },
  "nothing-run": { verdict: "error", exitCode: 3, label: runVerdictLabels.error },
  "check-error": { verdict: "error", exitCode: 3, label: runVerdictLabels.error },
  "load-invalid": { verdict: "error", exitCode: 3, label: loadVerdictLabels.invalid },
  interrupted: { verdict: "incomplete", exitCode: 130, label: runVerdictLabels.incomplete },
  "not-judged": { verdict: "incomplete", exitCode: 4, label: runVerdictLabels.incomplete },
  "nothing-judged": { verdict: "incomplete", exitCode: 4, label: runVerdictLabels.incomplete },
  "load-not-sent": { verdict: "incomplete", exitCode: 4, label: runVerdictLabels.incomplete },
  partial: { verdict: "partial", exitCode: 0, label: runVerdictLabels.partial },
  none: {
    verdict: "conformant",
    exitCode: 0,
    label: runVerdictLabels.conformant,
    loadLabel: loadVerdictLabels.pass,
  },
} as const satisfies Record<string, CauseMeaning>;

/** The causes of the capabilities: each declares its own. */
// biome-ignore lint/suspicious/noEmptyInterface: the capabilities declare its rows.
export interface AddedCauses {}

/** What decided a run. */
export type Cause = keyof typeof causes | keyof AddedCauses;

/** A cause that a capability adds. */
export interface AddedCause extends CauseMeaning {
  /** The cause of the core after which it comes. */
  readonly after: keyof typeof causes;
}

/** All causes in their order: those of the core, and each added one in its place. */
export function causesWith<Added extends AddedCause>(
  added: readonly (Readonly<Record<string, Added>> | undefined)[],
): [Cause, CauseMeaning & Partial<Added>][] {
  const all = added.flatMap((table = {}) => Object.entries(table) as [Cause, Added][]);
  const own = Object.entries(causes) as [keyof typeof causes, CauseMeaning & Partial<Added>][];
  return own.flatMap((cause) => [cause, ...all.filter(([, { after }]) => after === cause[0])]);
}
