import { expect, test } from "vitest";
import { actual, isObject, pointer, unlessType, valueAt } from "./body-path.ts";

const body = { products: [{ "a/b": 1, "c~d": null }, { mpn: "" }], "": { constructor: 7 } };

test.each<[path: string, value: unknown]>([
  ["", body],
  [pointer("products", 1, "mpn"), ""],
  [pointer("products", 0, "a/b"), 1],
  [pointer("products", 0, "c~d"), null],
  [pointer("", "constructor"), 7],
  [pointer("products", 2), undefined],
  [pointer("products", 2, "mpn"), undefined],
  [pointer("constructor"), undefined],
])("%j leads to %j", (path, value) => {
  expect(valueAt(body, path)).toEqual(value);
});

test("a pointer is escaped as in RFC 6901", () => {
  expect(pointer("a/b", "c~d", 3)).toBe("/a~1b/c~0d/3");
});

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
  expect(unlessType(body, "/products", "array")).toEqual([]);
  expect(unlessType(body, "/meta", "object")).toEqual([
    { code: "missing-field", path: "/meta", expected: "object" },
  ]);
  expect(unlessType({ meta: null }, "/meta", "object")).toEqual([{ code: "null-value", path: "/meta" }]);
  expect(unlessType(body, "/products", "object")).toMatchObject([{ code: "wrong-type", expected: "object" }]);
});

test("an array and null are not objects", () => {
  expect([{}, { a: 1 }].every(isObject)).toBe(true);
  expect([null, undefined, [], "x", 1, true].some(isObject)).toBe(false);
});
