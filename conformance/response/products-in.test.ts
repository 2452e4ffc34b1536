import { expect, test } from "vitest";
import { wrappingsOf } from "../../schemas/product-values.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Endpoint } from "../client/requests.ts";
import { productsIn } from "./products-in.ts";

const one = { retailer: "a", product_id: "1" };
const two = { retailer: "b", product_id: "2" };

test.each<Endpoint>(["lookup-by-id", "lookup-by-url", "lookup-by-gtin"])(
  "%s: the body is the product",
  (endpoint) => {
    expect(productsIn(exchangeOf(endpoint, one), {})).toEqual([{ path: "", product: one }]);
  },
);

test("a page: each entry with its path, except those that are not objects", () => {
  const page = exchangeOf("category-page", { products: [one, null, "x", [two], two], meta: {} });
  expect(productsIn(page, {})).toEqual([
    { path: "/products/0", product: one },
    { path: "/products/4", product: two },
  ]);
});

test("a batch: by the target's field names, the entry itself or the product in it", () => {
  const plain = exchangeOf("batch", { hits: [one, two], errors: [{ ...one }] });
  expect(productsIn(plain, { batchFoundField: "hits", batchFoundProduct: "" })).toEqual([
    { path: "/hits/0", product: one },
    { path: "/hits/1", product: two },
  ]);
  expect(productsIn(plain, { batchFoundField: "hits" })).toHaveLength(2);
  const wrapped = exchangeOf("batch", { hits: [{ item: one }, { item: null }, two] });
  expect(productsIn(wrapped, { batchFoundField: "hits", batchFoundProduct: "item" })).toEqual([
    { path: "/hits/0/item", product: one },
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
])("%s has no product", (_name, exchange) => {
  expect(productsIn(exchange, { batchFoundField: "products" })).toEqual([]);
});

test("a wrapper around a product is found, and none when there is no wrapper or product", () => {
  const seen = { retailer: "a", title: "T" };
  const at = (path: string) => [{ code: "wrapped-product", path }];
  expect(wrappingsOf({ data: seen })).toEqual(at("/data"));
  expect(wrappingsOf({ products: [null, seen], meta: {} })).toEqual(at("/products/1"));
  expect(wrappingsOf([seen])).toEqual(at(""));
  const bare = [{}, { id: 1 }, { retailer: "a", seller: seen }, { brand: { title: "T" } }, null, "x", 7];
  for (const body of bare) expect(wrappingsOf(body), JSON.stringify(body)).toEqual([]);
});
