import type { Drift } from "../../../schemas/types.ts";
import { type DriftRuleId, driftRules } from "./rules.ts";

/** A change under a rule, which gives it its kind and rank. */
export function change(
  rule: DriftRuleId,
  told: Pick<Drift, "subject" | "statement"> & Partial<Pick<Drift, "before" | "after">>,
): Drift {
  const { rank, kind } = driftRules[rule];
  return { rank, kind, rule, ...told };
}
