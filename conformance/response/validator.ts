import type { ErrorObject } from "ajv/dist/2020.js";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Schema } from "../../schemas/contracts/schema.ts";
import { pointer } from "../../schemas/json.ts";
import { actual } from "./body-findings.ts";
import { compiledOnce } from "./compile-schema.ts";

/**
 * Makes a function of a schema that returns the findings on a value: one for each place and kind, none when it
 * is valid.
 */
export function validator(schema: Schema): (value: unknown) => Finding[] {
  const compiled = compiledOnce(schema, {
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    verbose: true,
  });
  return (value) => {
    const validate = compiled();
    return validate(value) ? [] : unique((validate.errors ?? []).map(findingOf));
  };
}

function findingOf({ instancePath: path, keyword, params, data }: ErrorObject): Finding {
  switch (keyword) {
    case "required":
      return { code: "missing-field", path: path + pointer(String(params.missingProperty)) };
    case "minLength":
      return { code: "empty-string", path };
    case "type": {
      if (data === null) return { code: "null-value", path };
      // The schema allows null only because another rule judges it.
      const types = [params.type].flat().filter((type) => type !== "null");
      return { code: "wrong-type", path, expected: types.length === 1 ? types[0] : types, ...actual(data) };
    }
    default:
      return { code: "wrong-format", path, expected: params.allowedValues ?? keyword, ...actual(data) };
  }
}

function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.code} ${finding.path}`, finding])).values()];
}
