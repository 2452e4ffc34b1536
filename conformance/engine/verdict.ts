import type { CheckResult, Waiver } from "../../schemas/types.ts";
import { verdictLabels } from "../../schemas/verdicts.ts";
import type { Level } from "../requirements/requirement.ts";
import type { Check } from "./check.ts";
import type { Outcome } from "./outcome.ts";

export type Verdict = CheckResult["verdict"];

/**
 * The one rule from outcome to verdict. A failed MUST fails; a failed SHOULD or MAY warns; a waiver turns a failure, and
 * what was not judged, into a warning and hides nothing else. The harness's own crash is never blamed on the target.
 */
export function verdictOf(level: Level, outcome: Outcome["kind"], waiver?: Pick<Waiver, "id">): Verdict {
  if (outcome === "fail" && level !== "must") return "warn";
  return waiver !== undefined && isWaivable(outcome) ? "warn" : outcome;
}

/**
 * Verdict of a requirement from those of its checks, the one of most concern: a failure is not hidden by a crash of the
 * harness, and one check that was not judged makes the whole not judged.
 */
export function verdictOfAll(verdicts: readonly Verdict[]): Verdict {
  const byConcern = Object.keys(verdictLabels) as Verdict[];
  return byConcern.find((verdict) => verdicts.includes(verdict)) ?? "inconclusive";
}

/** The waiver that covers a check: its own, or that of its requirement. */
export function waiverFor(
  { id, requirement }: Pick<Check, "id" | "requirement">,
  waivers: readonly Waiver[],
): Waiver | undefined {
  return waivers.find((waiver) => waiver.id === id || waiver.id === requirement);
}

/** Whether there is anything in an outcome for a waiver to waive: it hides nothing else. */
export function isWaivable(kind: Outcome["kind"]): boolean {
  return kind === "fail" || kind === "inconclusive";
}
