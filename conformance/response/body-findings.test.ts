import { expect, test } from "vitest";
import { product } from "../../schemas/contracts/product.ts";
import { number } from "../../schemas/contracts/schema.ts";
import { actual, compiledOnce, typeValidator, unlessType } from "./body-findings.ts";

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

test("a number larger than parsers hold is a number", () => {
  expect(typeValidator(number())(JSON.parse("1e400"))).toEqual([]);
});

test("a missing value has no `actual`", () => {
  expect(actual(undefined)).toEqual({});
});

test("the finding on a wrong type says missing, null or which type", () => {
  const body = { products: [] };
  expect(unlessType(body, "/products", "array")).toEqual([]);
  for (const path of ["/meta", "/meta/next_cursor"])
    expect(unlessType(body, path, "object")).toEqual([
      { code: "missing-field", path: "/meta", expected: "object" },
    ]);
  expect(unlessType({ meta: null }, "/meta", "object")).toEqual([{ code: "null-value", path: "/meta" }]);
  expect(unlessType(body, "/products", "object")).toMatchObject([{ code: "wrong-type", expected: "object" }]);
});

test("a field of an array is not missing: its place is no object", () => {
  expect(unlessType([1], "/retailers", "array")).toEqual([
    { code: "wrong-type", path: "", expected: "object", actual: [1] },
  ]);
  expect(unlessType({ error: "no" }, "/error/code", "string")).toEqual([
    { code: "wrong-type", path: "/error", expected: "object", actual: "no" },
  ]);
});

test("the fields of a product have the types of the spec; what is null or another field is not judged", () => {
  const findingsOn = typeValidator(product);
  expect(findingsOn({ title: null, price: 1, size: 7 })).toEqual([]);
  expect(findingsOn({ title: ["x"], price: "1" })).toEqual([
    { code: "wrong-type", path: "/title", expected: "string", actual: ["x"] },
    { code: "wrong-type", path: "/price", expected: "number", actual: "1" },
  ]);
});

test("compiles at the first call, and only then", () => {
  const compiled = compiledOnce<string>({ type: "string" }, {});
  expect(compiled()).toBe(compiled());
  expect(compiled()("text")).toBe(true);
  expect(compiled()(1)).toBe(false);
});

test("rejects a schema with an unknown keyword when it is needed", () => {
  const compiled = compiledOnce({ type: "string", shortest: 1 }, {});
  expect(compiled).toThrow(/unknown keyword.*shortest/);
});
