import { beforeEach, describe, expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import { loadValidators } from "../../test/support/rule-examples/every-rule.ts";
import { createResponseRules, type ResponseRules } from "./response-rules.ts";

// What the load says of the examples of each rule is compared with the suite in scripts/load/same-judgement.test.ts.

const path = "/products/north/A%2F1";
const good = { retailer: "north", product_id: "A/1", title: "Bottle", price: 9.5, tags: ["a"] };

let rules: ResponseRules;
beforeEach(() => {
  rules = createResponseRules(loadValidators, {
    batchFoundField: "found",
    batchFoundProduct: "item",
    gtin: "gtin",
  });
});

function check(body: unknown, status = 200, name: RequestKindId = "lookup-by-id", at = path, sent?: string) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const json = () => JSON.parse(text) as unknown;
  return rules.check(name, at, status, { body: text, json }, sent);
}

describe("a product", () => {
  test("with the right fields is valid, however few", () => {
    expect(check(good)).toBeUndefined();
    expect(check({ product_id: "A/1" })).toBeUndefined();
    expect(check({ ...good, title: 'says "null" and ""' })).toBeUndefined();
  });

  test.each(["lookup-by-id", "lookup-by-url", "lookup-by-gtin"] as const)(
    "without any field of a product is none: %s",
    (name) => {
      for (const body of [{}, { echo: "x" }])
        expect(check(body, 200, name)).toEqual({ code: "missing-field", path: "/product_id" });
    },
  );

  test.each<[unknown, Finding]>([
    [
      { ...good, title: 7 },
      { code: "wrong-type", path: "/title", expected: "string", actual: 7 },
    ],
    [
      { ...good, currency: null },
      { code: "null-value", path: "/currency" },
    ],
    [
      { ...good, currency: "" },
      { code: "empty-string", path: "/currency" },
    ],
    [
      { ...good, images: [{ url: "a", alt: [null] }] },
      { code: "null-value", path: "/images/0/alt/0" },
    ],
    [
      { ...good, title: "half \ud83d" },
      { code: "half-character", path: "/title" },
    ],
    [[], { code: "wrong-type", path: "", expected: "object", actual: { type: "array", size: 0 } }],
    ["<html>", { code: "not-json", details: { status: 200 } }],
    ["", { code: "not-json", details: { status: 200, cause: "empty" } }],
    // k6 would need hundreds of megabytes to parse it.
    [`${'{"a":['.repeat(9000)}1${"]}".repeat(9000)}`, { code: "not-json", details: { status: 200 } }],
    [
      { error: { code: "not_found", message: "none" } },
      { code: "error-in-success", details: { status: 200 } },
    ],
    [
      { ...good, product_id: "A/2" },
      { code: "other-product", path: "/product_id", expected: "A/1", actual: "A/2" },
    ],
  ])("%j is not", (body, expected) => {
    expect(check(body)).toEqual(expected);
  });

  test("found by URL or GTIN may have any id, but no other GTIN", () => {
    const at = "/products?gtin=4006381333931";
    for (const gtin of [undefined, "04006381333931"])
      expect(check({ ...good, gtin }, 200, "lookup-by-gtin", at)).toBeUndefined();
    expect(check({ ...good, gtin: "4006381333948" }, 200, "lookup-by-gtin", at)).toMatchObject({
      code: "told-otherwise",
      path: "/gtin",
    });
  });
});

test.each<[number, string, Finding | undefined]>([
  [404, "not_found", undefined],
  [429, "rate_limited", undefined],
  [502, "upstream_error", undefined],
  [418, "teapot", undefined],
  [
    404,
    "bad_request",
    {
      code: "error-code-mismatch",
      path: "/error/code",
      expected: "not_found",
      actual: "bad_request",
      details: { status: 404 },
    },
  ],
  [403, "", { code: "empty-string", path: "/error/code" }],
])("an error %d with code %j", (status, code, expected) => {
  expect(check({ error: { code, message: "no" } }, status)).toEqual(expected);
});

test("a page is checked with its products; an empty cursor is valid", () => {
  const page = (products: unknown[], meta: unknown = { next_cursor: "", count: 1 }) =>
    check({ products, meta }, 200, "category-page", "/products?category=a");
  expect(page([good])).toBeUndefined();
  expect(page([{ ...good, title: "" }])).toEqual({ code: "empty-string", path: "/products/0/title" });
  expect(page([{ ...good, price: "1" }])).toMatchObject({ code: "wrong-type", path: "/products/0/price" });
  expect(page([good], { count: 1 })).toEqual({ code: "missing-field", path: "/meta/next_cursor" });
  expect(page([good], { next_cursor: null, count: 1 })).toEqual({
    code: "null-value",
    path: "/meta/next_cursor",
  });
});

test("a batch is checked with its counters, errors and found products", () => {
  const meta = { total: 1, found: 1, not_found: 0, other_errors: 0 };
  const batch = (body: unknown) => check(body, 200, "batch", "/products/batch-lookup");
  const found = (change: object) => batch({ found: [{ item: { ...good, ...change } }], errors: [], meta });
  expect(found({})).toBeUndefined();
  expect(found({ title: null })).toEqual({ code: "null-value", path: "/found/0/item/title" });
  expect(found({ price: "1" })).toMatchObject({ code: "wrong-type", path: "/found/0/item/price" });
  expect(batch({ found: [], errors: [], meta: { ...meta, not_found: null } })).toEqual({
    code: "null-value",
    path: "/meta/not_found",
  });
  expect(batch({ errors: [], meta })).toEqual({ code: "missing-field", path: "/found" });
  expect(batch({ found: 1, errors: [], meta })).toMatchObject({ code: "wrong-type", path: "/found" });
  expect(batch({ found: [], errors: [{ retailer: "a" }], meta })?.code).toBe("missing-field");
});
