import { expect, test } from "vitest";
import { changedFrom } from "./changed-values.check.ts";

test("a change that equals the known value, is repeated, blank or has half a character is left out", () => {
  const known = "🛒7";
  const values = [known.slice(0, 1), `${known}0`, known, `${known}0`, " ", ""];
  const changes = values.map((value) => ["suffix", value] as const);
  expect(changedFrom(known, changes)).toEqual([["suffix", `${known}0`]]);
});
