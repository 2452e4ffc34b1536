import { expect, test } from "vitest";
import type { Endpoint } from "../client/requests.ts";
import { errorOf, exchangeOf } from "../testing/stub-exchange.ts";
import { isObject, productsIn, wrappingsOf } from "./products-in.ts";

const one = { retailer: "a", product_id: "1" };
const two = { retailer: "b", product_id: "2" };

test.each<Endpoint>(["lookup-by-id", "lookup-by-url", "lookup-by-gtin"])(
  "%s: the body is the product",
  (endpoint) => {
    expect(productsIn(exchangeOf(endpoint, one), {})).toEqual([{ at: "", product: one }]);
  },
);

test("a page: each entry, and where it stands; what is no object is left out", () => {
  const page = exchangeOf("category-page", { products: [one, null, "x", [two], two], meta: {} });
  expect(productsIn(page, {})).toEqual([
    { at: "products[0]", product: one },
    { at: "products[4]", product: two },
  ]);
});

test("a batch: by the target's dialect, the entry itself or what it wraps", () => {
  const plain = exchangeOf("batch", { hits: [one, two], errors: [{ ...one }] });
  expect(productsIn(plain, { batchFoundField: "hits", batchFoundProduct: "" })).toEqual([
    { at: "hits[0]", product: one },
    { at: "hits[1]", product: two },
  ]);
  expect(productsIn(plain, { batchFoundField: "hits" })).toHaveLength(2);
  const wrapped = exchangeOf("batch", { hits: [{ item: one }, { item: null }, two] });
  expect(productsIn(wrapped, { batchFoundField: "hits", batchFoundProduct: "item" })).toEqual([
    { at: "hits[0].item", product: one },
  ]);
  expect(productsIn(plain, {})).toEqual([]);
});

test.each([
  ["an error", errorOf(404, "not_found")],
  ["another success", exchangeOf("lookup-by-url", one, { status: 204 })],
  ["a body that is no object", exchangeOf("lookup-by-url", [one])],
  ["a body that is no JSON", exchangeOf("lookup-by-url", undefined, { text: "<html>" })],
  ["a page without a list", exchangeOf("category-page", { products: one })],
  ["retailers", exchangeOf("retailers", { retailers: [one], products: [one] })],
  ["anything else", exchangeOf("other", one)],
])("%s carries no product", (_name, exchange) => {
  expect(productsIn(exchange, { batchFoundField: "products" })).toEqual([]);
});

test("only what has fields is an object", () => {
  expect([{}, { a: 1 }].every(isObject)).toBe(true);
  expect([null, undefined, [], "x", 1, true].some(isObject)).toBe(false);
});

test("what is around a product is told, and nothing of a product or of what shows none", () => {
  const seen = { retailer: "a", title: "T" };
  expect(wrappingsOf({ data: seen })).toEqual(['the product sits under "data"']);
  expect(wrappingsOf({ products: [null, seen], meta: {} })).toEqual([
    'the product sits in a list under "products"',
  ]);
  expect(wrappingsOf([seen])).toEqual(["it is a list"]);
  const bare = [{}, { id: 1 }, { retailer: "a", seller: seen }, { brand: { title: "T" } }, null, "x", 7];
  for (const body of bare) expect(wrappingsOf(body), JSON.stringify(body)).toEqual([]);
});
