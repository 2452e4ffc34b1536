import { expect, it } from "vitest";
import { clientOfTests, walk } from "../../test/support/service.ts";

const client = await clientOfTests();

const page = (parameters: Record<string, string>, key: "primary" | "sameOrg" | "otherOrg" = "primary") =>
  client.get(`/products?${new URLSearchParams(parameters)}`, key);

it("gives pages of 20 without a limit, cuts a limit to 100, rejects an invalid limit", async () => {
  expect((await walk(client, "home & garden")).pages[0]?.json.meta.count).toBeLessThanOrEqual(20);
  const hundred = await page({ category: "home & garden", limit: "100" });
  expect((await page({ category: "home & garden", limit: "5000" })).text).toBe(hundred.text);
  expect((await page({ category: "shoes", limit: "1" })).json.products.length).toBeLessThanOrEqual(1);
  for (const limit of ["0", "-1", "1.5", "many", "", " 5", "1e2", "99999999999999999999"]) {
    const reply = await page({ category: "shoes", limit });
    expect([limit, reply.status]).toEqual([limit, 400]);
  }
});

it("rejects a cursor that is garbage, changed, of another category or organization", async () => {
  const { next_cursor: cursor } = (await page({ category: "shoes", limit: "2" })).json.meta;
  expect((await page({ category: "shoes", cursor })).status).toBe(200);
  expect((await page({ category: "shoes", cursor }, "sameOrg")).status).toBe(200);
  const flipped = [...cursor].map((_, at) => {
    const other = cursor[at] === "A" ? "B" : "A";
    return cursor.slice(0, at) + other + cursor.slice(at + 1);
  });
  for (const bad of [...flipped, "garbage", "", `${cursor}A`, `${cursor}=`, cursor.slice(1)]) {
    expect([bad, (await page({ category: "shoes", cursor: bad })).status]).toEqual([bad, 400]);
  }
  expect((await page({ category: "books", cursor })).status).toBe(400);
  expect((await page({ category: "shoes", cursor }, "otherOrg")).status).toBe(400);
});

it("gives an empty page for a category without products", async () => {
  const { status, json } = await page({ category: "nothing like it" });
  expect([status, json.products, json.meta]).toEqual([200, [], { next_cursor: "", count: 0 }]);
});
