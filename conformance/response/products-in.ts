import { entriesOf, otherGtin } from "../../schemas/accounts.ts";
import type { FieldNames, Product } from "../../schemas/contracts/product.ts";
import { isObject } from "../../schemas/json.ts";
import { hasProductFields, looksLikeGtin, sameGtin, valuesAt } from "../../schemas/product-values.ts";
import { type Exchange, isDecodable } from "../client/exchange.ts";

export interface ProductInBody {
  /** JSON Pointer to the product; empty when it is the whole body. */
  readonly path: string;
  readonly product: Product;
}

/** Every product in a response, on any lookup path (spec, Product). */
export function productsIn({ endpoint, response }: Exchange, fieldNames: FieldNames): ProductInBody[] {
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
  const products = entriesOf(json, field, inner).map(({ path, entry }) => ({ path, product: entry }));
  known.set(json, { field, inner, products });
  return products;
}

/** Each rule and many checks look at each list. */
const known = new WeakMap<object, { field: string; inner: string | undefined; products: ProductInBody[] }>();

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
    .map((segment) => (isDecodable(segment) ? decodeURIComponent(segment) : segment));
  return { retailer, productId };
}

/** Whether a text is a GTIN-8, UPC-A, EAN-13 or GTIN-14 with a correct check digit. */
export function isGtin(text: string): boolean {
  return looksLikeGtin(text) && checkDigit(text.slice(0, -1)) === text.at(-1);
}

/** The check digit of a GTIN: weights 3 and 1 alternate from the right, and the sum is rounded up to ten. */
export function checkDigit(digits: string): string {
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 3 : 1), 0);
  return String((10 - (sum % 10)) % 10);
}

/** Whether a product has this GTIN where the target's products have theirs. */
export function carriesGtin(product: Product, gtin: string, { gtin: path }: FieldNames): boolean {
  return path !== undefined && valuesAt(product, path).some((value) => sameGtin(value, gtin));
}

/** Whether a product may have this GTIN: it shows it, or no other. Fields may be omitted (spec, Product). */
export function mayHaveGtin(product: Product, gtin: string, { gtin: path = "" }: FieldNames): boolean {
  return hasProductFields(product) && otherGtin(product, gtin, path).length === 0;
}
