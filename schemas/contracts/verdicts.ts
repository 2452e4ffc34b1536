import type { WaiverResult } from "./config.ts";
import type { Finding } from "./finding.ts";
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

/** Number of requirements by verdict. */
export function countByVerdict(
  requirements: readonly { readonly verdict: Verdict }[],
): Record<Verdict, number> {
  const summary = { pass: 0, fail: 0, warn: 0, inconclusive: 0, notApplicable: 0, error: 0 };
  for (const { verdict } of requirements) summary[verdict]++;
  return summary;
}

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

// Why did a run exit with 4, or 1? What decides it, when, and what that means: here. Where each part is decided:
// - the verdict of a requirement, from its checks and waivers: conformance/requirements/verdict.ts
// - the verdict of a load run, from its limits and what the config expects: scripts/load/rules.ts
// - the causes of what a capability adds, and when they apply: the door of its folder

/** What the verdict of a run depends on, as results have it. */
export interface Judged {
  readonly command: string;
  readonly requirements: readonly {
    readonly verdict: Verdict;
    readonly level: "must" | "should" | "may";
    readonly excused?: string | undefined;
  }[];
  readonly load: readonly Pick<LoadResult, "verdict">[];
  readonly waivers?: readonly Pick<WaiverResult, "state">[] | undefined;
  /** What capabilities add; the part with the name of the command is what the command judges. */
  readonly parts?: object | undefined;
  readonly problem?: object | undefined;
  readonly interrupted: boolean;
  readonly scope?: object | undefined;
  readonly notices?: readonly Pick<Finding, "code">[] | undefined;
}

/** A cause of the core: what it means, and when it applies. */
interface CoreCause extends CauseMeaning {
  readonly applies: (run: Judged) => boolean;
}

function meaning(verdict: CauseMeaning["verdict"], exitCode: CauseMeaning["exitCode"]) {
  return { verdict, exitCode, label: runVerdictLabels[verdict] };
}

const violations = meaning("violations", 1);
const error = meaning("error", 3);
const incomplete = meaning("incomplete", 4);

function isAny<V>(all: readonly { readonly verdict: V }[], ...verdicts: V[]): boolean {
  return all.some(({ verdict }) => verdicts.includes(verdict));
}

function ofLoad(verdict: LoadResult["verdict"]) {
  return { label: loadVerdictLabels[verdict], applies: ({ load }: Judged) => isAny(load, verdict) };
}

function ofWaiver(state: WaiverResult["state"]) {
  const applies = ({ waivers = [] }: Judged) => waivers.some((one) => one.state === state);
  return { ...violations, label: `waiver ${state}`, isAgreed: true, applies } as const;
}

function hasLoadOrPart({ load, parts = {}, command }: Judged): boolean {
  return load.length > 0 || Object.hasOwn(parts, command);
}

/**
 * The causes of the core that can decide a run; if several apply, the first one. A failure decides, whatever
 * else happened; so does an expired or stale waiver: a run that passes only with it will not keep passing. Then
 * comes what ended the run early, then what was not judged. A run that judged nothing never passes.
 */
export const causes = {
  "requirement-failed": { ...violations, applies: ({ requirements }) => isAny(requirements, "fail") },
  "load-failed": { ...violations, ...ofLoad("fail") },
  "waiver-expired": ofWaiver("expired"),
  "waiver-stale": ofWaiver("stale"),
  problem: { ...error, applies: ({ problem }) => problem !== undefined },
  "nothing-run": { ...error, applies: (run) => run.requirements.length === 0 && !hasLoadOrPart(run) },
  "check-error": { ...error, applies: ({ requirements }) => isAny(requirements, "error") },
  "load-invalid": { ...error, ...ofLoad("invalid") },
  interrupted: { ...incomplete, exitCode: 130, applies: ({ interrupted }) => interrupted },
  "not-judged": {
    ...incomplete,
    applies: ({ requirements }) =>
      requirements.some(
        ({ verdict, level, excused }) =>
          verdict === "inconclusive" && level === "must" && excused === undefined,
      ),
  },
  "nothing-judged": {
    ...incomplete,
    applies: (run) => !hasLoadOrPart(run) && !isAny(run.requirements, "pass", "warn"),
  },
  "load-not-sent": {
    ...incomplete,
    applies: ({ notices = [] }) =>
      notices.some(({ code }) => code === "no-products-to-load" || code === "no-batch-field"),
  },
  partial: { ...meaning("partial", 0), applies: ({ scope }) => scope !== undefined },
  none: { ...meaning("conformant", 0), loadLabel: loadVerdictLabels.pass, applies: () => true },
} as const satisfies Record<string, CoreCause>;

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

/** By name, what one capability adds, if anything. */
type AddedTable<Added> = Readonly<Record<string, Added>> | undefined;

/** All causes in their order: those of the core, and each added one in its place. */
export function causesWith<Added extends AddedCause>(
  added: readonly AddedTable<Added>[],
): [Cause, CoreCause | Added][] {
  const all = added.flatMap((table = {}) => Object.entries(table) as [Cause, Added][]);
  const own = Object.entries(causes) as [keyof typeof causes, CoreCause][];
  return own.flatMap((cause) => [cause, ...all.filter(([, { after }]) => after === cause[0])]);
}

/** Verdict and exit code of a run, with their cause. */
export function judge<Run extends Judged>(
  run: Run,
  added: readonly AddedTable<AddedCause & { readonly applies: (run: Run) => boolean }>[],
): { readonly cause: Cause } & Pick<CauseMeaning, "verdict" | "exitCode"> {
  const decisive = causesWith(added).find(([, { applies }]) => applies(run));
  // The last cause applies to every run.
  const [cause, { verdict, exitCode }] = decisive as [Cause, CauseMeaning];
  if (!run.interrupted) return { exitCode, verdict, cause };
  // An interrupted run did not judge the rest, so without a failure it is incomplete.
  return verdict === "violations"
    ? { exitCode: 130, verdict, cause }
    : { exitCode: 130, verdict: "incomplete", cause: "interrupted" };
}
