import { describe, expect, test } from "vitest";
import { isDamaged } from "./stable-differences.ts";

describe("a text is damaged", () => {
  test.each([
    ["cut off", "Lamp, blue", "Lamp, b"],
    ["with question marks", "Caf\u00e9 \u2013 Ma\u00dfe", "Caf? ? Ma?e"],
    ["with several question marks for one character", "Caf\u00e9", "Caf??"],
    ["with replacement characters", "Caf\u00e9", "Caf\ufffd"],
    ["in some characters only", "\u00e9 \u65e5\u672c", "\u00e9 ??"],
  ])("%s", (_name, one, other) => {
    expect(isDamaged(one, other)).toBe(true);
    expect(isDamaged(other, one)).toBe(true);
  });

  test.each([
    ["equal texts", "Lamp?", "Lamp?"],
    ["another text", "Lamp", "Lump"],
    ["another price in a text", "12 EUR", "13 EUR"],
    ["a missing text", "", "Lamp"],
    ["another letter in the same place", "Caf\u00e9", "Caf\u00e8"],
    ["the same text decomposed", "Caf\u00e9", "Cafe\u0301"],
  ])("but not %s", (_name, one, other) => {
    expect(isDamaged(one, other)).toBe(false);
    expect(isDamaged(other, one)).toBe(false);
  });
});
