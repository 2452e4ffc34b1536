import type { Finding, FindingOf, SaidFinding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { RequirementResult, Results } from "../../schemas/contracts/results.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import type { Verdict } from "../../schemas/contracts/verdicts.ts";
import { isCrossed } from "../../schemas/contracts/verdicts.ts";

/**
 * How the verdict of a requirement changed. `failing-not-judged-before` is not a proven regression, but makes a comparison
 * incomplete.
 */
export type VerdictChangeKind =
  | "newly-failing"
  | "failing-not-judged-before"
  | "no-longer-judged"
  | "new-warning"
  | "fixed"
  | "newly-judged";

export interface VerdictChange<F = SaidFinding> {
  readonly kind: VerdictChangeKind;
  readonly id: string;
  readonly level: RequirementResult["level"];
  readonly statement: string;
  /** `absent` when the run did not select the requirement, or did not have it. */
  readonly before: Verdict | "absent";
  readonly after: Verdict | "absent";
  /** Findings of the checks that decided the later run, or the earlier one if the later has none. */
  readonly findings: readonly F[];
}

const order: readonly VerdictChangeKind[] = [
  "newly-failing",
  "failing-not-judged-before",
  "no-longer-judged",
  "new-warning",
  "fixed",
  "newly-judged",
];

/** Requirements whose verdict changed, the worst changes first. */
export function verdictChanges<F>(
  before: readonly RequirementResult<F>[],
  after: readonly RequirementResult<F>[],
): VerdictChange<F>[] {
  const earlier = new Map(before.map((one) => [one.id, one]));
  const later = new Map(after.map((one) => [one.id, one]));
  const ids = [...new Set([...later.keys(), ...earlier.keys()])];
  const changes = ids.flatMap((id): VerdictChange<F>[] => {
    const [old, now] = [earlier.get(id), later.get(id)];
    const shown = now ?? old;
    const kind = kindOf(old?.verdict ?? "absent", now?.verdict ?? "absent");
    // A waived failure has the verdict warning, but is not fixed.
    if (kind === "fixed" && now?.checks.some(({ waiver }) => waiver !== undefined)) return [];
    if (shown === undefined || kind === undefined) return [];
    const { level, statement, checks, verdict } = shown;
    return [
      {
        kind,
        id,
        level,
        statement,
        findings: checks.filter((check) => check.verdict === verdict).flatMap((check) => check.findings),
        before: old?.verdict ?? "absent",
        after: now?.verdict ?? "absent",
      },
    ];
  });
  return changes.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
}

function kindOf(before: Verdict | "absent", after: Verdict | "absent"): VerdictChangeKind | undefined {
  if (before === after) return undefined;
  const wasJudged = isJudged(before);
  if (!isJudged(after)) return wasJudged ? "no-longer-judged" : undefined;
  if (after === "fail") return wasJudged ? "newly-failing" : "failing-not-judged-before";
  if (!wasJudged) return "newly-judged";
  if (before === "fail") return "fixed";
  return after === "warn" ? "new-warning" : undefined;
}

type WorseKind = Extract<
  VerdictChangeKind,
  "newly-failing" | "failing-not-judged-before" | "no-longer-judged"
>;

/** The requirements that got worse in one of these ways, as one finding for each. */
export function worseFindings(
  changes: readonly Pick<VerdictChange, "kind" | "id">[],
  kinds: readonly WorseKind[] = ["newly-failing", "failing-not-judged-before", "no-longer-judged"],
): Finding[] {
  return kinds.flatMap((code) => {
    const actual = changes.flatMap(({ kind, id }) => (kind === code ? [id] : []));
    return actual.length === 0 ? [] : [{ code, actual }];
  });
}

function isJudged(verdict: Verdict | "absent"): boolean {
  return verdict === "pass" || verdict === "fail" || verdict === "warn" || verdict === "notApplicable";
}

/** Whether a run finished and judged requirements, so that its contract can be compared. */
export function isWhole({ requirements, verdict, exitCode }: Results): boolean {
  return requirements.length > 0 && verdict !== "error" && exitCode !== 130;
}

/**
 * A threshold that is newly crossed, or a load that is no longer measured; its subject is the scenario. One that was not
 * judged before is not a proven regression, but makes a comparison incomplete.
 */
export type ThresholdChange = FindingOf<
  "threshold-newly-crossed" | "threshold-crossed-not-judged-before" | "load-no-longer-measured"
>;

type LoadOfRun = Pick<Results<Finding>, "command" | "load">;

/**
 * Thresholds that only the later run crosses, and scenarios that only the earlier run measured. If the runs
 * are of different commands, no scenario counts as missing.
 */
export function thresholdChanges(before: LoadOfRun, after: LoadOfRun): ThresholdChange[] {
  const crossings = after.load.flatMap((now) => {
    const old = before.load.find(
      ({ scenario, profile }) => scenario === now.scenario && profile === now.profile,
    );
    return newCrossings(old, now);
  });
  if (before.command !== after.command) return crossings;
  const missing = before.load.filter(
    (old) =>
      old.verdict !== "invalid" &&
      !after.load.some(({ scenario, verdict }) => scenario === old.scenario && verdict !== "invalid"),
  );
  return [
    ...crossings,
    ...missing.map(({ scenario: subject }) => ({ code: "load-no-longer-measured" as const, subject })),
  ];
}

function newCrossings(old: LoadResult | undefined, now: LoadResult): ThresholdChange[] {
  if (now.verdict === "invalid") return [];
  const isMeasured = old !== undefined && old.verdict !== "invalid";
  const earlier = isMeasured ? old.thresholds : [];
  const sameBefore = (one: Threshold) => earlier.find((other) => isSameLimit(one, other));
  return crossed(now)
    .map((threshold) => ({ threshold, before: sameBefore(threshold) }))
    .filter(({ before }) => !(before && isCrossed(before)))
    .map(({ threshold, before }) => ({
      code:
        isMeasured && before?.notJudged === undefined
          ? "threshold-newly-crossed"
          : "threshold-crossed-not-judged-before",
      subject: now.scenario,
      details: { threshold },
    }));
}

function crossed({ thresholds }: LoadResult): Threshold[] {
  return thresholds.filter((one) => isCrossed(one) && one.guards === "target");
}

function isSameLimit(one: Threshold, other: Threshold): boolean {
  const parts = ["metric", "statistic", "bound", "limit"] as const;
  return parts.every((part) => one[part] === other[part]);
}
