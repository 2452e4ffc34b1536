import type { Exchange } from "../client/exchange.ts";
import { type Outcome, passed } from "../engine/outcome.ts";
import type { Rule, RuleFacts } from "./rule.ts";

/** Exchanges shown for a broken rule; the count says how many there were. */
const shown = 3;

/**
 * Outcome of a rule over all exchanges of a run. Breaches with one cause in many places are one finding with
 * a count: the reason names the first, the evidence shows a few.
 */
export function judgeAll(rule: Rule, exchanges: readonly Exchange[], facts: RuleFacts): Outcome {
  const judged = exchanges.flatMap((exchange) => {
    const breaches = rule.judge(exchange, facts);
    return breaches === undefined ? [] : [{ exchange, breaches }];
  });
  const guilty = judged.filter(({ breaches }) => breaches.length > 0);
  const [first] = guilty;
  if (first !== undefined) {
    const occurrences = guilty.reduce((sum, { breaches }) => sum + breaches.length, 0);
    return {
      kind: "fail",
      reason: `${first.breaches.slice(0, shown).join("; ")} (in ${guilty.length} of ${judged.length} answers)`,
      evidence: guilty.slice(0, shown).map(({ exchange }) => exchange),
      occurrences,
    };
  }
  if (judged.length > 0) return passed(`held in ${judged.length} answers`);
  return rule.unmet.kind === "notApplicable"
    ? rule.unmet
    : { ...rule.unmet, reason: "no answer of this run concerned it" };
}
