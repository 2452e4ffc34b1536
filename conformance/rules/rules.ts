import { batchResponseRules } from "./batch-responses.ts";
import { errorResponseRules } from "./error-responses.ts";
import { everyResponseRules } from "./every-response.ts";
import { pageResponseRules } from "./page-responses.ts";
import { productResponseRules } from "./product-responses.ts";
import { retailerResponseRules } from "./retailer-responses.ts";
import type { Rule } from "./rule.ts";

export const rules: readonly Rule[] = [
  ...everyResponseRules,
  ...productResponseRules,
  ...retailerResponseRules,
  ...pageResponseRules,
  ...batchResponseRules,
  ...errorResponseRules,
];
