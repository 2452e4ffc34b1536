import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, clientOfTest, path, startClient, walk } from "../test/support/service.ts";
import { startService } from "./start.ts";
import type { WireChange } from "./wire.ts";

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

  it("returns JSON in UTF-8 below /v1", async () => {
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
});

it("finds every product of every category again by its identifier", async () => {
  const client = await clientOfTest({ products: 60 });
  for (const category of client.service.categories) {
    for (const product of (await walk(client, category)).products) {
      const again = await client.get(path("products", product.retailer, product.product_id));
      expect(again.json, product.product_id).toEqual(product);
    }
  }
});

it("starts with very few products", async () => {
  const client = await clientOfTest({ products: 3 });
  const counts = [];
  for (const category of client.service.categories)
    counts.push((await walk(client, category)).products.length);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
});

it("finishes the requests under way when it stops, and takes no more", async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const log = (line: string) => {
    if (line.includes("incoming request")) resolve();
  };
  const waiting: WireChange = (send) => async (request) => {
    const response = await send(request);
    await released;
    return response;
  };
  const client = await startClient({ products: 30, wire: [waiting], log });
  const underWay = client.get("/retailers");
  await arrived;
  const stopped = client.service.stop();
  release();
  expect((await underWay).status).toBe(200);
  await stopped;
  await expect(client.get("/retailers")).rejects.toThrow();
});

it("may be stopped twice", async () => {
  const service = await startService({ products: 5 });
  await Promise.all([service.stop(), service.stop()]);
  await service.stop();
  await expect(fetch(`${service.baseUrl}/retailers`)).rejects.toThrow("fetch failed");
});

it("says that a port is in use", async () => {
  const first = await clientOfTest({ products: 5 });
  const port = Number(new URL(first.service.baseUrl).port);
  await expect(startService({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

it("makes the same catalog for the same seed, another for another", async () => {
  const pageOf = async (seed: number) => {
    const client = await startClient({ products: 60, seed });
    const page = await client.get("/products?category=shoes&limit=30");
    await client.service.stop();
    return page.json.products;
  };
  const first = await pageOf(1);
  expect(await pageOf(1)).toEqual(first);
  expect(await pageOf(2)).not.toEqual(first);
});

it("logs requests as JSON lines with neither a key nor a URL in them", async () => {
  const lines: string[] = [];
  const client = await clientOfTest({ products: 30, log: (line) => lines.push(line) });
  const { keys } = client.service;
  const canary = "canary-7f3a";
  await client.get("/retailers", "none", { authorization: `Bearer ${keys.primary}` });
  await client.get(`/retailers?api_key=${keys.primary}&x=${canary}`);
  await client.get(`/products/nordkauf/${canary}`);
  await client.get(`/${canary}`, "none", { "x-api-key": canary });
  await client.batch({ items: [{ retailer: canary, product_id: canary }] });
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries.filter(({ msg }) => msg === "request completed").length).toBe(5);
  expect(entries.some(({ req }) => req?.route === "/v1/products/:retailer/:product_id")).toBe(true);
  for (const secret of [...Object.values(keys), canary]) expect(lines.join("")).not.toContain(secret);
});
