import { afterAll, expect, test } from "vitest";
import { startService } from "../../../service/start.ts";
import { serve } from "../../../test/support/server.ts";
import { stubTarget } from "../../../test/support/stub-client.ts";
import { lookAt } from "./doctor.ts";

const service = await startService({ products: 60 });
afterAll(() => service.stop());

const bounds = { maxRequests: 200, maxSeconds: 20, signal: new AbortController().signal };

/** What doctor says with these keys in the variables. */
async function withKeys(sameOrg?: string, otherOrg?: string) {
  const keys = {
    primary: service.keys.primary,
    ...(sameOrg === undefined ? {} : { sameOrg }),
    ...(otherOrg === undefined ? {} : { otherOrg }),
  };
  const keyVariables = { primary: "FIRST", sameOrg: "SECOND", otherOrg: "OTHER" };
  const categories = service.categories.slice(0, 1);
  const target = stubTarget(service.baseUrl, { keys, keyVariables, categories });
  const { refusals, discovered } = await lookAt({ ...bounds, target });
  const doubts = discovered?.fixtures.flatMap(({ doubt }) => doubt?.message ?? []);
  const missing = discovered?.fixtures.flatMap((fixture) => fixture.missing?.code ?? []);
  return { refusals, missing, doubts };
}

test("a key whose role cannot be verified prevents no run", async () => {
  const { sameOrg, otherOrg } = service.keys;
  expect(await withKeys(undefined, sameOrg)).toMatchObject({
    refusals: [],
    doubts: [expect.stringContaining("the keys in FIRST and OTHER belong")],
  });
  expect(await withKeys(otherOrg)).toMatchObject({
    refusals: [],
    doubts: [expect.stringContaining("The key in SECOND does not see the same as")],
  });
});

test("a rejected second key has no role", async () => {
  const missing = expect.arrayContaining(["key-refused", "no-other-org-key"]);
  expect(await withKeys("never-issued")).toMatchObject({ refusals: [], missing });
});

test.each([
  [403, "which headers or client certificate a gateway requires"],
  [502, "that of any gateway"],
])("a gateway that answers with %i is named, and the key is not blamed", async (status, fix) => {
  await using stub = await serve((_request, response) => {
    response.writeHead(status, { "content-type": "text/html", server: "nginx" });
    response.end("<html><center>nginx</center></html>");
  });
  const { refusals } = await lookAt({ ...bounds, target: stubTarget(stub.baseUrl) });
  expect(refusals).toMatchObject([
    { what: expect.stringContaining("nginx"), exitCode: 3, fix: expect.stringContaining(fix) },
  ]);
});

test("a key that is accepted in X-Api-Key alone is a problem, because load sends it in Authorization", async () => {
  const deaf = await startService({
    products: 20,
    wire: [
      (send) => async (request) => {
        const { authorization: _, ...headers } = request.headers;
        return await send({ ...request, headers });
      },
    ],
  });
  const { keys, categories } = deaf;
  const target = stubTarget(deaf.baseUrl, { keys, categories });
  const seen = await lookAt({ ...bounds, target }).finally(() => deaf.stop());
  expect(seen).toMatchObject({
    refusals: [
      {
        what: expect.stringContaining("and not in `X-Api-Key`"),
        exitCode: 3,
        fix: expect.stringContaining("Load"),
      },
    ],
    notes: [],
  });
});

const seenWith = async (...categories: readonly string[]) => {
  const target = stubTarget(service.baseUrl, { keys: { primary: service.keys.primary }, categories });
  const { refusals, notes } = await lookAt({ ...bounds, target });
  return { refusals, notes: notes.map(({ found }) => found) };
};
const known = "shoes";
const noProduct = expect.stringContaining("No product was found");

test("categories without products, or none at all, are a problem, unless others have some", async () => {
  expect(await seenWith()).toMatchObject({
    refusals: [{ what: noProduct, exitCode: 3, fix: expect.stringContaining("--category") }],
  });
  const empty =
    "Category `no such category` returned this key no product whose `retailer` and `product_id` could be read.";
  expect(await seenWith("no such category")).toMatchObject({
    refusals: [{ what: noProduct }],
    notes: [empty],
  });
  expect(await seenWith(known, "no such category")).toMatchObject({ refusals: [], notes: [empty] });
});
