import { itemName } from "./accounts.ts";
import type { Finding } from "./contracts/finding.ts";
import { pointer } from "./json.ts";
import { isYearOne } from "./timestamp.ts";

// What a product must not have in place of a field that its retailer did not provide. "Fields that a retailer did not provide
// are omitted from the response." The suite and the load judge it with the same table.

/** Whether the spec forbids a value, or a retailer's own data may look like it. */
export type Strictness = "must" | "should";

interface NoValue {
  readonly code: "null-value" | "empty-string" | "stand-in";
  readonly strictness: Strictness;
  readonly is: (value: unknown, place: Place) => boolean;
}

/** Where a value is. */
interface Place {
  /** The field of the product. */
  readonly field: string;
  /** Whether it is that field itself. */
  readonly isField: boolean;
  readonly prices: SharedPrices;
}

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

const dayOne = /^1970-?01-?01T00:?00(:?00([.,]0+)?)?(Z|[+-]00(:?00)?)$/i;

/** Fields that identify a product: their texts may be anything. */
const identity: ReadonlySet<string> = new Set(["retailer", "product_id", "product_url"]);

const isFree = ({ field }: Place) => !identity.has(field);
const isBelowZero = (value: unknown, { field, isField }: Place): value is number =>
  isField && field === "price" && typeof value === "number" && value < 0;

const table: readonly NoValue[] = [
  { code: "null-value", strictness: "must", is: (value) => value === null },
  { code: "empty-string", strictness: "must", is: (value) => value === "" },
  // No product was updated then.
  { code: "stand-in", strictness: "must", is: (value) => typeof value === "string" && isYearOne(value) },
  // One product may cost less than nothing, such as a voucher; several do not do so by the same amount.
  {
    code: "stand-in",
    strictness: "must",
    is: (value, place) => isBelowZero(value, place) && place.prices.isShared(value),
  },
  {
    code: "stand-in",
    strictness: "should",
    is: (value, place) => isBelowZero(value, place) && !place.prices.isShared(value),
  },
  { code: "stand-in", strictness: "should", is: (value, place) => texts.has(value) && isFree(place) },
  {
    code: "stand-in",
    strictness: "should",
    is: (value, place) => typeof value === "string" && value !== "" && value.trim() === "" && isFree(place),
  },
  {
    code: "stand-in",
    strictness: "should",
    // An expression takes k6 many times as long.
    is: (value) => typeof value === "string" && value.startsWith("1970") && dayOne.test(value),
  },
  {
    code: "stand-in",
    strictness: "should",
    is: (value, { isField }) =>
      isField && typeof value === "object" && value !== null && Object.keys(value).length === 0,
  },
];

const rowsOf = {
  must: table.filter(({ strictness }) => strictness === "must"),
  should: table.filter(({ strictness }) => strictness === "should"),
};

/** The findings on values of a product, at any depth, that stand where nothing should. */
export function noValuesIn(product: unknown, strictness: Strictness, prices: SharedPrices): Finding[] {
  const rows = rowsOf[strictness];
  const findings: Finding[] = [];
  function look(value: unknown, path: string, place: Place): void {
    const row = rows.find(({ is }) => is(value, place));
    if (row?.code === "stand-in") findings.push({ code: row.code, path, actual: value });
    else if (row !== undefined) findings.push({ code: row.code, path });
    else if (typeof value === "object" && value !== null) {
      const inside = place.isField ? { ...place, isField: false } : place;
      for (const [name, inner] of Object.entries(value)) look(inner, path + pointer(name), inside);
    }
  }
  for (const [field, value] of Object.entries(product ?? {}))
    look(value, pointer(field), { field, isField: true, prices });
  return findings;
}

/** Which prices below zero several products have. */
export interface SharedPrices {
  /** Notes the price of a product. */
  readonly note: (product: Readonly<Record<string, unknown>>) => void;
  readonly isShared: (price: number) => boolean;
}

/** Fewest products that do not cost less than nothing by chance. */
const fewestSharing = 3;

export function createSharedPrices(): SharedPrices {
  const products = new Map<number, Set<string>>();
  const isShared = (price: number) => (products.get(price)?.size ?? 0) >= fewestSharing;
  return {
    isShared,
    note(product) {
      const { price } = product;
      const name = itemName(product);
      if (typeof price !== "number" || price >= 0 || name === undefined || isShared(price)) return;
      products.set(price, (products.get(price) ?? new Set()).add(name));
    },
  };
}
