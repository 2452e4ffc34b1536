import { expect, test } from "vitest";
import { leavesOf, listsOf, placesOf, valuesAt } from "./field-paths.ts";

const product = {
  title: "T",
  price: 0,
  sale: false,
  brand: null,
  ids: { gtin: 4006381333931, list: [{ kind: "EAN", value: "1" }, { value: "2" }] },
  images: ["a", "b"],
  matrix: [[1], [2]],
  empty: {},
  none: [],
};

test("every scalar has its path, lists as [] and objects with a dot", () => {
  expect(leavesOf(product)).toEqual([
    { path: "title", value: "T" },
    { path: "price", value: 0 },
    { path: "sale", value: false },
    { path: "brand", value: null },
    { path: "ids.gtin", value: 4006381333931 },
    { path: "ids.list[].kind", value: "EAN" },
    { path: "ids.list[].value", value: "1" },
    { path: "ids.list[].value", value: "2" },
    { path: "images[]", value: "a" },
    { path: "images[]", value: "b" },
    { path: "matrix[][]", value: 1 },
    { path: "matrix[][]", value: 2 },
  ]);
});

test("every list has its path, also inside objects and lists", () => {
  expect(listsOf(product).map(({ path, entries }) => [path, entries.length])).toEqual([
    ["ids.list", 2],
    ["images", 2],
    ["matrix", 2],
    ["matrix[]", 1],
    ["matrix[]", 1],
    ["none", 0],
  ]);
});

test("all values at a path are returned as strings", () => {
  expect(valuesAt(product, "ids.gtin")).toEqual(["4006381333931"]);
  expect(valuesAt(product, "ids.list[].value")).toEqual(["1", "2"]);
  for (const path of ["ids", "ids.list", "images", "nothing", ""])
    expect(valuesAt(product, path)).toEqual([]);
  expect(valuesAt(null, "a")).toEqual([]);
});

test("the places of a path are JSON Pointers, also to a list or an empty object", () => {
  expect(placesOf(product, "title")).toEqual(["/title"]);
  expect(placesOf(product, "ids.list[].value")).toEqual(["/ids/list/0/value", "/ids/list/1/value"]);
  expect(placesOf(product, "matrix[][]")).toEqual(["/matrix/0/0", "/matrix/1/0"]);
  expect(placesOf(product, "images")).toEqual(["/images"]);
  expect(placesOf(product, "matrix[]")).toEqual(["/matrix/0", "/matrix/1"]);
  expect(placesOf(product, "none")).toEqual(["/none"]);
  expect(placesOf(product, "empty")).toEqual(["/empty"]);
  for (const path of ["ids", "nothing", ""]) expect(placesOf(product, path)).toEqual([]);
});
