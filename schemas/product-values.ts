import type { Finding } from "./contracts/finding.ts";
import { type Product, productFields } from "./contracts/product.ts";
import { isObject, pointer } from "./json.ts";
import { isUtcTimestamp } from "./timestamp.ts";

// What can be said of the values of one product by themselves. The suite and the load judge them with the same functions.

/** Formats of text fields; null and empty strings are judged elsewhere. */
const formats = {
  currency: ["currency-code", (text) => /^[A-Za-z]{3,5}$|^\d{3}$/.test(text)],
  product_url: ["url", isUrl],
  last_updated: ["utc-timestamp", isUtcTimestamp],
} as const satisfies Partial<
  Record<keyof Product, readonly [expected: string, holds: (text: string) => boolean]>
>;

export type FormattedField = keyof typeof formats;
export const formattedFields = Object.keys(formats) as FormattedField[];

/** The finding on a text field of a product that has not the format of that field. */
export function wrongFormat(product: Product, field: FormattedField): Finding[] {
  const { [field]: value } = product;
  const [expected, holds] = formats[field];
  return typeof value !== "string" || value === "" || holds(value)
    ? []
    : [{ code: "wrong-format", path: pointer(field), expected, actual: value }];
}

/** Whether a text is a URL. Without a scheme it still names a page. Not with `URL`, which k6 does not have. */
function isUrl(text: string): boolean {
  return (
    /^(https?:|ftp:|wss?:)?[/\\]{2}[^\s/?#\\]+([/?#\\]|$)/i.test(text.trim()) ||
    /^(?!(https?|ftp|wss?):)[a-z][a-z\d+.-]*:./i.test(text.trim()) ||
    /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(text)
  );
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

/** Whether an object has any product field of the spec. */
export function hasProductFields(body: Record<string, unknown>): boolean {
  return fieldNames.some((field) => field in body);
}

function looksLikeProduct(value: unknown): boolean {
  return isObject(value) && fieldNames.filter((field) => field in value).length >= 2;
}

const lengthsOfGtins = new Set([8, 12, 13, 14]);

/** Whether a text has the form of a GTIN, with or without a correct check digit. */
export function looksLikeGtin(text: string): boolean {
  return /^\d+$/.test(text) && lengthsOfGtins.has(text.length);
}

/** A GTIN without leading zeros: a UPC-A is an EAN-13 with one, and so on up to GTIN-14. */
export function plainGtin(gtin: string): string {
  return gtin.replace(/^0+/, "");
}

export function sameGtin(one: string, other: string): boolean {
  return plainGtin(one) === plainGtin(other);
}
