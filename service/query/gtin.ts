/** Digits that a GTIN may have: EAN-8, UPC-A, EAN-13, GTIN-14. */
const lengths: ReadonlySet<number> = new Set([8, 12, 13, 14]);

/**
 * The number that a GTIN stands for, equal for every way of writing it with leading zeros (012345678905,
 * 0012345678905 and 00012345678905 are one), or undefined when it is no GTIN: another length, something
 * else than digits, or a wrong check digit.
 */
export function gtinNumber(text: string): number | undefined {
  if (!lengths.has(text.length) || !/^[0-9]+$/.test(text)) return undefined;
  return checkDigit(text.slice(0, -1)) === Number(text.at(-1)) ? Number(text) : undefined;
}

/** The check digit (0 to 9) of a GTIN's other digits, by the rule of GS1. */
export function checkDigit(digits: string): number {
  let sum = 0;
  for (let place = 1; place <= digits.length; place++) {
    sum += Number(digits[digits.length - place]) * (place % 2 === 1 ? 3 : 1);
  }
  return (10 - (sum % 10)) % 10;
}
