import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { RequirementResult } from "../../schemas/contracts/results.ts";
import type { Verdict } from "../../schemas/contracts/verdicts.ts";
import { capitalized } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";

/** How the verdict of a requirement changes, worst first: `worse` is a regression, `open` is not known. */
export const changeKinds = {
  "newly-failing": { label: "newly failing", weight: "worse", tone: "bad" },
  // No proven regression.
  "failing-not-judged-before": { label: "failing, not judged before", weight: "open", tone: "bad" },
  "no-longer-judged": { label: "no longer judged", weight: "open", tone: "unsure" },
  waived: { label: "waived", weight: "none", tone: "notice" },
  "new-warning": { label: "new warning", weight: "none", tone: "notice" },
  fixed: { label: "fixed", weight: "none", tone: "good" },
} as const;
type ChangeKind = keyof typeof changeKinds;
export type ChangeWeight = (typeof changeKinds)[ChangeKind]["weight"];
const kinds = Object.keys(changeKinds) as ChangeKind[];

export interface VerdictChange<F = SaidFinding>
  extends Pick<RequirementResult, "id" | "level" | "statement"> {
  readonly kind: ChangeKind;
  /** Of the kind; a SHOULD that is no longer judged does not count. */
  readonly weight: ChangeWeight;
  /** Undefined when the run did not select the requirement, or did not have it. */
  readonly before: Verdict | undefined;
  readonly after: Verdict | undefined;
  /** Findings of the checks that decided the later run, or the earlier one if the later has none. */
  readonly findings: readonly F[];
}

/** Requirements whose verdict changed, the worst changes first. */
export function verdictChanges<F>(
  before: readonly RequirementResult<F>[],
  after: readonly RequirementResult<F>[],
): VerdictChange<F>[] {
  const both = [...Map.groupBy([...after, ...before], ({ id }) => id).values()];
  const changes = both.flatMap(([one, other]): VerdictChange<F>[] => {
    if (one === undefined) return [];
    const now = after.includes(one) ? one : undefined;
    const old = now === undefined ? one : other;
    const { id, level, statement, checks, verdict } = one;
    // A waived failure has the verdict warning: it is neither fixed nor a warning.
    const isWaived = now?.verdict === "warn" && checks.some(({ waiver }) => waiver !== undefined);
    const changed = kindOf(old?.verdict, now?.verdict);
    const kind = changed !== undefined && isWaived ? "waived" : changed;
    if (kind === undefined) return [];
    const weight = kind === "no-longer-judged" && level !== "must" ? "none" : changeKinds[kind].weight;
    const findings = checks.filter((check) => check.verdict === verdict).flatMap((check) => check.findings);
    const was = { before: old?.verdict, after: now?.verdict };
    return [{ kind, weight, id, level, statement, ...was, findings }];
  });
  return changes.toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

function kindOf(before?: Verdict, after?: Verdict): ChangeKind | undefined {
  const [wasJudged, isJudged] = [before, after].map(
    (verdict) => verdict !== undefined && verdict !== "inconclusive" && verdict !== "error",
  );
  if (before === after) return undefined;
  if (!isJudged) return wasJudged && before !== "notApplicable" ? "no-longer-judged" : undefined;
  if (after === "fail") return wasJudged ? "newly-failing" : "failing-not-judged-before";
  if (before === "fail") return "fixed";
  return after === "warn" && wasJudged ? "new-warning" : undefined;
}

/** A line for each kind of change: ``Fixed: `errors.unknown-product`.`` */
export function changeLines(changes: readonly Pick<VerdictChange, "kind" | "id">[]): string[] {
  return [...Map.groupBy(changes, ({ kind }) => kind)].map(
    ([kind, all]) => `${capitalized(changeKinds[kind].label)}: ${all.map(({ id }) => code(id)).join(", ")}.`,
  );
}
