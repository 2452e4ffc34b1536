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

/** `absent` when the run did not select the requirement, or did not have it. */
type Seen = Verdict | "absent";

export interface VerdictChange<F = SaidFinding> {
  readonly kind: VerdictChangeKind;
  readonly id: string;
  readonly level: RequirementResult["level"];
  readonly statement: string;
  readonly before: Seen;
  readonly after: Seen;
  /** Findings of the checks that decided the later run, or the earlier one if the later has none. */
  readonly findings: readonly F[];
}

/** Requirements whose verdict changed, the worst changes first. */
export function verdictChanges<F>(
  before: readonly RequirementResult<F>[],
  after: readonly RequirementResult<F>[],
): VerdictChange<F>[] {
  const earlier = new Map(before.map((one) => [one.id, one]));
  const later = new Map(after.map((one) => [one.id, one]));
  const changes = [...new Map([...later, ...earlier])].flatMap(([id, either]): VerdictChange<F>[] => {
    const [old, now] = [earlier.get(id), later.get(id)];
    const was: Seen = old?.verdict ?? "absent";
    const is: Seen = now?.verdict ?? "absent";
    const kind = kindOf(was, is);
    // A waived failure has the verdict warning, but is not fixed.
    const isWaived = kind === "fixed" && now?.checks.some(({ waiver }) => waiver !== undefined);
    if (kind === undefined || isWaived) return [];
    const { level, statement, checks, verdict } = now ?? either;
    const findings = checks.filter((check) => check.verdict === verdict).flatMap((check) => check.findings);
    return [{ kind, id, level, statement, findings, before: was, after: is }];
  });
  return changes.toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

function kindOf(before: Seen, after: Seen): VerdictChangeKind | undefined {
  if (before === after) return undefined;
  const wasJudged = isJudged(before);
  if (!isJudged(after)) return wasJudged ? "no-longer-judged" : undefined;
  if (after === "fail") return wasJudged ? "newly-failing" : "failing-not-judged-before";
  if (!wasJudged) return "newly-judged";
  if (before === "fail") return "fixed";
  return after === "warn" ? "new-warning" : undefined;
}

function isJudged(verdict: Seen): boolean {
  return verdict === "pass" || verdict === "fail" || verdict === "warn" || verdict === "notApplicable";
}

/** A SHOULD that is no longer judged does not count. */
export function weightOf({ kind, level }: Pick<VerdictChange, "kind" | "level">): ChangeWeight {
  return kind === "no-longer-judged" && level !== "must" ? "none" : changeKinds[kind].weight;
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
