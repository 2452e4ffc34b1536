import { describe, expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { differenceFinding, differencesOf } from "./product-differences.ts";

const product = { retailer: "a", product_id: "1", product_url: "https://a.example/1", price: 3, title: "T" };

/** A body with any fields. */
const asProduct = (body: object) => body as Product;

const field = (path: string) => ({ kind: "field", path });
const pathsOf = (wanted: string) => (one: object, other: object) =>
  differencesOf(asProduct(one), asProduct(other)).flatMap(({ kind, path }) => (kind === wanted ? path : []));
const [fieldsIn, valuesIn] = [pathsOf("field"), pathsOf("value")];

test("a type that differs is another shape, unless product.field-types judges it", () => {
  expect(differencesOf({ ...product, gtin: "123" }, { ...product, gtin: 123 })).toEqual([field("gtin")]);
  expect(differencesOf(product, asProduct({ ...product, price: "3" }))).toEqual([]);
});

test("null or an empty string in place of a missing field is not another shape", () => {
  expect(differencesOf(product, { ...product, brand: null, mark: "" })).toEqual([]);
  expect(differencesOf(product, asProduct({ ...product, title: null, price: "" }))).toEqual([]);
  expect(differencesOf({ ...product, mpn: "m" }, { ...product, mpn: null })).toEqual([]);
});

test("shapes differ in fields that only one product has, at any depth", () => {
  const deep = { ...product, sizes: [{ eu: 1 }], images: [] };
  expect(fieldsIn(deep, { ...deep, price: 9, sizes: [{ eu: 2 }, { eu: 3 }] })).toEqual([]);
  expect(fieldsIn(deep, { ...deep, sizes: [{ eu: 1, us: 2 }] })).toEqual(["sizes[].us"]);
  const { images: _images, ...without } = deep;
  expect(differencesOf(deep, without)).toEqual([field("images")]);
  expect(differencesOf(without, deep)).toEqual([field("images")]);
});

describe("values differ", () => {
  const images = (...urls: readonly string[]) => urls.map((url) => ({ url }));
  test.each<[string, one: object, other: object, paths: string[]]>([
    ["in a field", { title: "T" }, { title: "U" }, ["title"]],
    ["in a list of objects", { ids: [{ value: "7" }] }, { ids: [{ value: "8" }] }, ["ids[].value"]],
    ["in an entry of a list", { tags: ["a", "b"] }, { tags: ["a", "c"] }, ["tags[]"]],
    ["in the length of a list", { tags: ["a", "b"] }, { tags: ["a"] }, ["tags"]],
    ["in the length of a list of objects", { images: images("a", "b") }, { images: images("c") }, ["images"]],
    [
      "in the length of a list in an object",
      { media: { all: [1] } },
      { media: { all: [1, 2] } },
      ["media.all"],
    ],
    [
      "in the length of a list in a list",
      { variants: [{ tags: [1] }, { tags: [1] }] },
      { variants: [{ tags: [1] }, { tags: [1, 2] }] },
      ["variants[].tags"],
    ],
    [
      "in the length of a list of lists",
      { variants: [{ tags: [1] }] },
      { variants: [{ tags: [2] }, { tags: [1, 2] }] },
      ["variants"],
    ],
  ])("%s", (_name, one, other, paths) => {
    expect(valuesIn(one, other)).toEqual(paths);
    expect(valuesIn(other, one)).toEqual(paths);
  });

  test.each<[string, one: object, other: object]>([
    ["the identity of the product", { product_id: "1" }, { product_id: "2" }],
    ["a field that is missing or empty in one product", { title: "T", mpn: "1" }, { title: "" }],
    ["a list that is empty in one product, which is a difference in shape", { tags: [] }, { tags: ["a"] }],
    ["an entry that is null or empty, which another rule judges", { tags: ["a", null, ""] }, { tags: ["a"] }],
    ["a value of another type", { mpn: "1" }, { mpn: 1 }],
    [
      "fields that only some entries have",
      { ids: [{ a: 1 }, { a: 1, b: 2 }] },
      { ids: [{ a: 1 }, { a: 1 }] },
    ],
  ])("but not in %s", (_name, one, other) => {
    expect(valuesIn(one, other)).toEqual([]);
    expect(valuesIn(other, one)).toEqual([]);
  });
});

describe("the finding on a field that differs", () => {
  const list = { ...product, ids: [{ value: "1" }, { value: "2" }] };
  test.each<[string, Product, Product, path: string, expected: Partial<Finding>]>([
    ["exists by id only", { a: { b: 1 } }, {}, "a.b", { path: "/p/a/b", expected: 1 }],
    ["exists on the other lookup path only", {}, { a: { b: 1 } }, "a.b", { path: "/p/a/b", actual: 1 }],
    [
      "has another value",
      { title: "T" },
      { title: "U" },
      "title",
      { path: "/p/title", expected: "T", actual: "U" },
    ],
    [
      "differs in one entry of a list",
      list,
      { ...list, ids: [{ value: "1" }, { value: "3" }] },
      "ids[].value",
      { path: "/p/ids/1/value", expected: "2", actual: "3" },
    ],
    ["is an empty list by id only", { images: [] }, {}, "images", { path: "/p/images", expected: [] }],
    [
      "is a list of another length",
      { media: { images: ["a", "b"] } },
      { media: { images: ["a"] } },
      "media.images",
      { path: "/p/media/images", expected: ["a", "b"], actual: ["a"] },
    ],
    ["is a list by id only", list, product, "ids", { path: "/p/ids", expected: list.ids }],
  ])("%s", (_name, byId, found, path, expected) => {
    expect(differenceFinding(byId, found, path, "/p")).toEqual({
      code: "differs-between-ways",
      subject: path,
      comparedPath: expected.path?.slice("/p".length),
      ...expected,
    });
  });
});
