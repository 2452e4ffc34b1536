import { expect, test } from "vitest";
import { leavesOf, placesIn, valuesAt } from "./product-values.ts";

const product = {
  title: "T",
  brand: null,
  ids: { gtin: 4006381333931, list: [{ kind: "EAN", value: "1" }, { value: "2" }] },
  matrix: [[1], []],
  empty: {},
};

test("every scalar has its path, lists as [] and objects with a dot, and its JSON Pointer", () => {
  expect(leavesOf(product).map(({ path, at, value }) => [path, at, value])).toEqual([
    ["title", "/title", "T"],
    ["brand", "/brand", null],
    ["ids.gtin", "/ids/gtin", 4006381333931],
    ["ids.list[].kind", "/ids/list/0/kind", "EAN"],
    ["ids.list[].value", "/ids/list/0/value", "1"],
    ["ids.list[].value", "/ids/list/1/value", "2"],
    ["matrix[][]", "/matrix/0/0", 1],
  ]);
});

test("lists and objects have places too", () => {
  const others = placesIn(product).filter(({ value }) => typeof value === "object" && value !== null);
  expect(others.map(({ at }) => at)).toEqual([
    "/ids",
    "/ids/list",
    "/ids/list/0",
    "/ids/list/1",
    "/matrix",
    "/matrix/0",
    "/matrix/1",
    "/empty",
  ]);
});

test("all values at a path are returned as strings", () => {
  expect(valuesAt(product, "ids.gtin")).toEqual(["4006381333931"]);
  expect(valuesAt(product, "ids.list[].value")).toEqual(["1", "2"]);
  for (const path of ["ids", "ids.list", "nothing", ""]) expect(valuesAt(product, path)).toEqual([]);
  expect(valuesAt(null, "a")).toEqual([]);
});
