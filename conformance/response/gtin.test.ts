import { describe, expect, test } from "vitest";
import { sameGtin } from "../../schemas/product-values.ts";
import { neighbouringGtin, otherFirstDigits } from "../discovery/unknown-values.ts";
import { checkDigit, isGtin } from "./products-in.ts";

// Examples of the GS1 General Specifications and of well-known goods.
const real = ["96385074", "036000291452", "4006381333931", "9780306406157", "10614141000415"];

describe("a GTIN", () => {
  test.each(real)("%s is valid with its last digit only, which follows from the others", (gtin) => {
    const digits = gtin.slice(0, -1);
    expect(checkDigit(digits)).toBe(gtin.at(-1));
    expect([..."0123456789"].filter((digit) => isGtin(digits + digit))).toEqual([gtin.at(-1)]);
  });

  test.each([
    ["", "nothing"],
    ["0", "a single digit"],
    ["00000000000", "eleven digits"],
    ["0000000000", "ten digits, as an ISBN-10 has"],
    ["000000000000000", "fifteen digits"],
    ["4006381-333931", "a hyphen"],
    [" 4006381333931", "a blank"],
    ["400638133393x", "a letter"],
    ["٤٠٠٦٣٨١٣٣٣٩٣١", "digits of another script"],
  ])("%j is invalid: %s", (text) => {
    expect(isGtin(text)).toBe(false);
  });
});

test.each(real)("the neighbour of %s is another GTIN of its length and prefix", (gtin) => {
  const neighbour = neighbouringGtin(gtin);
  expect(neighbour).not.toBe(gtin);
  expect(neighbour).toHaveLength(gtin.length);
  expect(isGtin(neighbour)).toBe(true);
  expect(neighbour.slice(0, -5)).toBe(gtin.slice(0, -5));
});

test.each(real)("%s has a GTIN of its end with two other first digits", (gtin) => {
  const other = otherFirstDigits(gtin) ?? "";
  expect(isGtin(other)).toBe(true);
  expect(other.slice(2)).toBe(gtin.slice(2));
  expect([other[0] === gtin[0], other[1] === gtin[1]]).toEqual([false, false]);
});

test("GTINs are equal if they differ in leading zeros only", () => {
  for (const padded of ["036000291452", "0036000291452", "00036000291452", "36000291452"])
    expect(sameGtin(padded, "036000291452")).toBe(true);
  for (const other of ["36000291453", "360002914520", "1036000291452", ""])
    expect(sameGtin(other, "036000291452")).toBe(false);
});
