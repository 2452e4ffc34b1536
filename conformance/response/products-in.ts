import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { isObject, pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";

/** A product in a response. */
export interface ProductInBody {
  /** JSON Pointer to the product; empty when it is the whole body. */
  readonly path: string;
  readonly product: Product;
}

/** Every product in a response, on any lookup path (spec, Product). */
export function productsIn({ endpoint, response }: Exchange, fieldNames: FieldNames): ProductInBody[] {
  const { status, json } = response;
  if (status !== 200 || !isObject(json)) return [];
  switch (endpoint) {
    case "lookup-by-id":
    case "lookup-by-url":
    case "lookup-by-gtin":
      return [{ path: "", product: json }];
    case "category-page":
      return listed(json, "products", "");
    case "batch":
      return fieldNames.batchFoundField === undefined
        ? []
        : listed(json, fieldNames.batchFoundField, fieldNames.batchFoundProduct ?? "");
    case "retailers":
    case "other":
      return [];
    default:
      return endpoint satisfies never;
  }
}

function listed(body: Record<string, unknown>, field: string, inner: string): ProductInBody[] {
  const list = body[field];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown, index) => {
    const product = inner === "" ? entry : isObject(entry) ? entry[inner] : undefined;
    const path = inner === "" ? pointer(field, index) : pointer(field, index, inner);
    return isObject(product) ? [{ path, product }] : [];
  });
}

/** The product's identity as a field of a finding; empty when retailer or product_id is missing. */
export function identityOf({ retailer, product_id: productId }: Product): Pick<Finding, "product"> {
  return typeof retailer === "string" && typeof productId === "string"
    ? { product: { retailer, productId } }
    : {};
}
