import { entriesOf } from "../../schemas/accounts.ts";
import type { FieldNames, Product } from "../../schemas/contracts/product.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";

export interface ProductInBody {
  /** JSON Pointer to the product; empty when it is the whole body. */
  readonly path: string;
  readonly product: Product;
}

/**
 * Every product in a response, on any lookup path (spec, Product).
 * @param most looks at so many entries only
 */
export function productsIn(
  { endpoint, response }: Exchange,
  fieldNames: FieldNames,
  most?: number,
): ProductInBody[] {
  const { status, json } = response;
  if (status !== 200 || !isObject(json)) return [];
  if (endpoint.startsWith("lookup-")) return [{ path: "", product: json }];
  const { batchFoundField, batchFoundProduct } = fieldNames;
  const [field, inner] =
    endpoint === "category-page"
      ? ["products"]
      : endpoint === "batch"
        ? [batchFoundField, batchFoundProduct]
        : [];
  if (field === undefined) return [];
  const kept = known.get(json);
  if (kept?.field === field && kept.inner === inner) return kept.products;
  const products = entriesOf(json, field, inner, most).map(({ path, entry }) => ({ path, product: entry }));
  const list = json[field];
  // Each rule and many checks look at each list. Huge ones would fill the memory.
  if (Array.isArray(list) && list.length <= mostToChooseFrom) known.set(json, { field, inner, products });
  return products;
}

const known = new WeakMap<object, { field: string; inner: string | undefined; products: ProductInBody[] }>();

/** Most products of a response that checks choose from and compare. The rules judge all of them. */
export const mostToChooseFrom = 2000;

/** The first products: a page may have 100,000, and each check looks at all pages of the run. */
export function someProductsIn(exchange: Exchange, fieldNames: FieldNames): ProductInBody[] {
  return productsIn(exchange, fieldNames, mostToChooseFrom);
}

/** Whether a product names another retailer than the expected one. */
export function isOfAnotherRetailer(product: unknown, { retailer }: { readonly retailer: string }): boolean {
  return isObject(product) && typeof product.retailer === "string" && product.retailer !== retailer;
}

/** The retailer and id that a lookup by id requests, as far as its URL can be decoded. */
export function requestedById({ request }: Pick<Exchange, "request">) {
  const [retailer = "", productId = ""] = request.url
    .replace(/[?#].*/, "")
    .split("/")
    .slice(-2)
    .map(decoded);
  return { retailer, productId };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
