import { expect, test } from "vitest";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { valueAt } from "../../../schemas/json.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import { identityDifference, sameContent } from "./product-comparison.ts";

const product = { retailer: "a", product_id: "1", product_url: "https://a.example/1", price: 3, title: "T" };
const other = { ...product, product_id: "2" };

test("the same product may have another price, title or freshness, or lack a field; a wrong type is judged elsewhere", () => {
  const changed = [
    { ...product, price: 4, title: "U" },
    { price: 3 },
    { ...product, product_id: 1 as never },
  ];
  for (const one of changed) expect(identityDifference(product, one)).toBeUndefined();
});

test.each([
  ["retailer", "a", "b"],
  ["product_id", "1", "2"],
  ["product_url", "https://a.example/1", "https://a.example/2"],
])("another %s means another product", (field, expected, actual) => {
  const difference = { code: "other-product", path: `/hits/3/${field}`, expected, actual };
  expect(identityDifference(product, { ...product, [field]: actual }, "/hits/3")).toEqual(difference);
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
