import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeEach, describe, expect, test } from "vitest";
import batchResult from "../../schemas/batch-result.schema.json" with { type: "json" };
import errorBody from "../../schemas/error-body.schema.json" with { type: "json" };
import present from "../../schemas/present.schema.json" with { type: "json" };
import product from "../../schemas/product.schema.json" with { type: "json" };
import productList from "../../schemas/product-list.schema.json" with { type: "json" };
import retailer from "../../schemas/retailer.schema.json" with { type: "json" };
import retailers from "../../schemas/retailers.schema.json" with { type: "json" };
import type { RequestKindId } from "../../schemas/scenarios.ts";
import { type AnswerRules, createAnswerRules } from "./answer-rules.ts";
import type { Validators } from "./validators.ts";

const ajv = new Ajv2020({ schemas: [product, retailer], strict: false });
const validators = {
  product: ajv.compile({ $ref: product.$id }),
  present: ajv.compile(present),
  productList: ajv.compile(productList),
  batchResult: ajv.compile(batchResult),
  errorBody: ajv.compile(errorBody),
  retailers: ajv.compile(retailers),
} as Validators;
const path = "/products/north/A%2F1";
const good = { retailer: "north", product_id: "A/1", title: "Bottle", price: 9.5, tags: ["a"] };

let rules: AnswerRules;
let parsed: number;
beforeEach(() => {
  rules = createAnswerRules(validators, { batchFoundField: "found", batchFoundProduct: "item" });
  parsed = 0;
});

function flaw(body: unknown, status = 200, name: RequestKindId = "lookup-by-id", at = path) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const json = () => {
    parsed += 1;
    return JSON.parse(text) as unknown;
  };
  return rules.flaw(name, at, status, { body: text, json });
}

describe("a product", () => {
  test("with the right fields is good, however few", () => {
    expect(flaw(good)).toBeUndefined();
    expect(flaw({})).toBeUndefined();
    expect(flaw({ ...good, title: 'says "null" and ""' })).toBeUndefined();
  });

  test.each([
    [{ ...good, title: 7 }, "/title breaks the rule type"],
    [{ ...good, price: "9.50" }, "/price breaks the rule type"],
    [{ ...good, currency: null }, "/currency breaks the rule type"],
    [{ ...good, currency: "" }, "/currency breaks the rule minLength"],
    [{ ...good, images: [{ url: "a", alt: [null] }] }, "/images/0/alt/0 breaks the rule type"],
    [[], "the body breaks the rule type"],
    ["<html>", "not JSON"],
    ["", "not JSON"],
    [{ error: { code: "not_found", message: "none" } }, "an error body with status 200"],
    [{ ...good, product_id: "A/2" }, "another product"],
    [{ ...good, retailer: "south" }, "another product"],
    [{ product_id: "2" }, "another product"],
  ])("%j is not", (body, expected) => {
    expect(flaw(body)).toContain(expected);
  });

  test("equal to the last good one for the same path is not parsed again; any other is", () => {
    expect(flaw(good)).toBeUndefined();
    expect(flaw(good)).toBeUndefined();
    expect(parsed).toBe(1);
    expect(flaw(good, 200, "lookup-by-id", "/products/north/B")).toContain("another product");
    expect(flaw({ ...good, price: 1 })).toBeUndefined();
    expect(flaw({ ...good, price: null })).toBeDefined();
    expect(flaw({ ...good, price: null })).toBeDefined();
    expect(parsed).toBe(5);
  });

  test("found by URL or GTIN may be named otherwise", () => {
    expect(flaw(good, 200, "lookup-by-gtin", "/products?gtin=1")).toBeUndefined();
  });
});

test.each([
  [404, "not_found", undefined],
  [429, "rate_limited", undefined],
  [502, "upstream_error", undefined],
  [418, "teapot", undefined],
  [404, "bad_request", "carries the code bad_request, not not_found"],
  [403, "", "breaks the rule minLength"],
])("an error %d with code %j", (status, code, expected) => {
  const found = flaw({ error: { code, message: "" } }, status);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(expected);
});

test("a page is judged with its products, and its empty cursor is no empty field", () => {
  const page = (products: unknown[], meta: unknown = { next_cursor: "", count: 1 }) =>
    flaw({ products, meta }, 200, "category-page", "/products?category=a");
  expect(page([good])).toBeUndefined();
  expect(page([{ ...good, title: "" }])).toContain("product 0: /title");
  expect(page([{ ...good, price: "1" }])).toContain("/products/0/price");
  expect(page([good], { count: 1 })).toContain("/meta breaks the rule required");
  expect(page([good], { next_cursor: null, count: 1 })).toContain("/meta/next_cursor");
});

test("a batch is judged with its counters, errors and found products", () => {
  const meta = { total: 1, found: 1, not_found: 0, other_errors: 0 };
  const batch = (body: unknown) => flaw(body, 200, "batch", "/products/batch-lookup");
  expect(batch({ found: [{ item: good }], errors: [], meta })).toBeUndefined();
  expect(batch({ found: [{ item: { ...good, title: null } }], errors: [], meta })).toContain(
    "found product 0",
  );
  expect(batch({ found: [{ item: { ...good, price: "1" } }], errors: [], meta })).toContain(
    "found 0: /price",
  );
  expect(batch({ found: [], errors: [], meta: { ...meta, not_found: null } })).toContain("/meta/not_found");
  expect(batch({ errors: [], meta })).toContain("/found is not a list");
  expect(batch({ found: [], errors: [{ retailer: "a" }], meta })).toContain("required");
});
