import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, startClient } from "../../test/support/service.ts";

describe("authentication", () => {
  let client: Client;
  let key: string;
  beforeAll(async () => {
    client = await startClient({ products: 60 });
    key = client.service.keys.primary;
  });
  afterAll(() => client.service.stop());

  const retailers = (headers: Record<string, string>) => client.get("/retailers", "none", headers);

  it("accepts a key in either header, with the same response", async () => {
    for (const path of ["/retailers", "/products?category=shoes", "/products/nobody/1", "/products"]) {
      const bearer = await client.get(path, "none", { authorization: `Bearer ${key}` });
      const plain = await client.get(path, "none", { "x-api-key": key });
      expect([plain.status, plain.text]).toEqual([bearer.status, bearer.text]);
      expect(plain.status).not.toBe(401);
    }
  });

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

  it("scopes keys to one organization: two keys of one see the same, another's does not", async () => {
    const [first, same, other] = [
      await client.get("/retailers", "primary"),
      await client.get("/retailers", "sameOrg"),
      await client.get("/retailers", "otherOrg"),
    ];
    expect(same.text).toBe(first.text);
    expect(other.text).not.toBe(first.text);
  });

  it("requires a key on every endpoint, even to learn whether a path exists", async () => {
    const batch = { method: "POST", headers: { "content-type": "application/json" }, body: '{"items":[]}' };
    expect((await client.send("/products/batch-lookup", batch)).status).toBe(401);
    for (const path of ["/retailers", "/products", "/products/a/b", "/nothing"]) {
      expect((await client.get(path, "none")).status, path).toBe(401);
    }
  });
});
