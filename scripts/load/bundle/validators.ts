import { Ajv, type AnySchema } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import batchResult from "../../../schemas/batch-result.schema.json" with { type: "json" };
import errorBody from "../../../schemas/error-body.schema.json" with { type: "json" };
import present from "../../../schemas/present.schema.json" with { type: "json" };
import product from "../../../schemas/product.schema.json" with { type: "json" };
import productList from "../../../schemas/product-list.schema.json" with { type: "json" };

const exported = { product, present, productList, batchResult, errorBody };

/**
 * Source of the module `virtual:validators`: the response schemas, compiled by ajv. This keeps ajv itself, 3 MB for each
 * virtual user, out of the bundle.
 */
export function renderValidators(): string {
  // Not Ajv2020: its code also tracks evaluated properties, which no schema here needs.
  const ajv = new Ajv({
    code: { source: true, esm: true },
    // Lengths in UTF-16 units, and no check that numbers are finite. For these schemas and parsed JSON the result is the
    // same, and both checks cost time for every response.
    unicode: false,
    strictNumbers: false,
    messages: false,
    strict: false,
    logger: false,
  });
  // Without titles and descriptions, which every virtual user would hold, and without $schema.
  for (const schema of Object.values(exported)) ajv.addSchema(withoutTexts(schema) as AnySchema);
  const ids = Object.fromEntries(Object.entries(exported).map(([name, schema]) => [name, schema.$id]));
  const render = standalone as unknown as (ajv: Ajv, ids: Record<string, string>) => string;
  return `${readOnce(render(ajv, ids))}\nexport const validators = { ${Object.keys(exported).join(", ")} };\n`;
}

/**
 * Rewrites code of ajv, which reads each property twice, to read it once. In k6, each access to parsed JSON creates a new
 * value, which is most of the cost of a validation.
 */
export function readOnce(code: string): string {
  return code.replaceAll(
    /(?<!else )if\((data\d*)(\.\w+|\["[^"]+"\]) !== undefined\)\{let (data\d+) = \1\2;/g,
    "let $3 = $1$2;if($3 !== undefined){",
  );
}

function withoutTexts(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutTexts);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([key, value]) => !(["title", "description", "$schema"].includes(key) && typeof value === "string"),
      )
      .map(([key, value]) => [key, withoutTexts(value)]),
  );
}
