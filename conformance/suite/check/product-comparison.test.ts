import { expect, test } from "vitest";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { valueAt } from "../../../schemas/json.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import { identityDifference, sameContent } from "./product-comparison.ts";

const product = { retailer: "a", product_id: "1", product_url: "https://a.example/1", price: 3, title: "T" };
const other = { ...product, product_id: "2" };

test.each<[object, object | undefined]>([
  [{ price: 4, title: "U" }, undefined],
  [{ retailer: undefined, product_id: undefined, product_url: undefined }, undefined],
  // A wrong type is judged elsewhere.
  [{ product_id: 1 }, undefined],
  [{ retailer: "b" }, { path: "/hits/3/retailer", expected: "a", actual: "b" }],
  [{ product_id: "2" }, { path: "/hits/3/product_id", expected: "1", actual: "2" }],
  [{ product_url: "https://a.example/2" }, { path: "/hits/3/product_url", actual: "https://a.example/2" }],
])("a product with %j is another one: %j", (change, expected) => {
  const difference = identityDifference(product, { ...product, ...change }, "/hits/3");
  if (expected === undefined) expect(difference).toBeUndefined();
  else expect(difference).toMatchObject({ code: "other-product", ...expected });
});

const page = (...products: readonly object[]) => exchangeOf("category-page", { products });
const goingOn = exchangeOf("category-page", { products: [product], meta: { next_cursor: "x" } });
const batch = (...hits: readonly object[]) => exchangeOf("batch", { hits });
const retailers = (...slugs: readonly string[]) =>
  exchangeOf("retailers", { retailers: slugs.map((slug) => ({ slug })) });
const lookup = (body: object) => exchangeOf("lookup-by-url", body);
const refused = errorOf(401, "unauthorized");
const differencesOf = (one: Exchange, two: Exchange) =>
  sameContent("second-key")(one, two, { fieldNames: { batchFoundField: "hits" }, exchanges: [] });

test.each([
  [page(product, other), page(other, { ...product, price: 9 })],
  [batch(product), batch({ ...product, title: "U" })],
  [retailers("a", "b"), retailers("b", "a")],
  [lookup(product), lookup({ ...product, price: 9 })],
  [refused, refused],
])("two responses are alike in any order and at any price", (one, two) => {
  expect(differencesOf(one, two)).toEqual([]);
});

test.each<[string, Exchange, Exchange, Partial<Finding>]>([
  ["a page", page(product), page(product, other), { code: "shown-by-one-only", path: "/products/1" }],
  ["the next page", page(product), goingOn, { code: "shown-by-one-only", path: "/meta/next_cursor" }],
  ["a batch", batch(product), batch(), { code: "shown-by-one-only", path: "/hits/0" }],
  ["the retailers", retailers("a", "b"), retailers("a"), { subject: "b", path: "/retailers/1/slug" }],
  ["a lookup without a product", lookup(product), lookup({}), { code: "shown-by-one-only" }],
  ["a lookup", lookup(product), lookup(other), { code: "other-product", path: "/product_id", actual: "2" }],
  ["the status", lookup(product), refused, { code: "status-differs", expected: 200, actual: 401 }],
])("two responses differ in %s", (_name, one, two, finding) => {
  const [difference] = differencesOf(one, two);
  expect(difference).toMatchObject({ ...finding, condition: "second-key" });
  // The path exists in the body of the exchange that the finding names.
  const { path = "", exchange = 0 } = difference ?? {};
  expect(valueAt([two, one][exchange]?.response.json, path)).toBeDefined();
  expect(differencesOf(two, one)).not.toEqual([]);
});
