import { Ajv2020 } from "ajv/dist/2020.js";
import type { Validators } from "../../../scenarios/lib/response-rules.ts";
import { product } from "../../../schemas/contracts/product.ts";
import { batchResult, errorBody, productList, retailers } from "../../../schemas/contracts/responses.ts";
import { documentOf, type Schema } from "../../../schemas/contracts/schema.ts";
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

const ajv = new Ajv2020({ strict: false });
const compiled = (schema: Schema) => ajv.compile(documentOf(schema));

/** The validators of a bundle, compiled here instead of there. */
export const loadValidators = {
  product: compiled(product),
  productList: compiled(productList),
  batchResult: compiled(batchResult),
  retailers: compiled(retailers),
  errorBody: compiled(errorBody),
} as Validators;
