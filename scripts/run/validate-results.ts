import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import dialectSchema from "../../schemas/dialect.schema.json" with { type: "json" };
import resultsSchema from "../../schemas/results.schema.json" with { type: "json" };

/** The compiled schema. Compiling takes longer than validating, so it is done once, when it is needed. */
function compiled(): ValidateFunction {
  validator ??= new Ajv2020({
    allErrors: true,
    schemas: [dialectSchema],
    formats: { "date-time": (text: string) => !Number.isNaN(Date.parse(text)) },
  }).compile(resultsSchema);
  return validator;
}
let validator: ValidateFunction | undefined;

/** Mistakes of a value by `schemas/results.schema.json`; empty when it fits. */
export function resultsMistakes(value: unknown): string[] {
  const validate = compiled();
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
}
