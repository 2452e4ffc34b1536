import { askedAnswerRules } from "./asked-answers.ts";
import { batchAnswerRules } from "./batch-answers.ts";
import { errorAnswerRules } from "./error-answers.ts";
import { everyResponseRules } from "./every-response.ts";
import { pageAnswerRules } from "./page-answers.ts";
import { productAnswerRules } from "./product-answers.ts";
import { retailerAnswerRules } from "./retailer-answers.ts";
import type { Rule } from "./rule.ts";

/** Every passive rule. */
export const rules: readonly Rule[] = [
  ...everyResponseRules,
  ...productAnswerRules,
  ...retailerAnswerRules,
  ...pageAnswerRules,
  ...askedAnswerRules,
  ...batchAnswerRules,
  ...errorAnswerRules,
];
