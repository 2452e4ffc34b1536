import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { product } from "../../../schemas/contracts/product.ts";
import { batchResult, errorBody, productList, retailers } from "../../../schemas/contracts/responses.ts";
import { documentOf } from "../../../schemas/contracts/schema.ts";

const exported = { product, productList, batchResult, retailers, errorBody };

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
  const { $defs } = documentOf({ anyOf: Object.values(exported) });
  ajv.addSchema({ $id: "responses", $defs });
  const ids = Object.fromEntries(
    Object.entries(exported).map(([name, { $ref }]) => [name, `responses${$ref}`]),
  );
  const render = standalone as unknown as (ajv: Ajv, ids: Record<string, string>) => string;
  return `${render(ajv, ids)}\nexport const validators = { ${Object.keys(exported).join(", ")} };\n`;
}
