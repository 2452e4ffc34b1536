import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import type { Schema } from "../../schemas/contracts/schema.ts";
import { isObject, jsonType, shownValue, valueAt } from "../../schemas/json.ts";

/** `actual` of a finding; empty for undefined. */
export function actual(value: unknown): { actual?: unknown } {
  return value === undefined ? {} : { actual: shownValue(value) };
}

type TypeFinding = FindingOf<"missing-field" | "null-value" | "wrong-type">;

/** Findings unless the value at a path has one of these types. */
export function unlessType(body: unknown, path: string, type: JsonType): TypeFinding[] {
  const value = valueAt(body, path);
  if (value === undefined) return missing(body, path, type);
  if (value === null) return [{ code: "null-value", path }];
  return jsonType(value) === type ? [] : [{ code: "wrong-type", path, expected: type, ...actual(value) }];
}

/** That a field is missing; if what should contain it is no object or is missing too, that is the fact. */
function missing(body: unknown, path: string, expected: JsonType): TypeFinding[] {
  const around = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  return path === "" || isObject(valueAt(body, around))
    ? [{ code: "missing-field", path, expected }]
    : unlessType(body, around, "object");
}

/** Findings unless the value at a path is a counter: an integer of zero or more. */
export function unlessCount(body: unknown, path: string): Finding[] {
  const value = valueAt(body, path);
  if (typeof value !== "number") return unlessType(body, path, "number");
  return Number.isInteger(value) && value >= 0
    ? []
    : [{ code: "wrong-format", path, expected: "count", actual: value }];
}

type JsonType = "string" | "number" | "boolean" | "array" | "object";

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
    }).compile<Value>(schema);
    return validate;
  };
}

/** A function that returns the findings on the values of a schema that have another type than it says, and are not null. */
export function typeValidator(schema: Schema): (value: unknown) => Finding[] {
  // 1e400 is a number in JSON. That parsers read it in different ways is a warning of its own.
  const compiled = compiledOnce(schema, {
    strictNumbers: false,
    allErrors: true,
    strict: true,
    verbose: true,
  });
  return (value) => {
    const validate = compiled();
    return validate(value) ? [] : (validate.errors ?? []).map(wrongType);
  };
}

/** The schema allows null only because another rule judges it. */
function wrongType({ instancePath: path, params, data }: ErrorObject): Finding {
  const [expected] = [params.type].flat();
  return { code: "wrong-type", path, expected, ...actual(data) };
}
