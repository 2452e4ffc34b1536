import { expect, test } from "vitest";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { product } from "../../schemas/contracts/product.ts";
import { batchResult, errorBody, productList, retailers } from "../../schemas/contracts/responses.ts";
import type { Schema } from "../../schemas/contracts/schema.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import { createResponseRules } from "./response-rules.ts";

// What the load says of the examples of each rule is compared with the suite in scripts/load/same-judgement.test.ts.

const good = { retailer: "north", product_id: "A/1", title: "Bottle", price: 9.5, tags: ["a"] };
const another = { ...good, product_id: "A/2" };
const rules = createResponseRules({ batchFoundField: "found", batchFoundProduct: "item", gtin: "gtin" });

const paths: Partial<Record<RequestKindId, string>> = {
  "lookup-by-id": "/products/north/A%2F1",
  "lookup-by-gtin": "/products?gtin=4006381333931",
  "lookup-by-url": "/products?url=http%3A%2F%2Fa.b%2F1",
};

const sent = JSON.stringify({ items: [{ retailer: "north", product_id: "A/1" }] });

function check(name: RequestKindId, body: unknown, status = 200): Finding | undefined {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const json = () => JSON.parse(text) as unknown;
  const call = { name, path: paths[name] ?? "/products", body: sent, sought: '"A/1"' };
  return rules.check(call, { status, body: text, json });
}

const page = (products: unknown, meta: unknown = { next_cursor: "", count: 1 }) => ({ products, meta });
const counters = { total: 1, found: 1, not_found: 0, other_errors: 0 };
const batch = (change: object, more: object = {}) => ({
  ...{ found: [{ item: { ...good, ...change } }], errors: [], meta: counters },
  ...more,
});

test.each<[RequestKindId, unknown]>([
  ["lookup-by-id", good],
  ["lookup-by-id", { ...good, title: 'says "null" and ""', price: 1 }],
  ["lookup-by-gtin", good],
  ["lookup-by-gtin", { ...good, gtin: "04006381333931" }],
  ["lookup-by-url", { ...another, product_url: "http://a.b/1" }],
  // An empty cursor is valid.
  ["category-page", page([good])],
  ["batch", batch({})],
  ["batch", batch({ retailer: undefined, product_id: undefined })],
  ["retailers", { retailers: [{ slug: "north", domains: [] }] }],
])("%s: %j is right", (name, body) => {
  expect(check(name, body)).toBeUndefined();
});

test.each([
  [10, "", "category-emptied"],
  [9, "", undefined],
  [undefined, "", undefined],
  [10, "next", undefined],
])("after a walk with %s products, an empty page with cursor %j is %s", (had, next_cursor, code) => {
  const call = { name: "category-page", path: "/products?category=hats", had } as const;
  const body = page([], { next_cursor, count: 0 });
  const response = { status: 200, body: JSON.stringify(body), json: () => body };
  expect(createResponseRules({}).check(call, response)?.code).toBe(code);
});

test("the schemas of responses have a type everywhere, and no keyword that the check does not know", () => {
  const known = ["type", "required", "minLength", "minimum"];
  const schemas: Schema[] = [product, productList, batchResult, retailers, errorBody];
  const look = (schema: Schema): void => {
    const { properties, items, ...keywords } = schema;
    expect(known).toEqual(expect.arrayContaining(Object.keys(keywords)));
    expect(keywords.type).toBeDefined();
    const inner = Object.values((properties ?? {}) as Record<string, Schema>);
    for (const one of items === undefined ? inner : [...inner, items as Schema]) look(one);
  };
  for (const schema of schemas) look(schema);
});

test.each<[RequestKindId, unknown, Finding["code"], path?: string | undefined, more?: object]>([
  ["lookup-by-id", { ...good, title: 7 }, "wrong-type", "/title", { expected: "string", actual: 7 }],
  ["lookup-by-id", { ...good, currency: null }, "null-value", "/currency"],
  ["lookup-by-id", { ...good, currency: "" }, "empty-string", "/currency"],
  ["lookup-by-id", { ...good, images: [{ alt: [null] }] }, "null-value", "/images/0/alt/0"],
  ["lookup-by-id", { ...good, title: "half \ud83d" }, "half-character", "/title"],
  ["lookup-by-id", [], "wrong-type", "", { expected: "object", actual: [] }],
  ["lookup-by-id", "<html>", "not-json", undefined, { details: { status: 200 } }],
  ["lookup-by-id", "", "not-json", undefined, { details: { status: 200, cause: "empty" } }],
  // k6 would need hundreds of megabytes to parse it.
  ["lookup-by-id", `${'{"a":['.repeat(9000)}1${"]}".repeat(9000)}`, "not-json"],
  ["lookup-by-id", { error: { code: "not_found", message: "none" } }, "error-in-success"],
  ["lookup-by-id", { ...good, product_id: "A/2" }, "other-product", "/product_id", { expected: "A/1" }],
  ["lookup-by-id", {}, "missing-field", "/product_id"],
  ["lookup-by-url", { echo: "x" }, "missing-field", "/product_id"],
  ["lookup-by-url", { ...another, product_url: "http://a.b/2" }, "other-product", "/product_id"],
  ["lookup-by-gtin", { ...good, gtin: "4006381333948" }, "told-otherwise", "/gtin"],
  ["category-page", page([good], { count: 1 }), "missing-field", "/meta/next_cursor"],
  ["category-page", page([good], { next_cursor: null, count: 1 }), "null-value", "/meta/next_cursor"],
  ["category-page", page([], { next_cursor: "", count: -1 }), "wrong-format", "/meta/count"],
  ["category-page", page([], { next_cursor: "", count: 1.5 }), "wrong-format", "/meta/count"],
  ["batch", batch({ title: null }), "null-value", "/found/0/item/title"],
  ["batch", batch({}, { meta: { ...counters, not_found: null } }), "null-value", "/meta/not_found"],
  ["batch", batch({}, { found: undefined }), "missing-field", "/found"],
  ["batch", batch({}, { found: 1 }), "wrong-type", "/found"],
  ["batch", batch({}, { found: [null] }), "null-value", "/found/0"],
  ["batch", batch({}, { errors: [{ retailer: "a" }] }), "missing-field", "/errors/0/product_id"],
])("%s: %j is not", (name, body, code, path, more = {}) => {
  expect(check(name, body)).toMatchObject({ code, ...(path === undefined ? {} : { path }), ...more });
});

const path = "/error/code";
test.each<[number, string, Finding?]>([
  [404, "not_found"],
  [429, "rate_limited"],
  [502, "upstream_error"],
  [418, "teapot"],
  [
    ...([404, "bad_request"] as const),
    {
      ...{ code: "error-code-mismatch", path, expected: "not_found", actual: "bad_request" },
      details: { status: 404 },
    },
  ],
  [403, "", { code: "empty-string", path, details: { status: 403 } }],
])("an error %d with code %j", (status, code, expected) => {
  expect(check("lookup-by-id", { error: { code, message: "no" } }, status)).toEqual(expected);
});
