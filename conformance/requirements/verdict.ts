import type { Waiver } from "../../schemas/contracts/config.ts";
import { type Verdict, verdictLabels } from "../../schemas/contracts/verdicts.ts";
import type { Level } from "./requirement.ts";

/**
 * A failed MUST fails; a failed SHOULD or MAY is a warning. A waiver turns a failure, or a check that was not
 * judged, into a warning, and nothing else. An error of the harness is never blamed on the target.
 */
export function verdictOf(level: Level, outcome: Verdict, waiver?: Pick<Waiver, "id">): Verdict {
  if (outcome === "fail" && level !== "must") return "warn";
  return waiver !== undefined && isWaivable(outcome) ? "warn" : outcome;
}

/** The most serious one. A failure outranks an error of the harness; not judged outranks passed. */
export function verdictOfAll(verdicts: readonly Verdict[]): Verdict {
  const byConcern = Object.keys(verdictLabels) as Verdict[];
  return byConcern.find((verdict) => verdicts.includes(verdict)) ?? "inconclusive";
}

/** The waiver for a check or for its requirement. */
export function waiverFor(id: string, waivers: readonly Waiver[]): Waiver | undefined {
  return waivers.find((waiver) => waiverCovers(waiver.id, id));
}

/** Whether the id of a waiver is that of a check or of its requirement. */
export function waiverCovers(waiverId: string, id: string): boolean {
  return waiverId === id || id.startsWith(`${waiverId}/`);
}

export function isWaivable(kind: Verdict): boolean {
  return kind === "fail" || kind === "inconclusive";
}
