import { isUtf8 } from "node:buffer";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { gtinNumber } from "../query/gtin.ts";
import { pageAddress } from "../query/product-url.ts";
import schema from "./line.schema.json" with { type: "json" };
import type { CatalogueLine, ProductLine, RetailerLine } from "./line.ts";

/** What is wrong with a line. */
export class BadLine extends Error {
  override readonly name = "BadLine";
}

/** Makes a reader of catalogue lines, which throws BadLine for what is no retailer and no product. */
export function createLineReader(): (line: Buffer) => CatalogueLine {
  const ajv = new Ajv2020({ allowUnionTypes: true }).addSchema(schema);
  const isRetailer: ValidateFunction<RetailerLine> = ajv.compile({ $ref: `${schema.$id}#/$defs/retailer` });
  const isProduct: ValidateFunction<ProductLine> = ajv.compile({ $ref: `${schema.$id}#/$defs/product` });
  return (line) => {
    const value = parse(line);
    const kind = typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
    switch (kind) {
      case "retailer":
        if (isRetailer(value)) return value;
        throw new BadLine(ajv.errorsText(isRetailer.errors, { dataVar: "retailer" }));
      case "product":
        if (!isProduct(value)) throw new BadLine(ajv.errorsText(isProduct.errors, { dataVar: "product" }));
        checkValues(value);
        return value;
      default:
        throw new BadLine('`kind` is neither "retailer" nor "product"');
    }
  };
}

function parse(line: Buffer): unknown {
  if (!isUtf8(line)) throw new BadLine("not UTF-8");
  try {
    return JSON.parse(line.toString());
  } catch {
    throw new BadLine("not JSON");
  }
}

/** What a schema cannot say. */
function checkValues({ gtin, product_url, last_updated, product_id }: ProductLine): void {
  if (typeof gtin === "string" && gtin !== "" && gtinNumber(gtin) === undefined) {
    throw new BadLine("`gtin` is not 8, 12, 13 or 14 digits with a right check digit");
  }
  if (typeof product_url === "string" && product_url !== "" && pageAddress(product_url) === undefined) {
    throw new BadLine("`product_url` is not an absolute http or https URL");
  }
  if (typeof last_updated === "string" && last_updated !== "" && Number.isNaN(Date.parse(last_updated))) {
    throw new BadLine("`last_updated` is no point in time");
  }
  if (!product_id.isWellFormed()) throw new BadLine("`product_id` is not well-formed Unicode");
}
