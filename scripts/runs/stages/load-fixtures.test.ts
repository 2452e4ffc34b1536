import { describe, expect, test } from "vitest";
import { redactionFor } from "../../../conformance/client/redaction.ts";
import { sampleFixtures } from "../../../scenarios/lib/sample-fixtures.ts";
import type { LoadFixtures } from "../../../schemas/contracts/load-fixtures.ts";
import { serve } from "../../../test/support/server.ts";
import { stubKeys, stubTarget } from "../../../test/support/stub-client.ts";
import { category, discovered, gtinOf, itemsOf } from "../../../test/support/stub-discovery.ts";
import { loadFixturesOf, withLoadFixtures } from "./load-fixtures.ts";

/** A service that has these ids, whatever the retailer. */
const having = (isKnown: (id: string) => boolean) =>
  serve(({ url }, response) => {
    const id = decodeURIComponent(url.split("/").at(-1) ?? "");
    response.writeHead(isKnown(id) ? 200 : 404, { "content-type": "application/json" }).end("{}");
  });
const fixtures = {
  ...sampleFixtures(1),
  products: [{ retailer: "one", product_id: "O-0040" }],
  unknownProductId: "O-0073",
};

const known = (of: LoadFixtures, baseUrl: string) => {
  const { signal } = new AbortController();
  return withLoadFixtures(of, { target: stubTarget(baseUrl), plans: [{ scenario: "lookup" }], signal });
};

test("ids without gaps: one that is unknown is found", async () => {
  await using service = await having((id) => /^O-0[0-3]\d\d$/.test(id));
  const { unknownProductId } = await known(fixtures, service.baseUrl);
  expect(unknownProductId).not.toMatch(/^O-0[0-3]\d\d$/);
  expect(service.requests.length).toBeLessThanOrEqual(8);
});

test("an id that is unknown stays as it is", async () => {
  await using service = await having(() => false);
  expect(await known(fixtures, service.baseUrl)).toEqual(fixtures);
});

test("without a response, and without products, nothing changes", async () => {
  const nowhere = "http://127.0.0.1:1/v1";
  expect(await known(fixtures, nowhere)).toEqual(fixtures);
  const empty = { ...fixtures, products: [] };
  expect(await known(empty, nowhere)).toEqual(empty);
});

const redaction = redactionFor({ keys: stubKeys });

describe("load fixtures", () => {
  test("hold what discovery found, and contain no key", async () => {
    const fixtures = loadFixturesOf(await discovered(), redaction);
    expect(fixtures.products[0]).toEqual({
      retailer: "acme",
      product_id: "item-0",
      url: "https://0.shop.example/p?id=item-0",
      gtin: gtinOf(0),
    });
    expect(fixtures).toMatchObject({ categories: [category], unentitledRetailer: "zeta" });
    expect(fixtures.dialect).toMatchObject({ batchRequestField: "items", gtin: "gtin" });
    expect(["acme", "bolt", "zeta"]).not.toContain(fixtures.unknownRetailer);
    expect(fixtures.products.map((product) => product.product_id)).not.toContain(fixtures.unknownProductId);
    for (const key of Object.values(stubKeys)) expect(JSON.stringify(fixtures)).not.toContain(key);
  });

  test("omit URLs and GTINs that find nothing, and a missing unentitled retailer", async () => {
    const items = itemsOf(["acme"], 3, () => ({ gtin: undefined, product_url: undefined }));
    const fixtures = loadFixturesOf(await discovered({ items, foreign: [] }), redaction);
    expect(fixtures.products).toHaveLength(3);
    for (const product of fixtures.products) expect(Object.keys(product)).toEqual(["retailer", "product_id"]);
    expect(fixtures).not.toHaveProperty("unentitledRetailer");
  });

  test("omit values that contain a key", async () => {
    const items = itemsOf(["acme"], 3, ({ id }) => (id === "item-1" ? { product_id: stubKeys.primary } : {}));
    const fixtures = loadFixturesOf(await discovered({ items }), redaction);
    expect(fixtures.products.map((product) => product.product_id)).toEqual(["item-0", "item-2"]);
  });

  test("of a target without products are empty", async () => {
    const fixtures = loadFixturesOf(await discovered({ items: [] }, { categories: [] }), redaction);
    expect(fixtures).toMatchObject({ products: [], categories: [] });
    expect(fixtures.unknownProductId).not.toBe("");
  });
});
