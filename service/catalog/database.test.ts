import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/service.ts";
import { bulkLoad, openDatabase } from "./database.ts";
import { createWriter } from "./product-rows.ts";

const newFile = async () => join(await temporaryFolder(), "service.db");

function fill(database: DatabaseSync, product_id: string) {
  return async () => {
    const writer = createWriter(database);
    writer.write({ kind: "retailer", slug: "a", name: "A" });
    writer.write({ kind: "product", retailer: "a", product_id });
    return product_id;
  };
}

/** What a database filled in bulk has in common with one filled line by line. */
function stateOf(database: DatabaseSync) {
  const texts = (query: string) =>
    database
      .prepare(query)
      .all()
      .map((row) => Object.values(row).join(" "));
  return {
    products: texts("select product_id from product order by 1"),
    indexes: texts("select name from sqlite_schema where type = 'index' and sql is not null order by 1"),
    journal: texts("pragma journal_mode"),
  };
}

const indexes = ["product_gtin", "product_identity", "product_page"];

it("fills a new database, and one with products", async () => {
  using database = openDatabase(await newFile());
  expect(await bulkLoad(database, fill(database, "1"))).toBe("1");
  await bulkLoad(database, fill(database, "2"));
  expect(stateOf(database)).toEqual({ products: ["1", "2"], indexes, journal: ["wal"] });
});

it("leaves a new database as it was when filling it fails", async () => {
  using database = openDatabase(await newFile());
  const failing = async () => {
    await fill(database, "1")();
    throw new Error("no more");
  };
  await expect(bulkLoad(database, failing)).rejects.toThrow("no more");
  expect(stateOf(database)).toEqual({ products: [], indexes, journal: ["wal"] });
});

it("fills a new database that another connection has open, which sees nothing before the end", async () => {
  const file = await newFile();
  using database = openDatabase(file);
  using other = openDatabase(file);
  await bulkLoad(database, async () => {
    await fill(database, "1")();
    expect(stateOf(other).products).toEqual([]);
  });
  expect(stateOf(other)).toEqual({ products: ["1"], indexes, journal: ["wal"] });
});
