import { expect, test } from "vitest";
import { exchangeOf } from "../stub-exchange.ts";
import { differsFrom, identityDifference, productOf, shapeDifference } from "./product-comparison.ts";

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
  ["product_id", 1, 'product_id is "1" here and 1 there'],
  ["product_url", "https://a.example/2", 'product_url is "https://a.example/1" here and'],
])("another %s makes another product", (field, value, text) => {
  expect(identityDifference(product, { ...product, [field]: value })).toContain(text);
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
  expect(shapeDifference(deep, { ...deep, sizes: [{ eu: 1, us: 2 }] })).toEqual(["sizes[].us"]);
  const { images: _images, ...without } = deep;
  expect(shapeDifference(deep, without)).toEqual(["images"]);
  expect(shapeDifference(without, deep)).toEqual(["images"]);
});

test("what is no product has no fields", () => {
  expect(productOf(exchangeOf("GET /products?url", product))).toEqual(product);
  for (const body of [null, [product], "x", undefined])
    expect(productOf(exchangeOf("GET /products?url", body))).toEqual({});
});
