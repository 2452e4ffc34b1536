import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import batchResult from "../../schemas/batch-result.schema.json" with { type: "json" };
import errorBody from "../../schemas/error-body.schema.json" with { type: "json" };
import present from "../../schemas/present.schema.json" with { type: "json" };
import product from "../../schemas/product.schema.json" with { type: "json" };
import productList from "../../schemas/product-list.schema.json" with { type: "json" };
import retailer from "../../schemas/retailer.schema.json" with { type: "json" };
import retailers from "../../schemas/retailers.schema.json" with { type: "json" };

const exported = { product, present, productList, batchResult, errorBody, retailers };

/**
 * Text of the module `virtual:validators`: the response schemas compiled by ajv, so that the compiler
 * itself, at 3 MB a virtual user, stays out of the bundle.
 */
export function renderValidators(): string {
  const ajv = new Ajv2020({
    code: { source: true, esm: true },
    // Lengths in UTF-16 units and numbers without a test for finiteness: no schema here can tell the
    // difference on parsed JSON, and both cost time on every answer.
    unicode: false,
    strictNumbers: false,
    messages: false,
    strict: false,
    logger: false,
  });
  ajv.addSchema(retailer);
  for (const schema of Object.values(exported)) ajv.addSchema(schema);
  const ids = Object.fromEntries(Object.entries(exported).map(([name, schema]) => [name, schema.$id]));
  const render = standalone as unknown as (ajv: Ajv2020, ids: Record<string, string>) => string;
  return `${render(ajv, ids)}\nexport const validators = { ${Object.keys(exported).join(", ")} };\n`;
}
