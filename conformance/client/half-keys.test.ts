import { expect, test } from "vitest";
import { firstHalf, prefixOf } from "./half-keys.ts";

test.each([
  ["sk_live_4eC39HqLyjWDarjt", "sk_live_"],
  ["pcl_4eC39HqLy", "pcl_"],
  ["sk_live_4eC39Hq", ""],
  ["4eC39HqLyjWDarjt", ""],
  ["", ""],
])("the prefix of %s is %j", (key, prefix) => expect(prefixOf(key)).toBe(prefix));

test.each([
  ["0123456789abcdef01234567", "0123456789ab"],
  ["0123456789abcdef0123456", "0123456789ab"],
  ["sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0abcde", "sk_live_4eC39HqLyjWD"],
  ["ABCDEFGHIJK1mnopqrstuvwx", "ABCDEFGHIJK1"],
  ["ABCDEFghijklmnopqrstuvwx", undefined],
  ["AcmeCatalogStagingKey2026", undefined],
  ["012345678901234567890123", undefined],
  ["0123456789abcdef012345", undefined],
  ["sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0abc", undefined],
  ["correct-horse-battery-staple-2", undefined],
  ["", undefined],
])("the first half of %s is %j", (key, half) => expect(firstHalf(key)).toBe(half));
