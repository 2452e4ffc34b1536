import { expect, it } from "vitest";
import { clientOfTests } from "../../test/support/service.ts";

const client = await clientOfTests({ products: 60 });
const key = client.service.keys.primary;

const retailers = (headers: Record<string, string>) => client.get("/retailers", "none", headers);

// What the suite judges on this service is shown by the proof: missing, invalid and empty keys on every endpoint.
it("rejects another scheme and a bare key in Authorization, accepts the scheme in any case", async () => {
  const reply = await retailers({ authorization: "Basic dXNlcjpwYXNz" });
  expect(reply.status).toBe(401);
  expect(reply.headers.get("www-authenticate")).toBe("Bearer");
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

it("requires a key even to learn whether a path exists", async () => {
  expect((await client.get("/nothing", "none")).status).toBe(401);
});
