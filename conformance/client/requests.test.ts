import { expect, test } from "vitest";
import { batch, byCategory, byGtin, byId, byUrl, query, retailers } from "./requests.ts";

const awkward = "a/b?c=d&e#f%41+ü😀'\"";

test.each([
  [retailers(), "/retailers", "retailers"],
  [byId("a", "1"), "/products/a/1", "lookup-by-id"],
  [byUrl("https://x.example/a?b=c"), "/products?url=https%3A%2F%2Fx.example%2Fa%3Fb%3Dc", "lookup-by-url"],
  [byGtin("123"), "/products?gtin=123", "lookup-by-gtin"],
  [byGtin("123", "a b"), "/products?gtin=123&retailer=a%20b", "lookup-by-gtin"],
  [byCategory("c"), "/products?category=c", "category-page"],
  [
    byCategory("c", { limit: "5", cursor: "x+y=" }),
    "/products?category=c&limit=5&cursor=x%2By%3D",
    "category-page",
  ],
  [query("other", {}), "/products", "other"],
  [query("other", { gtin: "", url: undefined }), "/products?gtin=", "other"],
])("%j has the path %s", (request, path, endpoint) => {
  expect(request).toMatchObject({
    path,
    endpoint,
    method: "GET",
    caller: "primary",
    keyHeader: "either",
    headers: {},
  });
  expect(request.body).toBeUndefined();
});

test("every character survives in a path and in a query", () => {
  const [, , slug = "", id = ""] = byId(awkward, awkward).path.split("/");
  expect([slug, id].map(decodeURIComponent)).toEqual([awkward, awkward]);
  const asked = new URL(`http://x.example${byCategory(awkward, { cursor: awkward }).path}`).searchParams;
  expect([asked.get("category"), asked.get("cursor")]).toEqual([awkward, awkward]);
});

test("only ids that consist of dots have encoded dots", () => {
  expect(byId(".", "..").path).toBe("/products/%2E/%2E%2E");
  expect(byId("a.b", "...").path).toBe("/products/a.b/...");
});

test("a batch is JSON with the target's field name, or the list itself", () => {
  const items = [{ retailer: "a", product_id: awkward }];
  const named = batch(items, { batchRequestField: "lookups" });
  expect(named).toMatchObject({
    method: "POST",
    path: "/products/batch-lookup",
    endpoint: "batch",
    headers: { "content-type": "application/json" },
  });
  expect(JSON.parse(named.body ?? "")).toEqual({ lookups: items });
  for (const fieldNames of [{}, { batchRequestField: "" }])
    expect(JSON.parse(batch(items, fieldNames).body ?? "")).toEqual(items);
});
