import { expect, test } from "vitest";
import { isJsonType, isObject, pointer, valueAt } from "./json.ts";

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

test.each([
  ["application/json", true],
  ["application/problem+json; charset=utf-8", true],
  ["application/json, application/json; charset=utf-8", true],
  ["application/json; charset=utf-8, text/html", false],
  ["text/html", false],
])("%s: a type of JSON %s", (type, isOne) => expect(isJsonType(type)).toBe(isOne));

test("a pointer is escaped as in RFC 6901", () => {
  expect(pointer("a/b", "c~d", 3)).toBe("/a~1b/c~0d/3");
});

test("an array and null are not objects", () => {
  expect([{}, { a: 1 }].every(isObject)).toBe(true);
  expect([null, undefined, [], "x", 1, true].some(isObject)).toBe(false);
});
