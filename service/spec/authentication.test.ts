import { expect, it } from "vitest";
import { clientOfTests } from "../../test/support/service.ts";

const client = await clientOfTests({ products: 60 });
const key = client.service.keys.primary;

const retailers = (headers: Record<string, string>) => client.get("/retailers", "none", headers);

it.each([
  ["no header", {}],
  ["an unknown key", { "x-api-key": "pcl_nobody" }],
  ["an unknown bearer", { authorization: "Bearer pcl_nobody" }],
  ["an empty key", { "x-api-key": "" }],
  ["an empty bearer", { authorization: "Bearer " }],
  ["another scheme", { authorization: "Basic dXNlcjpwYXNz" }],
])("rejects %s with 401 unauthorized", async (_name, headers) => {
  const reply = await retailers(headers);
  expect(reply.status).toBe(401);
  expect(reply.json.error.code).toBe("unauthorized");
  expect(reply.headers.get("www-authenticate")).toBe("Bearer");
});

it("rejects a bare key in Authorization, accepts the scheme in any case", async () => {
  expect((await retailers({ authorization: key })).status).toBe(401);
  expect((await retailers({ authorization: `bEARER ${key}` })).status).toBe(200);
});

it("accepts two headers only with the same key", async () => {
  const other = client.service.keys.sameOrg;
  expect((await retailers({ authorization: `Bearer ${key}`, "x-api-key": key })).status).toBe(200);
  expect((await retailers({ authorization: `Bearer ${key}`, "x-api-key": other })).status).toBe(401);
  expect((await retailers({ authorization: "Bearer wrong", "x-api-key": key })).status).toBe(401);
  expect((await retailers({ authorization: "Basic abc", "x-api-key": key })).status).toBe(200);
});

it("requires a key on every endpoint, even to learn whether a path exists", async () => {
  const batch = { method: "POST", headers: { "content-type": "application/json" }, body: '{"items":[]}' };
  expect((await client.send("/products/batch-lookup", batch)).status).toBe(401);
  for (const path of ["/retailers", "/products", "/products/a/b", "/nothing"]) {
    expect((await client.get(path, "none")).status, path).toBe(401);
  }
});
