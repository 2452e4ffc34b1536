import { Ajv2020, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { documentOf, type Schema } from "../../schemas/contracts/schema.ts";

// A run validates little with each schema, so code that is made faster saves more than faster code.
const compiledQuickly: Options = { inlineRefs: false, allowUnionTypes: true, code: { optimize: false } };

/**
 * Compiles a schema when it is first needed, since that takes longer than validating. The schema itself is
 * not validated, which would first compile the schema of JSON Schema: the tests validate all schemas.
 * @throws Error from the returned function if the schema uses an unknown keyword or format.
 */
export function compiledOnce<Value>(schema: Schema<Value>, options: Options): () => ValidateFunction<Value> {
  let validate: ValidateFunction<Value> | undefined;
  return () => {
    validate ??= new Ajv2020({
      ...compiledQuickly,
      ...options,
      meta: false,
      validateSchema: false,
    }).compile<Value>(documentOf(schema));
    return validate;
  };
}
