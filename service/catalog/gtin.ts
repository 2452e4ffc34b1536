/** Lengths of a GTIN: EAN-8, UPC-A, EAN-13, GTIN-14. */
const lengths: ReadonlySet<number> = new Set([8, 12, 13, 14]);

/**
 * A GTIN as a number, so that leading zeros make no difference (012345678905, 0012345678905 and 00012345678905 are one
 * GTIN). Undefined for another length, characters that are not digits, or a wrong check digit.
 */
export function gtinNumber(text: string): number | undefined {
  if (!lengths.has(text.length) || !/^[0-9]+$/.test(text)) return undefined;
  return checkDigit(text.slice(0, -1)) === Number(text.at(-1)) ? Number(text) : undefined;
}

/** The check digit (0 to 9) for the other digits of a GTIN, by the rule of GS1. */
export function checkDigit(digits: string): number {
  let sum = 0;
  for (let place = 1; place <= digits.length; place++) {
    sum += Number(digits[digits.length - place]) * (place % 2 === 1 ? 3 : 1);
  }
  return (10 - (sum % 10)) % 10;
}
