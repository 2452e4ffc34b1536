import { expect, test } from "vitest";
import type { Product } from "../../schemas/contracts/product.ts";
import { differenceFinding, differencesOf } from "./same-product.ts";

const namesOf = (one: object, other: object) =>
  differencesOf(one as Product, other as Product).map(({ kind, path }) => `${kind} ${path}`);

test.each<[string, one: object, other: object, names: string[]]>([
  ["a value", { title: "T" }, { title: "U" }, ["value title"]],
  [
    "a value in a list of objects",
    { ids: [{ value: "7" }] },
    { ids: [{ value: "8" }] },
    ["value ids[].value"],
  ],
  ["an entry of a list", { tags: ["a", "b"] }, { tags: ["a", "c"] }, ["value tags[]"]],
  ["the length of a list", { images: [{ url: "a" }, {}] }, { images: [{ url: "c" }] }, ["value images"]],
  [
    "the length of a list in a list",
    { all: [{ tags: [1] }] },
    { all: [{ tags: [1, 2] }] },
    ["value all[].tags"],
  ],
  ["a field", { mpn: "m" }, {}, ["field mpn"]],
  ["a field in a list", { sizes: [{ eu: 1 }] }, { sizes: [{ eu: 1, us: 2 }] }, ["field sizes[].us"]],
  ["a list that is empty", { tags: [] }, {}, ["field tags"]],
  ["the type of a field that the spec does not name", { gtin: "1" }, { gtin: 1 }, ["field gtin"]],
  ["a type that product.field-types judges", { price: 3 }, { price: "3" }, []],
  ["null or an empty string in place of a missing field", {}, { brand: null, mark: "" }, []],
  ["a value that one lacks", { title: "T" }, { title: "" }, []],
  ["the identity of the product", { product_id: "1" }, { product_id: "2" }, []],
  ["entries that are null or empty", { tags: ["a", null, ""] }, { tags: ["a"] }, []],
])("two products differ in %s", (_name, one, other, names) => {
  expect(namesOf(one, other)).toEqual(names);
  expect(namesOf(other, one)).toEqual(names);
});

test.each<[Product, Product, path: string, expected: object]>([
  [{ a: { b: 1 } }, {}, "a.b", { path: "/p/a/b", expected: 1 }],
  [{}, { a: { b: 1 } }, "a.b", { path: "/p/a/b", actual: 1 }],
  [
    { ids: [{ value: "1" }, { value: "2" }] },
    { ids: [{ value: "1" }, { value: "3" }] },
    "ids[].value",
    { path: "/p/ids/1/value", expected: "2", actual: "3" },
  ],
  [{ tags: ["a", "b"] }, { tags: ["a"] }, "tags", { path: "/p/tags", expected: ["a", "b"], actual: ["a"] }],
])("a finding names the first place that differs: %j, %j", (byId, product, subject, expected) => {
  const comparedPath = Object.entries(expected)[0]?.[1].slice("/p".length);
  expect(differenceFinding(byId, { path: "/p", product }, subject)).toEqual({
    code: "differs-between-ways",
    subject,
    comparedPath,
    ...expected,
  });
});
