import productSchema from "../../schemas/product.schema.json" with { type: "json" };
import type { Dialect, Finding, Product } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { isObject, pointer } from "./body-path.ts";

/** A product as it stands in a response. */
export interface SeenProduct {
  /** Where in the body, as a JSON Pointer; empty when it is the body. */
  readonly path: string;
  readonly product: Product;
}

/** Every product that a response carries, on any of the ways to look one up (spec, Product: "every lookup path"). */
export function productsIn({ endpoint, response }: Exchange, dialect: Dialect): SeenProduct[] {
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
      return dialect.batchFoundField === undefined
        ? []
        : listed(json, dialect.batchFoundField, dialect.batchFoundProduct ?? "");
    case "retailers":
    case "other":
      return [];
    default:
      return endpoint satisfies never;
  }
}

function listed(body: Record<string, unknown>, field: string, inner: string): SeenProduct[] {
  const list = body[field];
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown, index) => {
    const product = inner === "" ? entry : isObject(entry) ? entry[inner] : undefined;
    const path = inner === "" ? pointer(field, index) : pointer(field, index, inner);
    return isObject(product) ? [{ path, product }] : [];
  });
}

const productFields = Object.keys(productSchema.properties);

/** What is around a product where the product itself belongs; nothing for a product, and for a body that shows none. */
export function wrappingsOf(body: unknown): Finding[] {
  if (Array.isArray(body)) return [{ code: "wrapped-product", path: "" }];
  if (!isObject(body) || hasProductFields(body)) return [];
  return Object.entries(body).flatMap(([name, inner]): Finding[] => {
    if (looksLikeProduct(inner)) return [{ code: "wrapped-product", path: pointer(name) }];
    const index = Array.isArray(inner) ? inner.findIndex(looksLikeProduct) : -1;
    return index < 0 ? [] : [{ code: "wrapped-product", path: pointer(name, index) }];
  });
}

/** Which product it is, for a finding that concerns it; nothing where the product does not say. */
export function identityOf({ retailer, product_id: productId }: Product): Pick<Finding, "product"> {
  return typeof retailer === "string" && typeof productId === "string"
    ? { product: { retailer, productId } }
    : {};
}

/** Whether an object has any field that the spec gives to a product. */
export function hasProductFields(body: Record<string, unknown>): boolean {
  return productFields.some((field) => field in body);
}

function looksLikeProduct(value: unknown): boolean {
  return isObject(value) && productFields.filter((field) => field in value).length >= 2;
}
