import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startService, UnknownChangeError } from "./start.ts";
import { type Client, path, startClient, walk } from "./testing/client.ts";

describe("a started service", () => {
  let client: Client;
  beforeAll(async () => {
    client = await startClient();
  });
  afterAll(() => client.service.stop());

  it("has categories of several pages and one of which whole pages are filtered", async () => {
    const walks = [];
    for (const category of client.service.categories) walks.push(await walk(client, category));
    expect(walks.filter(({ pages }) => pages.length > 2).length).toBeGreaterThan(1);
    const pages = walks.flatMap((its) => its.pages).map((page) => page.json.meta);
    expect(pages.some((meta) => meta.count === 0 && meta.next_cursor !== "")).toBe(true);
    expect(pages.some((meta) => meta.count > 0 && meta.count < 20 && meta.next_cursor !== "")).toBe(true);
  });

  it("gives each organization a retailer that the other has not", async () => {
    const slugs = async (key: "primary" | "sameOrg" | "otherOrg") =>
      new Set<string>(
        (await client.get("/retailers", key)).json.retailers.map((its: { slug: string }) => its.slug),
      );
    const [first, same, second] = [await slugs("primary"), await slugs("sameOrg"), await slugs("otherOrg")];
    expect(same).toEqual(first);
    expect([...first].filter((slug) => !second.has(slug))).not.toEqual([]);
    expect([...second].filter((slug) => !first.has(slug))).not.toEqual([]);
    expect([...first].filter((slug) => second.has(slug)).length).toBeGreaterThan(2);
  });

  it("answers JSON in UTF-8 below /v1", async () => {
    expect(client.service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    const paths = [
      "/retailers",
      "/products?category=shoes",
      "/products?gtin=00000000",
      "/products/a/b",
      "/x",
    ];
    for (const path of paths) {
      const { headers } = await client.get(path);
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    }
    expect(
      (await client.send("/../retailers", { headers: { "x-api-key": client.service.keys.primary } })).status,
    ).toBe(404);
  });

  it("finds every product of every category again by its identifier", async () => {
    for (const category of client.service.categories) {
      for (const product of (await walk(client, category)).products) {
        const again = await client.get(path("products", product.retailer, product.product_id));
        expect(again.json, product.product_id).toEqual(product);
      }
    }
  });
});

it("names the variants it knows when asked for another", async () => {
  const failure = await startService({ faults: ["null-feild"] }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UnknownChangeError);
  expect(failure).toMatchObject({ kind: "fault", name: "null-feild" });
  expect((failure as UnknownChangeError).known).toContain("null-field");
});

it("starts with very few products", async () => {
  const client = await startClient({ products: 3 });
  const counts = [];
  for (const category of client.service.categories)
    counts.push((await walk(client, category)).products.length);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
  await client.service.stop();
});
