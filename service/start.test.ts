import { expect, it } from "vitest";
import { clientOfTest, startClient, walk } from "../test/support/service.ts";
import { startService } from "./start.ts";
import type { WireChange } from "./wire.ts";

it("has categories of several pages and one of which whole pages are filtered", async () => {
  const client = await clientOfTest();
  const walks = [];
  for (const category of client.service.categories) walks.push(await walk(client, category));
  expect(walks.filter(({ pages }) => pages.length > 2).length).toBeGreaterThan(1);
  const pages = walks.flatMap((its) => its.pages).map((page) => page.json.meta);
  expect(pages.some((meta) => meta.count === 0 && meta.next_cursor !== "")).toBe(true);
  expect(pages.some((meta) => meta.count > 0 && meta.count < 20 && meta.next_cursor !== "")).toBe(true);
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
