import { Ajv2020 } from "ajv/dist/2020.js";
import dialectSchema from "../../schemas/dialect.schema.json" with { type: "json" };
import resultsSchema from "../../schemas/results.schema.json" with { type: "json" };

/** Mistakes of a value by `schemas/results.schema.json`; empty when it fits. */
export function resultsMistakes(value: unknown): string[] {
  const ajv = new Ajv2020({
    allErrors: true,
    schemas: [dialectSchema],
    formats: { "date-time": (text: string) => !Number.isNaN(Date.parse(text)) },
  });
  const validate = ajv.compile(resultsSchema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
}
