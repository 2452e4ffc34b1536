import { otherGtin } from "../../schemas/accounts.ts";
import type { FieldNames, Product } from "../../schemas/contracts/product.ts";
import { hasProductFields, looksLikeGtin, sameGtin, valuesAt } from "../../schemas/product-values.ts";

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

/** A GTIN of the same length, most likely of no product: the item digits are shifted, the prefix stays. */
export function neighbouringGtin(gtin: string): string {
  const body = gtin.slice(0, -1);
  const digits = body.slice(0, -4) + String((Number(body.slice(-4)) + 4999) % 10_000).padStart(4, "0");
  return digits + checkDigit(digits);
}

/** A GTIN that differs in both of its first two digits only; the check digit is right too. */
export function otherFirstDigits(gtin: string): string | undefined {
  const rest = gtin.slice(2, -1);
  const digits = [..."8765432190"];
  return digits
    .flatMap((first) => digits.map((second) => first + second))
    .filter((pair) => pair[0] !== gtin[0] && pair[1] !== gtin[1])
    .map((pair) => pair + rest + checkDigit(pair + rest))
    .find((other) => other.at(-1) === gtin.at(-1));
}

/** Whether a product has this GTIN where the target's products have theirs. */
export function carriesGtin(product: Product, gtin: string, { gtin: path }: FieldNames): boolean {
  return path !== undefined && valuesAt(product, path).some((value) => sameGtin(value, gtin));
}

/** Whether a product may have this GTIN: it shows it, or no other. Fields may be omitted (spec, Product). */
export function mayHaveGtin(product: Product, gtin: string, { gtin: path = "" }: FieldNames): boolean {
  return hasProductFields(product) && otherGtin(product, gtin, path).length === 0;
}
