import { itemName } from "./accounts.ts";
import type { Finding } from "./contracts/finding.ts";
import { pointer } from "./json.ts";

// What may not stand for a field without a value: "Fields that a retailer did not provide are omitted from
// the response." The suite and the load judge it with the same table.

/** Whether the spec forbids a value, or a retailer's own data may look like it. */
export type Strictness = "must" | "should";

/** Texts that languages make of a missing value. */
const texts: ReadonlySet<unknown> = new Set([
  "null",
  "NULL",
  "undefined",
  "NaN",
  "nan",
  "None",
  "nil",
  "N/A",
  "n/a",
  "[object Object]",
]);

/** The times that languages have for no time: the first second of the year 1, or of 1970. */
const noTime = /^(0001|1970)-?01-?01T00:?00(:?00([.,]0+)?)?(Z|[+-]00(:?00)?)$/i;

/** Fields that identify a product: their texts may be anything. */
const identity: ReadonlySet<string> = new Set(["retailer", "product_id", "product_url"]);

interface Place {
  /** The field of the product. */
  readonly field: string;
  /** Whether it is that field itself. */
  readonly isField: boolean;
}

/** What a value is that stands for none, and how strictly; undefined for any other. */
function noValue(
  value: unknown,
  { field, isField }: Place,
  prices: SharedPrices,
): readonly [code: "null-value" | "empty-string" | "stand-in", Strictness] | undefined {
  if (value === null) return ["null-value", "must"];
  if (value === "") return ["empty-string", "must"];
  if (typeof value === "string") {
    const isYearOne = value.startsWith("0001");
    // An expression takes k6 many times as long.
    const isNoTime = (isYearOne || value.startsWith("1970")) && noTime.test(value);
    // No product was updated in the year 1.
    if (isYearOne && isNoTime) return ["stand-in", "must"];
    const isFree = !identity.has(field);
    const isText = isFree && (texts.has(value) || value.trim() === "");
    return isText || isNoTime ? ["stand-in", "should"] : undefined;
  }
  if (!isField) return undefined;
  // One product may cost less than nothing, such as a voucher; several do not do so by the same amount.
  if (field === "price" && typeof value === "number" && value < 0)
    return ["stand-in", prices.isShared(value) ? "must" : "should"];
  const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
  return isEmpty ? ["stand-in", "should"] : undefined;
}

/** The findings on values of a product, at any depth, that stand where nothing should. */
export function noValuesIn(product: unknown, strictness: Strictness, prices: SharedPrices): Finding[] {
  const findings: Finding[] = [];
  function look(values: object, around: string, field?: string): void {
    for (const [name, value] of Object.entries(values)) {
      const place = { field: field ?? name, isField: field === undefined };
      const [code, how] = noValue(value, place, prices) ?? [];
      const isFound = code !== undefined && how === strictness;
      if (!isFound && (typeof value !== "object" || value === null)) continue;
      const path = around + pointer(name);
      if (!isFound) look(value, path, place.field);
      else findings.push(code === "stand-in" ? { code, path, actual: value } : { code, path });
    }
  }
  look(product ?? {}, "");
  return findings;
}

/** Fewest products that do not cost less than nothing by chance. */
const fewestSharing = 3;

/** Which prices below zero several products have. */
export type SharedPrices = ReturnType<typeof createSharedPrices>;

export function createSharedPrices() {
  const products = new Map<number, Set<string>>();
  const isShared = (price: number) => (products.get(price)?.size ?? 0) >= fewestSharing;
  return {
    isShared,
    /** Notes the price of a product. */
    note(product: Readonly<Record<string, unknown>>): void {
      const { price } = product;
      if (typeof price !== "number" || price >= 0 || isShared(price)) return;
      const name = itemName(product);
      if (name !== undefined) products.set(price, (products.get(price) ?? new Set()).add(name));
    },
  };
}
