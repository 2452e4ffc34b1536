import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";

type Schema = Record<string, unknown>;

/**
 * A function from a value to what breaks the schema: one line for each breach, naming the place in the value,
 * none when it is valid. Schemas that the schema refers to are given beside it.
 */
export function validator(schema: Schema, ...referred: readonly Schema[]): (value: unknown) => string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, schemas: [...referred] });
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? [] : unique((validate.errors ?? []).map(explain)));
}

function explain({ instancePath, message, params, keyword }: ErrorObject): string {
  const place = instancePath === "" ? "the body" : dotted(instancePath);
  if (keyword === "minLength") return `${place} is an empty string`;
  return `${place} ${message ?? "is invalid"}${keyword === "enum" ? ` ${JSON.stringify(params.allowedValues)}` : ""}`;
}

// JSON Pointer to the way a person names a place: /products/0/price -> products[0].price
function dotted(pointer: string): string {
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`),
      "",
    );
}

function unique(lines: readonly string[]): string[] {
  return [...new Set(lines)];
}
