import { compiledOnce } from "../../conformance/response/compile-schema.ts";
import fieldNamesSchema from "../../schemas/field-names.schema.json" with { type: "json" };
import resultsSchema from "../../schemas/results.schema.json" with { type: "json" };

const compiled = compiledOnce(resultsSchema, {
  allErrors: true,
  schemas: [fieldNamesSchema],
  formats: { "date-time": (text: string) => !Number.isNaN(Date.parse(text)) },
});

/** Mistakes of a value by `schemas/results.schema.json`; empty when it fits. */
export function resultsMistakes(value: unknown): string[] {
  const validate = compiled();
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
}
