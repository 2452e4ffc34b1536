import { describe, expect, test, vi } from "vitest";
import type { StubCatalogOptions } from "../../test/support/stub-catalog.ts";
import { discovered, gtinOf, itemsOf, queriesOf } from "../../test/support/stub-discovery.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import { findBatchFields } from "./batch-fields.ts";

describe("the field names of a batch", () => {
  test.each<[string, NonNullable<StubCatalogOptions["batch"]>]>([
    [
      "a quoted name in the error message",
      { request: "wanted", found: "hits", complaint: 'The field "wanted" is required' },
    ],
    [
      "a name in backticks",
      { request: "lookup-list", found: "hits", complaint: "`lookup-list` must be an array" },
    ],
    [
      "an unquoted name in the error message",
      { request: "product_wishes", found: "hits", complaint: "product_wishes is missing" },
    ],
    [
      "besides an echo of the items sent",
      {
        request: "items",
        found: "hits",
        extra: (items) => ({ requested: items, warnings: [], query: { limit: 50 } }),
      },
    ],
  ])("are found: %s", async (_name, batch) => {
    const { request: batchRequestField, found: batchFoundField, wrappedIn = "" } = batch;
    const names = { batchRequestField, batchFoundField, batchFoundProduct: wrappedIn };
    const { fieldNames, fixtures } = await discovered({ batch });
    expect(fieldNames).toMatchObject(names);
    expect(fixtures.batch).toEqual({ present: true, value: names });
  });

  test("are not guessed when the config has them", async () => {
    const batch = { request: "wanted", found: "hits", wrappedIn: "it" };
    const fieldNames = { batchRequestField: "wanted", batchFoundField: "hits", batchFoundProduct: "it" };
    const { arrived, ...found } = await discovered({ batch }, { fieldNames });
    expect(found.fieldNames).toMatchObject(fieldNames);
    expect(arrived.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test.each([301, 403, 404, 405, 413])("are not guessed where a batch gets %i", async (status) => {
    const headers = status === 301 ? { location: "http://h/" } : {};
    const refused = exchangeOf("batch", undefined, { status, text: "<html>no</html>", headers });
    const ask = vi.fn(async () => refused);
    const product = { retailer: "acme", productId: "1", product: {} };
    expect(await findBatchFields({ ask }, [product], {})).toMatchObject({
      present: false,
      missing: { code: "batch-not-understood", endpoint: "batch", details: { status, ...headers } },
    });
    expect(ask).toHaveBeenCalledOnce();
  });

  test("that cannot be guessed are missing, with the names that were tried", async () => {
    const batch = { request: "x", found: "hits" };
    const { fixtures, fieldNames } = await discovered({ batch });
    expect(fieldNames.batchRequestField).toBeUndefined();
    const details = { answered: false, tried: expect.arrayContaining(["items", "lookups", ""]) };
    const missing = { code: "batch-not-understood", endpoint: "batch", details };
    expect(fixtures.batch).toEqual({ present: false, missing });
  });
});

describe("the path of the GTIN", () => {
  const without = { gtin: undefined };
  test.each<[string, (gtin: string) => Record<string, unknown>]>([
    ["gtin", (gtin) => ({ gtin })],
    ["gtin", (gtin) => ({ gtin: Number(gtin) })],
    ["codes[]", (gtin) => ({ ...without, codes: ["x", gtin] })],
    ["key", (key) => ({ ...without, key })],
    // A value with the form and name of a GTIN that finds nothing.
    ["code", (code) => ({ ...without, barcode_internal: "4006381333931", code })],
  ])("is found: %s", async (path, show) => {
    const items = itemsOf(["acme", "bolt", "zeta"], 9, ({ gtin }) => show(gtin ?? ""));
    const { fieldNames, fixtures } = await discovered({ items });
    expect(fieldNames.gtin).toBe(path);
    const gtins = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
    expect(gtins.map(({ gtin }) => gtin)).toEqual(expect.arrayContaining([gtinOf(0), gtinOf(1)]));
    expect(fixtures.unentitledProduct).toMatchObject({ value: { gtin: gtinOf(2) } });
  });

  test("is not searched for when the config has it", async () => {
    const items = itemsOf(["acme"], 3, ({ gtin }) => ({ real: gtin }));
    const { fieldNames } = await discovered({ items }, { fieldNames: { gtin: "real" } });
    expect(fieldNames.gtin).toBe("real");
  });

  test("is missing when no product has one", async () => {
    const items = itemsOf(["acme", "bolt"], 6, () => without);
    const { fieldNames, fixtures, arrived } = await discovered({ items });
    expect(fieldNames).not.toHaveProperty("gtin");
    expect(fixtures.productsByGtin).toEqual({
      present: false,
      missing: { code: "nothing-found-by", endpoint: "lookup-by-gtin", seen: { count: 0, of: "products" } },
    });
    expect(queriesOf(arrived, "gtin")).toEqual([]);
  });
});
