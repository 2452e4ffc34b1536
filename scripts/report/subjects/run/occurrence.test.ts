import { expect, test } from "vitest";
import { howOften, pattern } from "./places.ts";

const at = (retailer: string, count: number, total: number) => ({ retailer, count, total });

test.each([
  [{ count: 66, total: 258, of: "responses" }, "66 of 258 responses (25.6 %)"],
  [{ count: 23, total: 23, of: "products" }, "all 23 products"],
  [{ count: 1, total: 1, of: "responses" }, "1 of 1 response"],
  [{ count: 7, of: "products" }, "7 products"],
  [undefined, undefined],
] as const)("how often: %j", (seen, says) => {
  expect(howOften(seen === undefined ? {} : { seen })).toBe(says);
});

test.each([
  [
    "one retailer alone",
    [at("a", 0, 9), at("maison & fils", 23, 23)],
    "all 23 at `maison & fils`, none elsewhere",
  ],
  ["some of one", [at("a", 0, 9), at("b", 2, 10)], "2 of 10 at `b`, none elsewhere"],
  ["everywhere", [at("a", 9, 9), at("b", 2, 2)], "all 9 at `a`, all 2 at `b`"],
  [
    "the worst first, and where not",
    [at("a", 1, 10), at("b", 5, 10), at("c", 0, 4)],
    "5 of 10 at `b`, 1 of 10 at `a`, none elsewhere",
  ],
  [
    "many",
    [at("a", 1, 2), at("b", 1, 2), at("c", 1, 2), at("d", 1, 1), at("e", 1, 1), at("f", 5, 9)],
    "5 of 9 at `f`, 1 of 2 at `a`, 1 of 2 at `b`, 1 of 2 at `c`, all at 2 more",
  ],
  [
    "too many to count",
    Array.from("abcdefghijklmnopqrst", (name) => at(name, 2, 2)),
    "all 2 at `a`, all 2 at `b`, all 2 at `c`, all 2 at `d`, some at 16 or more",
  ],
])("pattern: %s", (_name, byRetailer, says) => {
  expect(pattern({ byRetailer })).toEqual([`Affected of the products seen: ${says}`]);
});

test("endpoints have their own line; a finding without occurrences has none", () => {
  const byEndpoint = [
    { endpoint: "batch", count: 2, total: 2 },
    { endpoint: "lookup-by-id", count: 0, total: 5 },
  ] as const;
  expect(pattern({ byEndpoint: [...byEndpoint] })).toEqual([
    "Affected of the checked responses: all 2 at Batch lookup, none elsewhere",
  ]);
  expect(pattern({ byRetailer: [at("a", 0, 3)] })).toEqual([]);
});

test("a single place is not named", () => {
  const byEndpoint = [{ endpoint: "batch", count: 2, total: 2 } as const];
  expect(pattern({ byEndpoint, byRetailer: [at("a", 1, 10), at("b", 0, 0)] })).toEqual([]);
});
