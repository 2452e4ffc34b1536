import { expect, test } from "vitest";
import { chanceToFareBetter } from "./fares-better.ts";

test.each([
  // One who is accepted at all, of two: as likely as the other.
  [0, 1, 0.5],
  [0, 0, 1],
  [24, 24, 1],
  // Counted by hand: the only one of C(48, 24) ways.
  [0, 24, 3.1e-14],
  [5, 24, 3.7e-9],
  [1, 6, 0.048],
])("accepted %i and %i times of 24 each", (one, other, chance) => {
  const tally = (accepted: number) => ({ accepted, asked: 24 });
  const found = chanceToFareBetter(tally(one), tally(other));
  expect(Math.abs(found - chance) / chance).toBeLessThan(0.2);
});
