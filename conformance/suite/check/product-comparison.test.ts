import { describe, expect, test } from "vitest";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { Product } from "../../../schemas/contracts/product.ts";
import { valueAt } from "../../../schemas/json.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import { productOf } from "../../response/readers.ts";
import { differsFrom, identityDifference, sameContent } from "./product-comparison.ts";

const product = { retailer: "a", product_id: "1", product_url: "https://a.example/1", price: 3, title: "T" };

/** A body with any fields. */
const asProduct = (body: object) => body as Product;

test("the same product may have another price, title or freshness, or lack a field", () => {
  expect(
    identityDifference(product, { ...product, price: 4, title: "U", last_updated: "x" }),
  ).toBeUndefined();
  expect(identityDifference(product, { price: 3 })).toBeUndefined();
  expect(identityDifference({}, {})).toBeUndefined();
});

test.each([
  ["retailer", "a", "b"],
  ["product_id", "1", "2"],
  ["product_url", "https://a.example/1", "https://a.example/2"],
])("another %s means another product", (field, expected, actual) => {
  const difference = { code: "other-product", path: `/hits/3/${field}`, expected, actual };
  expect(identityDifference(product, { ...product, [field]: actual }, "/hits/3")).toEqual(difference);
});

test("an identity of a wrong type is judged by product.field-types", () => {
  const typed = (change: object) => asProduct({ ...product, ...change });
  expect(identityDifference(product, typed({ product_id: 1 }))).toBeUndefined();
  expect(identityDifference(product, typed({ retailer: { slug: "b" } }))).toBeUndefined();
});

test("a fixture is compared by retailer and id", () => {
  const fixture = { retailer: "a", productId: "1", product };
  expect(differsFrom(fixture, product)).toBeUndefined();
  expect(differsFrom(fixture, { product_url: "https://elsewhere.example" })).toBeUndefined();
  expect(differsFrom(fixture, { ...product, product_id: "2" })).toEqual({
    code: "other-product",
    path: "/product_id",
    expected: "1",
    actual: "2",
    product: { retailer: "a", productId: "1" },
  });
});

test("a body that is not an object has no fields", () => {
  expect(productOf(exchangeOf("lookup-by-url", product))).toEqual(product);
  for (const body of [null, [product], "x", undefined])
    expect(productOf(exchangeOf("lookup-by-url", body))).toEqual({});
});

describe("two responses to the same request", () => {
  const page = (...products: readonly object[]) => exchangeOf("category-page", { products });
  const batch = (...hits: readonly object[]) => exchangeOf("batch", { hits });
  const retailers = (...slugs: readonly string[]) =>
    exchangeOf("retailers", { retailers: slugs.map((slug) => ({ slug })) });
  const lookup = (body: object) => exchangeOf("lookup-by-url", body);
  const other = { ...product, product_id: "2" };
  const differenceOf = (one: Exchange, two: Exchange) =>
    sameContent("second-key")(one, two, { fieldNames: { batchFoundField: "hits" }, exchanges: [] });

  test("are equal in any order and at any price", () => {
    expect(differenceOf(page(product, other), page(other, { ...product, price: 9 }))).toEqual([]);
    expect(differenceOf(batch(product), batch({ ...product, title: "U" }))).toEqual([]);
    expect(differenceOf(retailers("a", "b"), retailers("b", "a"))).toEqual([]);
    expect(differenceOf(lookup(product), lookup({ ...product, price: 9 }))).toEqual([]);
  });

  test.each<[string, Exchange, Exchange, Partial<Finding>]>([
    [
      "a page",
      page(product),
      page(product, other),
      { code: "shown-by-one-only", product: { retailer: "a", productId: "2" }, path: "/products/1" },
    ],
    [
      "a batch",
      batch(product),
      batch(),
      { code: "shown-by-one-only", product: { retailer: "a", productId: "1" }, path: "/hits/0" },
    ],
    [
      "the retailers",
      retailers("a", "b"),
      retailers("a"),
      { code: "shown-by-one-only", subject: "b", path: "/retailers/1/slug" },
    ],
    ["a lookup without a product", lookup(product), lookup({}), { code: "shown-by-one-only" }],
    [
      "a lookup",
      lookup(product),
      lookup(other),
      { code: "other-product", path: "/product_id", expected: "1", actual: "2" },
    ],
  ])("differ when %s", (_name, one, two, finding) => {
    const [difference] = differenceOf(one, two);
    expect(difference).toMatchObject({ ...finding, condition: "second-key" });
    // The path exists in the body of the exchange that the finding names.
    const { path = "", exchange = 0 } = difference ?? {};
    expect(valueAt([two, one][exchange]?.response.json, path)).toBeDefined();
    expect(differenceOf(two, one)).not.toEqual([]);
  });

  test("must have the same status", () => {
    const refused = errorOf(401, "unauthorized");
    expect(differenceOf(refused, refused)).toEqual([]);
    expect(differenceOf(lookup(product), refused)).toEqual([
      {
        code: "status-differs",
        condition: "second-key",
        expected: 200,
        actual: 401,
        details: { errorCode: "unauthorized" },
        comparedWith: 1,
      },
    ]);
  });
});
