import { expect, test } from "vitest";
import { changedFrom } from "./changed-values.ts";

test("a change that equals the known value, is repeated, blank or has half a character is left out", () => {
  const known = "🛒7";
  const changes = { cut: [known.slice(0, 1)], suffix: [`${known}0`, known], wildcard: [`${known}0`, " "] };
  expect(changedFrom(known, changes)).toEqual([{ change: "suffix", value: "🛒70" }]);
});
