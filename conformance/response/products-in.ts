import productSchema from "../../schemas/product.schema.json" with { type: "json" };
import type { Dialect, Product } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";

/** A product as it stands in an answer. */
export interface SeenProduct {
  /** Where in the body, for messages: `products[3]`; empty when it is the body. */
  readonly at: string;
  readonly product: Product;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every product that an answer carries, on any of the ways to look one up (spec, Product: "every lookup path"). */
export function productsIn({ endpoint, response }: Exchange, dialect: Dialect): SeenProduct[] {
  const { status, json } = response;
  if (status !== 200 || !isObject(json)) return [];
  switch (endpoint) {
    case "lookup-by-id":
    case "lookup-by-url":
    case "lookup-by-gtin":
      return [{ at: "", product: json }];
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
    const at = inner === "" ? `${field}[${index}]` : `${field}[${index}].${inner}`;
    return isObject(product) ? [{ at, product }] : [];
  });
}

const productFields = Object.keys(productSchema.properties);

/**
 * What is around a product where the product itself belongs: `under "data"`, `in a list`. Empty for a product,
 * and for a body in which none is to be seen.
 */
export function wrappingsOf(body: unknown): string[] {
  if (Array.isArray(body)) return ["it is a list"];
  if (!isObject(body) || hasProductFields(body)) return [];
  return Object.entries(body).flatMap(([name, inner]) => {
    if (looksLikeProduct(inner)) return [`the product sits under ${JSON.stringify(name)}`];
    return Array.isArray(inner) && inner.some(looksLikeProduct)
      ? [`the product sits in a list under ${JSON.stringify(name)}`]
      : [];
  });
}

/** Whether an object has any field that the spec gives to a product. */
export function hasProductFields(body: Record<string, unknown>): boolean {
  return productFields.some((field) => field in body);
}

function looksLikeProduct(value: unknown): boolean {
  return isObject(value) && productFields.filter((field) => field in value).length >= 2;
}
