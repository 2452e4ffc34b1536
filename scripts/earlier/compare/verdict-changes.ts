import type { RequirementResult, Results } from "../../../schemas/types.ts";

type Verdict = RequirementResult["verdict"];

/**
 * What became of a requirement from one run to the other. `failing, not judged before` is no regression that can be
 * shown, and nothing to let pass either.
 */
export type VerdictChangeKind =
  | "newly failing"
  | "failing, not judged before"
  | "no longer judged"
  | "newly worth a look"
  | "fixed"
  | "newly judged";

/** A requirement whose verdict is another than before. */
export interface VerdictChange {
  readonly kind: VerdictChangeKind;
  readonly id: string;
  readonly level: RequirementResult["level"];
  readonly statement: string;
  /** `absent` when the run did not select it, or did not know it. */
  readonly before: Verdict | "absent";
  readonly after: Verdict | "absent";
  /** Of the later run; of the earlier one when the later has none. */
  readonly reason: string;
}

const order: readonly VerdictChangeKind[] = [
  "newly failing",
  "failing, not judged before",
  "no longer judged",
  "newly worth a look",
  "fixed",
  "newly judged",
];

/** Requirements whose verdict changed, the worst first; none when neither run judged any. */
export function verdictChanges(
  before: readonly RequirementResult[],
  after: readonly RequirementResult[],
): VerdictChange[] {
  const earlier = new Map(before.map((one) => [one.id, one]));
  const later = new Map(after.map((one) => [one.id, one]));
  const ids = [...new Set([...later.keys(), ...earlier.keys()])];
  const changes = ids.flatMap((id): VerdictChange[] => {
    const [old, now] = [earlier.get(id), later.get(id)];
    const shown = now ?? old;
    const kind = kindOf(old?.verdict ?? "absent", now?.verdict ?? "absent");
    // A waiver makes a warning of a failure; it mends nothing.
    if (kind === "fixed" && now?.checks.some(({ waiver }) => waiver !== undefined)) return [];
    if (shown === undefined || kind === undefined) return [];
    const { level, statement, reason } = shown;
    return [
      {
        kind,
        id,
        level,
        statement,
        reason,
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
  if (!isJudged(after)) return wasJudged ? "no longer judged" : undefined;
  if (after === "fail") return wasJudged ? "newly failing" : "failing, not judged before";
  if (!wasJudged) return "newly judged";
  if (before === "fail") return "fixed";
  return after === "warn" ? "newly worth a look" : undefined;
}

function isJudged(verdict: Verdict | "absent"): boolean {
  return verdict === "pass" || verdict === "fail" || verdict === "warn" || verdict === "notApplicable";
}

/** Whether a run came to its end with requirements judged, so that its contract can be compared. */
export function isWhole({ requirements, verdict, exitCode }: Results): boolean {
  return requirements.length > 0 && verdict !== "error" && exitCode !== 130;
}
