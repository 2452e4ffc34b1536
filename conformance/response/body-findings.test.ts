import { expect, test } from "vitest";
import { actual, unlessType } from "./body-findings.ts";

test.each<[unknown, unknown]>([
  ["x", "x"],
  [null, null],
  [{ a: [1] }, { a: [1] }],
  ["x".repeat(300), { type: "string", size: 300 }],
  [Array(100).fill({}), { type: "array", size: 100 }],
  [{ a: "x".repeat(300) }, { type: "object", size: 1 }],
])("a finding has a small value itself, and the type and size of a large one", (value, shown) => {
  expect(actual(value)).toEqual({ actual: shown });
});

test("a missing value has no `actual`", () => {
  expect(actual(undefined)).toEqual({});
});

test("the finding on a wrong type says missing, null or which type", () => {
  expect(unlessType({ products: [] }, "/products", "array")).toEqual([]);
  expect(unlessType({ products: [] }, "/meta", "object")).toEqual([
    { code: "missing-field", path: "/meta", expected: "object" },
  ]);
  expect(unlessType({ meta: null }, "/meta", "object")).toEqual([{ code: "null-value", path: "/meta" }]);
  expect(unlessType({ products: [] }, "/products", "object")).toMatchObject([
    { code: "wrong-type", expected: "object" },
  ]);
});
