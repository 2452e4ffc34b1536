import { errorAnswerRules } from "./error-answers.ts";
import { productAnswerRules } from "./product-answers.ts";
import type { Rule } from "./rule.ts";

/** Every passive rule. */
export const rules: readonly Rule[] = [...productAnswerRules, ...errorAnswerRules];
