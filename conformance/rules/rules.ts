import { agreeingFactRules } from "./agreeing-facts.ts";
import { batchResponseRules } from "./batch-responses.ts";
import { errorResponseRules } from "./error-responses.ts";
import { everyResponseRules } from "./every-response.ts";
import { pageResponseRules } from "./page-responses.ts";
import { productResponseRules } from "./product-responses.ts";
import { requestedProductRules } from "./requested-products.ts";
import { retailerResponseRules } from "./retailer-responses.ts";
import type { Rule } from "./rule.ts";

/** Every passive rule. */
export const rules: readonly Rule[] = [
  ...everyResponseRules,
  ...productResponseRules,
  ...retailerResponseRules,
  ...pageResponseRules,
  ...requestedProductRules,
  ...batchResponseRules,
  ...agreeingFactRules,
  ...errorResponseRules,
];
