import type { Finding } from "./contracts/finding.ts";
import { type Product, productFields } from "./contracts/product.ts";
import { isObject, pointer } from "./json.ts";

// The values of one product by themselves, and their places. The suite and the load judge them with the same functions.

/** Formats of text fields; null and empty strings are judged elsewhere. */
const formats = {
  currency: ["currency-code", (text) => /^[A-Za-z]{3,5}$|^\d{3}$/.test(text)],
  product_url: ["url", isUrl],
  last_updated: ["utc-timestamp", isUtcTimestamp],
} as const satisfies Partial<
  Record<keyof Product, readonly [expected: string, holds: (text: string) => boolean]>
>;

type FormattedField = keyof typeof formats;
export const formattedFields = Object.keys(formats) as FormattedField[];

/** The finding on a text field of a product that has not the format of that field. */
export function wrongFormat(product: Product, field: FormattedField): Finding[] {
  const { [field]: value } = product;
  const [expected, holds] = formats[field];
  return typeof value !== "string" || value === "" || holds(value)
    ? []
    : [{ code: "wrong-format", path: pointer(field), expected, actual: value }];
}

/** Without a scheme it still names a page. Not with `URL`, which k6 does not have. */
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

// Date and time of ISO 8601, extended (2026-11-21T08:34:22Z) or basic (20261121T083422Z). The day may be of a
// year (2026-325) or of a week (2026-W47-6), whose existence is not judged. Minutes and seconds are optional,
// the last part may have a fraction. The zone must be UTC: Z or a zero offset. k6 1.x names no groups.
const extended =
  /^(\d{4})-(?:(\d{2})-(\d{2})|\d{3}|W\d{2}-[1-7])[Tt](\d{2})(?::(\d{2})(?::(\d{2}))?)?(?:[.,](\d+))?(?:[Zz]|[+-]00(?::?00)?)$/;
const basic =
  /^(\d{4})(?:(\d{2})(\d{2})|\d{3}|W\d{2}[1-7])[Tt](\d{2})(?:(\d{2})(\d{2})?)?(?:[.,](\d+))?(?:[Zz]|[+-]00(?:00)?)$/;

/** An ISO 8601 timestamp in UTC with an existing date and time (spec, Product, `last_updated`). */
export function isUtcTimestamp(text: string): boolean {
  const match: (string | undefined)[] | null = extended.exec(text) ?? basic.exec(text);
  if (match === null) return false;
  const [, year, month, day, hour, minute = "0", second = "0", fraction = "0"] = match;
  // Month and day beyond their range carry over into another month.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (month !== undefined && date.getUTCMonth() !== Number(month) - 1) return false;
  // 24:00 is the end of the day.
  if (hour === "24") return [minute, second, fraction].every((part) => Number(part) === 0);
  // Second 60 is a leap second, which UTC has only at the end of a day.
  const lastSecond = hour === "23" && minute === "59" ? 60 : 59;
  return Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= lastSecond;
}

/** A scalar, a list or an object in a product. */
export interface ProductPlace {
  /** In dot notation, such as `identifiers[].value`. */
  readonly path: string;
  /** JSON Pointer. */
  readonly at: string;
  readonly value: unknown;
}

/** Everything in a product, at any depth. */
export function placesIn(product: unknown): ProductPlace[] {
  const places: ProductPlace[] = [];
  function look(value: unknown, path: string, at: string): void {
    if (at !== "") places.push({ path, at, value });
    if (Array.isArray(value))
      for (const [index, inner] of value.entries()) look(inner, `${path}[]`, at + pointer(index));
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value))
        look(inner, path === "" ? name : `${path}.${name}`, at + pointer(name));
  }
  look(product, "", "");
  return places;
}

/** Every scalar of a product, at any depth. */
export function leavesOf(product: unknown): ProductPlace[] {
  return placesIn(product).filter(({ value }) => typeof value !== "object" || value === null);
}

/** The scalars at one path, as strings. */
export function valuesAt(product: unknown, path: string): string[] {
  return leavesOf(product)
    .filter((leaf) => leaf.path === path)
    .map(({ value }) => String(value));
}
