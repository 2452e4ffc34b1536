import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "./start.ts";
import { clientOfTest, startClient } from "./testing/client.ts";
import { temporaryFolder } from "./testing/temporary-folder.ts";

it("finishes the requests under way when it stops, and takes no more", async () => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  const log = (line: string) => {
    if (line.includes("incoming request")) resolve();
  };
  const client = await startClient({ products: 30, variants: ["slow"], log });
  const underWay = client.get("/retailers");
  await arrived;
  const stopped = client.service.stop();
  expect((await underWay).status).toBe(200);
  await stopped;
  await expect(client.get("/retailers")).rejects.toThrow();
});

it("may be stopped twice", async () => {
  const service = await startService({ products: 5 });
  await Promise.all([service.stop(), service.stop()]);
  await service.stop();
});

it("keeps its catalogue and its cursors in a file, and makes new keys at each start", async () => {
  const db = join(await temporaryFolder(), "service.db");
  const before = await startClient({ db, products: 60, seed: 5 });
  const page = await before.get("/products?category=shoes&limit=3");
  const next = `/products?category=shoes&limit=3&cursor=${page.json.meta.next_cursor}`;
  const second = await before.get(next);
  await before.service.stop();
  const after = await clientOfTest({ db, products: 999, seed: 6 });
  expect((await after.get("/products?category=shoes&limit=3")).json.products).toEqual(page.json.products);
  expect((await after.get(next)).json).toEqual(second.json);
  expect(second.json.products.length).toBeGreaterThan(0);
  const oldKey = { "x-api-key": before.service.keys.primary };
  expect((await after.get("/retailers", "none", oldKey)).status).toBe(401);
});

it("says that a port is in use, and that a file is no database", async () => {
  const first = await clientOfTest({ products: 5 });
  const port = Number(new URL(first.service.baseUrl).port);
  await expect(startService({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  await expect(startService({ db: new URL(import.meta.url).pathname })).rejects.toThrow(
    "cannot be opened as a database",
  );
});

it("makes the same catalogue for the same seed, another for another", async () => {
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
