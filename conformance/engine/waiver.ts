import type { Waiver } from "../../schemas/types.ts";
import type { Check } from "./check.ts";
import type { Outcome } from "./outcome.ts";

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
