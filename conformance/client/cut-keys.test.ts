import { expect, test } from "vitest";
import { cutKey } from "./cut-keys.ts";

test.each([
  ["sk_live_4eC39HqLyjWDarjt", "sk_live_4eC39HqLyjWD"],
  ["0123456789ab", "01234567"],
  ["0123456789", "01234567"],
  ["012345678", "01234567"],
  ["01234567", undefined],
  ["", undefined],
])("of %s, %j is left", (key, left) => expect(cutKey(key)).toBe(left));
