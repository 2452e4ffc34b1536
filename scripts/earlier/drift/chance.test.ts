import { describe, expect, test } from "vitest";
import { chanceOfSoFew, improbable, isGone } from "./chance.ts";

const met = (hits: number, of: number) => ({ hits, of });

describe("the chance of so few", () => {
  test("is that of the predictive distribution", () => {
    // Beta-binomial with Jeffreys' prior, by hand: none of 1 after 2 of 2 is (0.5) / (3).
    expect(chanceOfSoFew(met(2, 2), met(0, 1))).toBeCloseTo(0.5 / 3, 10);
    // None of 2 after 0 of 1: 1.5 * 2.5 / (2 * 3).
    expect(chanceOfSoFew(met(0, 1), met(0, 2))).toBeCloseTo((1.5 * 2.5) / 6, 10);
  });

  test("is 1 for all of them, and grows with each", () => {
    const chances = [0, 1, 2, 5, 9, 10].map((hits) => chanceOfSoFew(met(7, 10), met(hits, 10)));
    expect(chances).toEqual(chances.toSorted((a, b) => a - b));
    expect(chances.at(-1)).toBeCloseTo(1, 10);
  });

  test("stays a number for large samples", () => {
    const chance = chanceOfSoFew(met(5000, 5000), met(2500, 5000));
    expect(chance).toBeGreaterThanOrEqual(0);
    expect(chance).toBeLessThan(improbable);
  });
});

test.each<[string, before: ReturnType<typeof met>, after: ReturnType<typeof met>, gone: boolean]>([
  ["40 of 40, none of 38", met(40, 40), met(0, 38), true],
  ["1 of 40, none of 38", met(1, 40), met(0, 38), false],
  ["2 of 2, none of 1", met(2, 2), met(0, 1), false],
  ["all of 4, none of 4", met(4, 4), met(0, 4), true],
  ["half of 20, none of 20", met(10, 20), met(0, 20), true],
  ["half of 20, none of 3", met(10, 20), met(0, 3), false],
  ["40 of 40, one of 38", met(40, 40), met(1, 38), false],
  ["40 of 40, nothing sampled", met(40, 40), met(0, 0), false],
])("%s", (_name, before, after, gone) => {
  expect(isGone(before, after)).toBe(gone);
});
