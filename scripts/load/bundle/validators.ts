import { Ajv, type AnySchema } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import batchResult from "../../../schemas/batch-result.schema.json" with { type: "json" };
import errorBody from "../../../schemas/error-body.schema.json" with { type: "json" };
import present from "../../../schemas/present.schema.json" with { type: "json" };
import product from "../../../schemas/product.schema.json" with { type: "json" };
import productList from "../../../schemas/product-list.schema.json" with { type: "json" };
import retailer from "../../../schemas/retailer.schema.json" with { type: "json" };
import retailers from "../../../schemas/retailers.schema.json" with { type: "json" };

const exported = { product, present, productList, batchResult, errorBody, retailers };

/**
 * Text of the module `virtual:validators`: the response schemas compiled by ajv, so that the compiler
 * itself, at 3 MB a virtual user, stays out of the bundle.
 */
export function renderValidators(): string {
  // Not the compiler of 2020-12: its code keeps notes for keywords that no schema here has.
  const ajv = new Ajv({
    code: { source: true, esm: true },
    // Lengths in UTF-16 units and numbers without a test for finiteness: no schema here can tell the
    // difference on parsed JSON, and both cost time on every answer.
    unicode: false,
    strictNumbers: false,
    messages: false,
    strict: false,
    logger: false,
  });
  // Without the texts for people, which each virtual user would hold, and without the name of the draft.
  for (const schema of [retailer, ...Object.values(exported)])
    ajv.addSchema(withoutTexts(schema) as AnySchema);
  const ids = Object.fromEntries(Object.entries(exported).map(([name, schema]) => [name, schema.$id]));
  const render = standalone as unknown as (ajv: Ajv, ids: Record<string, string>) => string;
  return `${readOnce(render(ajv, ids))}\nexport const validators = { ${Object.keys(exported).join(", ")} };\n`;
}

/**
 * ajv looks whether a property is there, and then reads it again. In k6 each reading of parsed JSON makes a new
 * value, which is most of what a validation costs: here each property is read once.
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
