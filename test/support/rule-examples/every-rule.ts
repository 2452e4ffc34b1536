import { batchExamples } from "./batches.ts";
import { errorExamples } from "./errors.ts";
import type { ExamplesByRule } from "./example.ts";
import { listExamples } from "./lists.ts";
import { productExamples } from "./products.ts";

/** The examples of every rule, by its id. */
export const ruleExamples: ExamplesByRule = {
  ...errorExamples,
  ...productExamples,
  ...listExamples,
  ...batchExamples,
};
