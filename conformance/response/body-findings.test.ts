import { expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { number } from "../../schemas/contracts/schema.ts";
import { actual, compiledOnce, unlessType, validator } from "./body-findings.ts";

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
  expect(validator(number())(JSON.parse("1e400"))).toEqual([]);
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

const findingsOn = validator({
  type: "object",
  required: ["a"],
  properties: {
    a: { type: "array", items: { type: "object", properties: { n: { type: ["integer", "null"] } } } },
    "b/c~d": { type: "string", minLength: 1 },
    e: { enum: ["x", 1] },
  },
});

test.each<[unknown, Finding[]]>([
  [{ a: [] }, []],
  [{ a: [{ n: 1 }, { n: null }], extra: null }, []],
  [null, [{ code: "null-value", path: "" }]],
  [[], [{ code: "wrong-type", path: "", expected: "object", actual: [] }]],
  [{}, [{ code: "missing-field", path: "/a" }]],
  [
    { a: [{ n: 1 }, { n: "1" }, 7] },
    [
      { code: "wrong-type", path: "/a/1/n", expected: "integer", actual: "1" },
      { code: "wrong-type", path: "/a/2", expected: "object", actual: 7 },
    ],
  ],
  [{ a: [], "b/c~d": "" }, [{ code: "empty-string", path: "/b~1c~0d" }]],
  [{ a: [], e: "y" }, [{ code: "wrong-format", path: "/e", expected: ["x", 1], actual: "y" }]],
])("%j: %j", (value, findings) => {
  expect(findingsOn(value)).toEqual(findings);
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
