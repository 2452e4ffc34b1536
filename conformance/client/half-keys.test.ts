import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { firstHalf, halfShownAs, kindOf, shownForms, shownPart } from "./half-keys.ts";

test.each([
  ["sk_live_4eC39HqLyjWDarjt", "sk_live_"],
  ["pcl_4eC39HqLy", "pcl_"],
  ["sk_live_4eC39Hq", ""],
  ["4eC39HqLyjWDarjt", ""],
  ["", ""],
])("the kind of %s is %j", (key, kind) => expect(kindOf(key)).toBe(kind));

test.each([
  ["0123456789abcdef01234567", "0123456789ab"],
  ["0123456789abcdef0123456", "0123456789ab"],
  ["sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0abcde", "sk_live_4eC39HqLyjWD"],
  ["ABCDEFGHIJKLmnopqrstuvwx", undefined],
  ["ABCDEFghijklmnopqrstuvwx", "ABCDEFghijkl"],
  ["012345678901234567890123", undefined],
  ["0123456789abcdef012345", undefined],
  ["sk_live_4eC39HqLyjWDarjtT1zdP7dcXw0abc", undefined],
  ["correct-horse-battery-staple-2", undefined],
  ["", undefined],
])("the first half of %s is %j", (key, half) => expect(firstHalf(key)).toBe(half));

test.each(["0123456789abcdef01234567", "0123456789abcdef0123456"])(
  "a shell and a replay expand what is shown for half of %s",
  (key) => {
    const shown = halfShownAs("KEY", key);
    const half = firstHalf(key);
    expect(execFileSync("/bin/sh", ["-c", `printf %s "${shown}"`], { env: { KEY: key } }).toString()).toBe(
      half,
    );
    expect(shownPart(shown, key)).toBe(half);
    expect(shownPart("$KEY", key)).toBe(key);
    expect(`$PATH ${shown} $KEY`.match(new RegExp(shownForms("KEY"), "g"))).toEqual([shown, "$KEY"]);
  },
);
