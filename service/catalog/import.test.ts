import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { clientOfTest, path, walk } from "../../test/support/service.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openDatabase } from "./database.ts";
import { CatalogError, importCatalog } from "./import.ts";

const folder = await temporaryFolder("catalog");

const retailer = { kind: "retailer", slug: "a", name: "A", domains: ["WWW.a.example"] };
const product = (more: object = {}) => ({ kind: "product", retailer: "a", product_id: "1", ...more });

async function fileOf(lines: readonly unknown[]): Promise<string> {
  const file = join(folder, "catalog.ndjson");
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  await writeFile(file, text.join("\n"));
  return file;
}

it("serves an imported catalog, and has two organizations that are entitled to different parts", async () => {
  const slugs = ["a", "b", "c"];
  const catalog = await fileOf([
    ...slugs.map((slug) => ({ kind: "retailer", slug, name: slug, domains: [`${slug}.ä.example.`] })),
    ...slugs.map((slug) => ({ kind: "product", retailer: slug, product_id: "x", categories: ["all"] })),
  ]);
  const client = await clientOfTest({ catalog });
  expect(client.service.categories).toEqual(["all"]);
  expect(await client.get("/products?url=https://c.%C3%A4.example/")).toMatchObject({ status: 403 });
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

it("replaces a retailer and a product by a later line", async () => {
  const products = ["0", "1"].map((product_id) => product({ product_id, categories: ["all", "old"] }));
  const again = product({ product_id: "0", title: "New", categories: ["all", "more"] });
  const renamed = { ...retailer, name: "Renamed" };
  const client = await clientOfTest({ catalog: await fileOf([retailer, ...products, renamed, again]) });
  const inCategory = async (name: string) => (await walk(client, name)).products;
  expect((await inCategory("all")).map((its) => its.product_id)).toEqual(["1", "0"]);
  expect((await inCategory("old")).map((its) => its.product_id)).toEqual(["1"]);
  expect(await inCategory("more")).toMatchObject([{ title: "New", retailer_name: "Renamed" }]);
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
  ["an impossible time", [retailer, product({ last_updated: "2025-02-29T00:00:00Z" })], ":2: `last_updated`"],
  ["a domain of another", [retailer, { ...retailer, slug: "b" }], ":2: `domains` has a.example, which"],
  ["no host", [{ ...retailer, domains: ["a%"] }], ":1: `domains` has a%, which is no host name"],
  ["an unknown retailer", [retailer, product({ retailer: "b" })], ':2: there is no retailer "b"'],
  ["nothing", [""], "the file is empty"],
  ["a line without end", ["x".repeat(2_000_000)], ":1: the line is longer than 1 MiB"],
])("names the line with %s and imports nothing", async (_name, lines, message) => {
  const database = openDatabase();
  const failure = await importCatalog(database, await fileOf(lines)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CatalogError);
  expect((failure as Error).message).toContain(message);
  expect(database.prepare("select count(*) as count from retailer").get()?.count).toBe(0);
  database.close();
});

it("reads a file that begins with a byte order mark", async () => {
  const client = await clientOfTest({
    catalog: await fileOf([`\uFEFF${JSON.stringify(retailer)}`, product()]),
  });
  expect(await client.get(path("products", "a", "1"))).toMatchObject({ status: 200 });
});

it("says so when the file cannot be read or is not UTF-8", async () => {
  const database = openDatabase();
  await expect(importCatalog(database, "/nowhere/catalog")).rejects.toThrow(
    "/nowhere/catalog: cannot be read",
  );
  const file = join(folder, "latin1");
  await writeFile(file, Buffer.from(`${JSON.stringify(retailer)}\n{"kind":"é"}`, "latin1"));
  await expect(importCatalog(database, file)).rejects.toThrow(":2: not UTF-8");
  database.close();
});
