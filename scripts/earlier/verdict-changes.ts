import type { SaidFinding } from "../../schemas/contracts/finding.ts";
import type { RequirementResult } from "../../schemas/contracts/results.ts";
import type { Verdict } from "../../schemas/contracts/verdicts.ts";
import { capitalized } from "../../schemas/words/format.ts";
import { code } from "../../schemas/words/values.ts";
import type { Item } from "../report/model.ts";

/** What a change means for a comparison: a regression, something that is not known, or nothing. */
export type ChangeWeight = "worse" | "open" | "none";

interface ChangeMeaning extends Pick<Item, "verdict" | "tone"> {
  readonly label: string;
  readonly weight: ChangeWeight;
}

/** How the verdict of a requirement can change, worst first. */
export const changeKinds = {
  "newly-failing": { label: "newly failing", weight: "worse", verdict: "fail", tone: "bad" },
  // No proven regression.
  "failing-not-judged-before": {
    label: "failing, not judged before",
    weight: "open",
    verdict: "fail",
    tone: "bad",
  },
  "no-longer-judged": { label: "no longer judged", weight: "open", verdict: "warn", tone: "unsure" },
  "new-warning": { label: "new warning", weight: "none", verdict: "warn", tone: "notice" },
  fixed: { label: "fixed", weight: "none", verdict: "pass", tone: "good" },
  "newly-judged": { label: "newly judged", weight: "none", verdict: "pass", tone: "good" },
} as const satisfies Record<string, ChangeMeaning>;
type VerdictChangeKind = keyof typeof changeKinds;
const kinds = Object.keys(changeKinds) as VerdictChangeKind[];

export interface VerdictChange<F = SaidFinding>
  extends Pick<RequirementResult, "id" | "level" | "statement"> {
  readonly kind: VerdictChangeKind;
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
  const [earlier, later] = [before, after].map((run) => new Map(run.map((one) => [one.id, one]))) as [
    Map<string, RequirementResult<F>>,
    Map<string, RequirementResult<F>>,
  ];
  const changes = [...new Map([...later, ...earlier])].flatMap(([id, either]): VerdictChange<F>[] => {
    const [old, now] = [earlier.get(id), later.get(id)];
    const kind = kindOf(old?.verdict, now?.verdict);
    // A waived failure has the verdict warning, but is not fixed.
    const isWaived = kind === "fixed" && now?.checks.some(({ waiver }) => waiver !== undefined);
    if (kind === undefined || isWaived) return [];
    const { level, statement, checks, verdict } = now ?? either;
    const weight = kind === "no-longer-judged" && level !== "must" ? "none" : changeKinds[kind].weight;
    const findings = checks.filter((check) => check.verdict === verdict).flatMap((check) => check.findings);
    const was = { before: old?.verdict, after: now?.verdict };
    return [{ kind, weight, id, level, statement, ...was, findings }];
  });
  return changes.toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

function kindOf(before?: Verdict, after?: Verdict): VerdictChangeKind | undefined {
  const [wasJudged, isJudged] = [before, after].map(
    (verdict) => verdict !== undefined && verdict !== "inconclusive" && verdict !== "error",
  );
  if (before === after) return undefined;
  if (!isJudged) return wasJudged ? "no-longer-judged" : undefined;
  if (after === "fail") return wasJudged ? "newly-failing" : "failing-not-judged-before";
  if (!wasJudged) return "newly-judged";
  if (before === "fail") return "fixed";
  return after === "warn" ? "new-warning" : undefined;
}

/** A line for each kind of change: ``Fixed: `errors.unknown-product`.`` */
export function changeLines(
  changes: readonly Pick<VerdictChange, "kind" | "id">[],
  wanted: readonly VerdictChangeKind[] = kinds,
): string[] {
  return wanted.flatMap((kind) => {
    const ids = changes.filter((one) => one.kind === kind).map(({ id }) => code(id));
    return ids.length === 0 ? [] : [`${capitalized(changeKinds[kind].label)}: ${ids.join(", ")}.`];
  });
}
