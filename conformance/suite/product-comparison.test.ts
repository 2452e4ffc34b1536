import { describe, expect, test } from "vitest";
import type { Exchange } from "../client/exchange.ts";
import { exchangeOf } from "../testing/stub-exchange.ts";
import {
  answerDifference,
  differsFrom,
  identityDifference,
  productOf,
  shapeDifference,
  valueDifference,
} from "./product-comparison.ts";

const product = { retailer: "a", product_id: "1", product_url: "https://a.example/1", price: 3, title: "T" };

test("the same product may have another price, title or freshness, or lack a field", () => {
  expect(
    identityDifference(product, { ...product, price: 4, title: "U", last_updated: "x" }),
  ).toBeUndefined();
  expect(identityDifference(product, { price: 3 })).toBeUndefined();
  expect(identityDifference({}, {})).toBeUndefined();
});

test.each([
  ["retailer", "b", 'retailer is "a" here and "b" there'],
  ["product_id", "2", 'product_id is "1" here and "2" there'],
  ["product_url", "https://a.example/2", 'product_url is "https://a.example/1" here and'],
])("another %s makes another product", (field, value, text) => {
  expect(identityDifference(product, { ...product, [field]: value })).toContain(text);
});

test("an identity of another type is the business of product.field-types", () => {
  expect(identityDifference(product, { ...product, product_id: 1 })).toBeUndefined();
  expect(identityDifference(product, { ...product, retailer: { slug: "b" } })).toBeUndefined();
});

test("a field that is a number in one and a text in the other has another shape; a type that the spec shows is held elsewhere", () => {
  expect(shapeDifference({ ...product, gtin: "123" }, { ...product, gtin: 123 })).toEqual([
    { path: "gtin as a string", by: "one" },
    { path: "gtin as a number", by: "other" },
  ]);
  expect(shapeDifference(product, { ...product, price: "3" })).toEqual([]);
});

test("a null or an empty text where a field is missing is no difference of shape", () => {
  expect(shapeDifference(product, { ...product, brand: null, mark: "" })).toEqual([]);
  expect(shapeDifference(product, { ...product, title: null, price: "" })).toEqual([]);
  expect(shapeDifference({ ...product, mpn: "m" }, { ...product, mpn: null })).toEqual([]);
});

test("a fixture is held against the answer by retailer and id", () => {
  const fixture = { retailer: "a", productId: "1", product };
  expect(differsFrom(fixture, product)).toBeUndefined();
  expect(differsFrom(fixture, { product_url: "https://elsewhere.example" })).toBeUndefined();
  expect(differsFrom(fixture, { ...product, product_id: "2" })).toContain("product_id");
});

test("shapes differ by the fields that one has and the other has not, at any depth", () => {
  const deep = { ...product, sizes: [{ eu: 1 }], images: [] };
  expect(shapeDifference(deep, { ...deep, price: 9, sizes: [{ eu: 2 }, { eu: 3 }] })).toEqual([]);
  expect(shapeDifference(deep, { ...deep, sizes: [{ eu: 1, us: 2 }] })).toEqual([
    { path: "sizes[].us", by: "other" },
  ]);
  const { images: _images, ...without } = deep;
  expect(shapeDifference(deep, without)).toEqual([{ path: "images", by: "one" }]);
  expect(shapeDifference(without, deep)).toEqual([{ path: "images", by: "other" }]);
});

test("what is no product has no fields", () => {
  expect(productOf(exchangeOf("lookup-by-url", product))).toEqual(product);
  for (const body of [null, [product], "x", undefined])
    expect(productOf(exchangeOf("lookup-by-url", body))).toEqual({});
});

describe("two answers to the same request", () => {
  const page = (...products: readonly object[]) => exchangeOf("category-page", { products });
  const batch = (...hits: readonly object[]) => exchangeOf("batch", { hits });
  const retailers = (...slugs: readonly string[]) =>
    exchangeOf("retailers", { retailers: slugs.map((slug) => ({ slug })) });
  const other = { ...product, product_id: "2" };
  const differenceOf = (one: Exchange, two: Exchange) =>
    answerDifference(one, two, { batchFoundField: "hits" });

  test("show the same, in whatever order and at whatever price", () => {
    expect(differenceOf(page(product, other), page(other, { ...product, price: 9 }))).toBeUndefined();
    expect(differenceOf(batch(product), batch({ ...product, title: "U" }))).toBeUndefined();
    expect(differenceOf(retailers("a", "b"), retailers("b", "a"))).toBeUndefined();
    const lookup = exchangeOf("lookup-by-url", product);
    expect(differenceOf(lookup, exchangeOf("lookup-by-url", { ...product, price: 9 }))).toBeUndefined();
  });

  test.each([
    ["a page", page(product), page(product, other), "only one of them shows a / 2"],
    ["a batch", batch(product), batch(), "only one of them shows a / 1"],
    ["the retailers", retailers("a", "b"), retailers("a"), "only one of them shows b"],
    [
      "a lookup",
      exchangeOf("lookup-by-url", product),
      exchangeOf("lookup-by-url", other),
      'product_id is "1" here and "2" there',
    ],
  ])("differ by what %s shows", (_name, one, two, text) => {
    expect(differenceOf(one, two)).toContain(text);
    expect(differenceOf(two, one)).toBeDefined();
  });
});

describe("the values of a product", () => {
  const lamp = {
    retailer: "acme",
    product_id: "1",
    title: "Lamp",
    watts: 5,
    price: 9,
    ids: [{ type: "ean", value: "7" }],
  };
  test.each<[string, Record<string, unknown>, string[]]>([
    ["the same are no difference", lamp, []],
    ["another text or number is one", { ...lamp, title: "lamp", watts: 6 }, ["title", "watts"]],
    ["in depth too", { ...lamp, ids: [{ type: "ean", value: "8" }] }, ["ids[].value"]],
    ["which product it is, is not compared here", { ...lamp, product_id: "2", retailer: "bolt" }, []],
    ["neither is what changes from hour to hour", { ...lamp, price: 8 }, []],
    ["what is missing or empty says nothing", { ...lamp, title: "", watts: null, ids: [] }, []],
    [
      "neither does another type, or another number of entries",
      { ...lamp, watts: "5", title: ["Lamp", "L"] },
      [],
    ],
  ])("%s", (_, other, paths) => {
    expect(valueDifference(lamp, other)).toEqual(paths);
    expect(valueDifference(other, lamp)).toEqual(paths);
  });
});
