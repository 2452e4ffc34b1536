import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { type Product, productFields } from "../../schemas/contracts/product.ts";
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

const fieldNames = Object.keys(productFields);

/** Findings on a body that wraps the product; none when the body is the product or has none. */
export function wrappingsOf(body: unknown): Finding[] {
  if (Array.isArray(body)) return [{ code: "wrapped-product", path: "" }];
  if (!isObject(body) || hasProductFields(body)) return [];
  return Object.entries(body).flatMap(([name, inner]): Finding[] => {
    if (looksLikeProduct(inner)) return [{ code: "wrapped-product", path: pointer(name) }];
    const index = Array.isArray(inner) ? inner.findIndex(looksLikeProduct) : -1;
    return index < 0 ? [] : [{ code: "wrapped-product", path: pointer(name, index) }];
  });
}

/** The product's identity as a field of a finding; empty when retailer or product_id is missing. */
export function identityOf({ retailer, product_id: productId }: Product): Pick<Finding, "product"> {
  return typeof retailer === "string" && typeof productId === "string"
    ? { product: { retailer, productId } }
    : {};
}

/** Whether an object has any product field of the spec. */
export function hasProductFields(body: Record<string, unknown>): boolean {
  return fieldNames.some((field) => field in body);
}

function looksLikeProduct(value: unknown): boolean {
  return isObject(value) && fieldNames.filter((field) => field in value).length >= 2;
}
