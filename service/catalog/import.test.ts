import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { clientOfTest, path, temporaryFolder, walk } from "../../test/support/service.ts";
import { openDatabase } from "./database.ts";
import { generateCatalog } from "./generate.ts";
import { CatalogError, importCatalog } from "./import.ts";

const retailer = { kind: "retailer", slug: "a", name: "A", domains: ["WWW.a.example"] };
const product = (more: object = {}) => ({ kind: "product", retailer: "a", product_id: "1", ...more });

async function fileOf(lines: readonly unknown[]): Promise<string> {
  const file = join(await temporaryFolder(), "catalog.ndjson");
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  await writeFile(file, text.join("\n"));
  return file;
}

const count = (database: ReturnType<typeof openDatabase>) =>
  Number(database.prepare("select count(*) as count from product").get()?.count);

it("serves an imported catalog, and has two organizations that are entitled to different parts", async () => {
  const slugs = ["a", "b", "c"];
  const catalog = await fileOf([
    ...slugs.map((slug) => ({ kind: "retailer", slug, name: slug })),
    ...slugs.map((slug) => ({ kind: "product", retailer: slug, product_id: "x", categories: ["all"] })),
  ]);
  const client = await clientOfTest({ catalog });
  expect(client.service.categories).toEqual(["all"]);
  const seen = async (key: "primary" | "otherOrg") =>
    (await walk(client, "all", key)).products.map((its) => its.retailer);
  expect([await seen("primary"), await seen("otherOrg")]).toEqual([
    ["a", "b"],
    ["b", "c"],
  ]);
});

it("leaves out null, empty and internal values", async () => {
  const catalog = await fileOf([
    retailer,
    product({ title: "", brand: null, images: [], price: 0, internal: { cost: 1 }, size: "  " }),
  ]);
  const client = await clientOfTest({ catalog });
  const reply = await client.get(path("products", "a", "1"));
  expect(reply.json).toEqual({ retailer: "a", retailer_name: "A", product_id: "1", price: 0 });
});

it("replaces existing products, and cursors stay valid", async () => {
  const folder = await temporaryFolder();
  const db = join(folder, "service.db");
  const items = Array.from({ length: 6 }, (_, index) =>
    product({ product_id: `${index}`, categories: ["all"] }),
  );
  const client = await clientOfTest({ db, catalog: await fileOf([retailer, ...items]) });
  const first = await client.get("/products?category=all&limit=2");
  const other = openDatabase(db);
  const changed = product({ product_id: "3", title: "New", categories: ["all", "more"] });
  const gone = product({ product_id: "4", categories: [] });
  const late = product({ product_id: "6", categories: ["all"] });
  await importCatalog(other, await fileOf([{ ...retailer, name: "Renamed" }, changed, gone, late]));
  other.close();
  const { next_cursor } = first.json.meta;
  const rest = await client.get(`/products?category=all&cursor=${next_cursor}`);
  expect(rest.json.products.map((its) => its.product_id)).toEqual(["2", "3", "5", "6"]);
  expect(rest.json.products[1]).toMatchObject({ title: "New", retailer_name: "Renamed" });
  expect((await client.get("/products?category=more")).json.meta.count).toBe(1);
});

it.each([
  ["not JSON", [retailer, "{"], ":2: not JSON"],
  ["another kind", [{ kind: "shop" }], ":1: `kind` is neither"],
  ["an unknown field", [retailer, product({ colour: "red" })], ":2: a product has no property `"],
  ["a price as text", [retailer, product(), product({ price: "1" })], ":3: product/price must be number"],
  ["a wrong check digit", [retailer, product({ gtin: "4006381333932" })], ":2: `gtin`"],
  ["a relative URL", [retailer, product({ product_url: "/p/1" })], ":2: `product_url`"],
  [
    "a local time",
    [retailer, product({ last_updated: "2025-01-01T00:00:00+02:00" })],
    ":2: product/last_updated",
  ],
  ["an impossible time", [retailer, product({ last_updated: "2025-13-01T00:00:00Z" })], ":2: `last_updated`"],
  ["an unknown retailer", [retailer, product({ retailer: "b" })], ':2: there is no retailer "b"'],
  ["nothing", [""], "the file is empty"],
  ["a line without end", ["x".repeat(2_000_000)], ":1: the line is longer than 1 MiB"],
])("names the line with %s and imports nothing", async (_name, lines, message) => {
  const database = openDatabase(":memory:");
  const failure = await importCatalog(database, await fileOf(lines)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CatalogError);
  expect((failure as Error).message).toContain(message);
  expect(database.prepare("select count(*) as count from retailer").get()?.count).toBe(0);
  database.close();
});

it("reads a file that begins with a byte order mark", async () => {
  const database = openDatabase(":memory:");
  const file = await fileOf([`\uFEFF${JSON.stringify(retailer)}`, product({ product_id: "1" })]);
  expect(await importCatalog(database, file)).toEqual({ retailers: 1, products: 1 });
  database.close();
});

it("says so when the file cannot be read or is not UTF-8", async () => {
  const database = openDatabase(":memory:");
  await expect(importCatalog(database, "/nowhere/catalog")).rejects.toThrow(
    "/nowhere/catalog: cannot be read",
  );
  const file = join(await temporaryFolder(), "latin1");
  await writeFile(file, Buffer.from(`${JSON.stringify(retailer)}\n{"kind":"é"}`, "latin1"));
  await expect(importCatalog(database, file)).rejects.toThrow(":2: not UTF-8");
  database.close();
});

/** Runs code in a process of its own, and kills that process with SIGKILL as soon as it reports that it is at work. */
async function killedAtWork(code: string): Promise<void> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(() => Promise.reject(new Error("too fast"))),
  ]);
  child.kill("SIGKILL");
  await once(child, "exit");
}

const moduleOf = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

it("has nothing of an import that was killed, and opens again", async () => {
  const folder = await temporaryFolder();
  const db = join(folder, "service.db");
  const file = await fileOf([...generateCatalog(8000, 1)]);
  openDatabase(db).close();
  await killedAtWork(`
    import { openDatabase } from ${moduleOf("./database.ts")};
    import { importCatalog } from ${moduleOf("import.ts")};
    const database = openDatabase(${JSON.stringify(db)});
    // A small cache, so that most of the file is written long before the commit.
    database.exec("pragma cache_size = 100");
    const exec = database.exec.bind(database);
    // Reported right before the commit, so that the kill comes as late as possible.
    database.exec = (sql) => { if (sql === "commit") { process.stdout.write("at work\\n"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10000); } return exec(sql); };
    await importCatalog(database, ${JSON.stringify(file)});
  `);
  const database = openDatabase(db);
  expect(count(database)).toBe(0);
  expect(await importCatalog(database, file)).toMatchObject({ products: 8002 });
  expect(count(database)).toBe(8002);
  expect(database.prepare("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  database.close();
});

it("has all or nothing of an admin command that was killed", async () => {
  const db = join(await temporaryFolder(), "service.db");
  openDatabase(db).close();
  await killedAtWork(`
    import { openDatabase } from ${moduleOf("./database.ts")};
    import { Administration } from ${moduleOf("../administration.ts")};
    const database = openDatabase(${JSON.stringify(db)});
    const administration = new Administration(database, () => new Date());
    for (let number = 0; number < 1e6; number++) {
      administration.addRetailer("shop " + number, "Shop", ["a" + number + ".example", "b" + number + ".example"]);
      if (number === 50) process.stdout.write("at work\\n");
    }
  `);
  const database = openDatabase(db);
  const row = database
    .prepare(
      "select (select count(*) from retailer) as retailers, (select count(*) from retailer_domain) as domains",
    )
    .get();
  expect(Number(row?.retailers)).toBeGreaterThan(50);
  expect(row?.domains).toBe(Number(row?.retailers) * 2);
  database.close();
});
