import { describe, expect, test } from "vitest";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import type { Product } from "../../../schemas/contracts/product.ts";
import { valueAt } from "../../../schemas/json.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import {
  differsFrom,
  fieldDifference,
  identityDifference,
  productOf,
  sameContent,
  shapeDifference,
  valueDifference,
} from "./product-comparison.ts";

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

test("a type that differs is another shape, unless product.field-types judges it", () => {
  expect(shapeDifference({ ...product, gtin: "123" }, { ...product, gtin: 123 })).toEqual([
    { path: "gtin", type: "string", by: "one" },
    { path: "gtin", type: "number", by: "other" },
  ]);
  expect(shapeDifference(product, asProduct({ ...product, price: "3" }))).toEqual([]);
});

test("null or an empty string in place of a missing field is not another shape", () => {
  expect(shapeDifference(product, { ...product, brand: null, mark: "" })).toEqual([]);
  expect(shapeDifference(product, asProduct({ ...product, title: null, price: "" }))).toEqual([]);
  expect(shapeDifference({ ...product, mpn: "m" }, { ...product, mpn: null })).toEqual([]);
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

test("shapes differ in fields that only one product has, at any depth", () => {
  const deep = { ...product, sizes: [{ eu: 1 }], images: [] };
  expect(shapeDifference(deep, { ...deep, price: 9, sizes: [{ eu: 2 }, { eu: 3 }] })).toEqual([]);
  expect(shapeDifference(deep, { ...deep, sizes: [{ eu: 1, us: 2 }] })).toEqual([
    { path: "sizes[].us", by: "other" },
  ]);
  const { images: _images, ...without } = deep;
  expect(shapeDifference(deep, without)).toEqual([{ path: "images", by: "one" }]);
  expect(shapeDifference(without, deep)).toEqual([{ path: "images", by: "other" }]);
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
    expect(valueDifference(asProduct(one), asProduct(other))).toEqual(paths);
    expect(valueDifference(asProduct(other), asProduct(one))).toEqual(paths);
  });

  test.each<[string, one: object, other: object]>([
    ["the identity of the product", { product_id: "1" }, { product_id: "2" }],
    ["a field that changes from hour to hour", { price: 1 }, { price: 2 }],
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
    expect(valueDifference(asProduct(one), asProduct(other))).toEqual([]);
    expect(valueDifference(asProduct(other), asProduct(one))).toEqual([]);
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
    expect(fieldDifference(byId, found, path, "/p")).toEqual({
      code: "differs-between-ways",
      subject: path,
      comparedPath: expected.path?.slice("/p".length),
      ...expected,
    });
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
