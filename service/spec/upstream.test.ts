import { setTimeout } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { readPermissions } from "../access.ts";
import { type App, createApp } from "../app.ts";
import { type Catalog, sqliteCatalog } from "../catalog/catalog.ts";
import { openDatabase } from "../catalog/database.ts";
import { createCursors } from "../cursor.ts";
import { stock, withinTime } from "../start.ts";
import { createLimiter, createSteps, type Steps } from "../steps.ts";
import { splitUrl } from "../wire.ts";

const keys = { primary: "first", sameOrg: "same", otherOrg: "second" };
const database = openDatabase();
const stocked = await stock(database, { products: 20, seed: 1 });
const permissions = readPermissions(database, stocked, keys, "all");
afterAll(() => database.close());

function appWith(change: Partial<Catalog>, wrap: (steps: Steps) => Steps = (steps) => steps) {
  const catalog = withinTime({ ...sqliteCatalog(database), ...change }, 20);
  const sources = {
    permissions,
    catalog,
    limiter: createLimiter(1000, 1000),
    cursors: createCursors(Buffer.alloc(32)),
  };
  const lines: string[] = [];
  return { app: createApp(wrap(createSteps(sources)), (line) => lines.push(line)), lines };
}

async function ask(app: App, method: string, url: string, sent = "") {
  const headers = { "x-api-key": keys.primary, "content-type": "application/json" };
  const { status, body } = await app.send({ method, ...splitUrl(url), headers, body: Buffer.from(sent) });
  return { status, text: body.toString(), json: JSON.parse(body.toString()) };
}
const get = (app: App, url: string) => ask(app, "GET", url);
const fails = () => {
  throw new Error("secret host 10.0.0.7 refused");
};

it("gives 502 upstream_error when the catalog fails, at once or later", async () => {
  for (const byIdentifier of [fails, async () => fails()]) {
    const reply = await get(appWith({ byIdentifier }).app, "/v1/products/nordkauf/1");
    expect([reply.status, reply.json.error.code]).toEqual([502, "upstream_error"]);
    expect(reply.text).not.toContain("secret");
  }
});

it("gives 504 upstream_error when it does not respond, for every lookup", async () => {
  const silent = () => setTimeout(5000, undefined as never, { ref: false });
  const { app } = appWith({
    byIdentifier: silent,
    byGtin: silent,
    byPagePath: silent,
    inCategory: silent,
    byIdentifiers: silent,
  });
  const urls = [
    "/nordkauf/1",
    "?gtin=00000000",
    "?category=shoes",
    "?url=https%3A%2F%2Fnordkauf.example%2Fp",
  ];
  for (const url of urls) {
    const reply = await get(app, `/v1/products${url}`);
    expect([url, reply.status, reply.json.error.code]).toEqual([url, 504, "upstream_error"]);
  }
  const items = [{ retailer: "nordkauf", product_id: "1" }];
  const batch = await ask(app, "POST", "/v1/products/batch-lookup", JSON.stringify({ items }));
  expect(batch.status).toBe(504);
});

it("responds when the catalog is slow but within its time limit", async () => {
  const { app } = appWith({ byIdentifier: async () => setTimeout(1, Buffer.from('"product_id":"1"}')) });
  const reply = await get(app, "/v1/products/nordkauf/1");
  expect(reply.json).toEqual({ retailer: "nordkauf", retailer_name: "Nordkauf", product_id: "1" });
});

it("gives 500 internal_error for an unexpected error, with details only in the log", async () => {
  const { app, lines } = appWith({}, (steps) => ({ ...steps, respond: async () => fails() }));
  const reply = await get(app, "/v1/retailers");
  expect([reply.status, reply.json.error.code]).toEqual([500, "internal_error"]);
  expect(reply.text).not.toContain("secret");
  expect(lines.join("")).toContain("secret host");
});
