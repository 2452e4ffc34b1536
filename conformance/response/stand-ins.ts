import type { Finding } from "../../schemas/contracts/finding.ts";
import { pointer } from "../../schemas/json.ts";
import { isYearOne } from "../../schemas/timestamp.ts";

// Values in place of missing ones.

/** Texts that languages make of a missing value. */
const texts: ReadonlySet<string> = new Set([
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

/** The findings on times in a product that are the year 1: no product was updated then. */
export function missingTimes(value: unknown, path = ""): Finding[] {
  return found(value, path, isYearOne);
}

/** The findings on values in a product that stand for a missing one, except the year 1. */
export function standIns(product: Readonly<Record<string, unknown>>): Finding[] {
  const { price } = product;
  const negative: Finding[] =
    typeof price === "number" && price < 0 ? [{ code: "stand-in", path: "/price", actual: price }] : [];
  return [
    ...negative,
    ...Object.entries(product).flatMap(([name, value]) =>
      identity.has(name)
        ? []
        : found(value, pointer(name), (text) => texts.has(text) || dayOne.test(text) || /^\s+$/.test(text)),
    ),
  ];
}

function found(value: unknown, path: string, isStandIn: (text: string) => boolean): Finding[] {
  if (typeof value === "string") return isStandIn(value) ? [{ code: "stand-in", path, actual: value }] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => found(inner, path + pointer(name), isStandIn));
}
