import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BodyFields, type Client, path, startClient, walk } from "../../test/support/service.ts";
import { productFields } from "../catalog/product-rows.ts";

describe("a product", () => {
  let client: Client;
  const products: BodyFields[] = [];
  beforeAll(async () => {
    client = await startClient();
    for (const category of [...client.service.categories, "dot segments"]) {
      products.push(...(await walk(client, category, "primary", 100)).products);
      products.push(...(await walk(client, category, "otherOrg", 100)).products);
    }
  });
  afterAll(() => client.service.stop());

  it("has only fields of the allow-list, with the types of the spec", () => {
    const types: Record<string, string> = { price: "number", images: "object" };
    const allowed = ["retailer", "retailer_name", ...Object.keys(productFields)];
    for (const product of products) {
      for (const [name, value] of Object.entries(product)) {
        expect(allowed).toContain(name);
        expect(typeof value, name).toBe(types[name] ?? "string");
      }
    }
  });

  it("shows no internal field", async () => {
    expect(JSON.stringify(products)).not.toMatch(/INTERNAL|wholesale|supplier/);
  });

  it("never has null or an empty value, at any depth", () => {
    const text = JSON.stringify(products);
    expect(text).not.toContain("null");
    expect(text).not.toMatch(/[:[,]""/);
    expect(text).not.toContain("[]");
  });

  it("is complete at some retailers and sparse at others", () => {
    const counts = products.map((product) => Object.keys(product).length);
    expect(Math.max(...counts)).toBe(Object.keys(productFields).length + 2);
    expect(Math.min(...counts)).toBeLessThan(8);
  });

  it("has an ISO 8601 UTC timestamp and an absolute page URL where it has them", () => {
    const timed = products.filter((product) => product.last_updated !== undefined);
    for (const product of timed) expect(product.last_updated).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const paged = products.filter((product) => product.product_url !== undefined);
    for (const product of paged) expect(URL.canParse(String(product.product_url))).toBe(true);
    expect(Math.min(timed.length, paged.length)).toBeGreaterThan(100);
  });

  it("is the same by identifier, URL, GTIN, category and batch", async () => {
    const own = new Set((await client.get("/retailers")).json.retailers.map(({ slug }) => slug));
    const full = products
      .filter((its) => own.has(its.retailer) && its.gtin !== undefined && its.product_url !== undefined)
      .slice(0, 40);
    for (const product of full) {
      const { retailer, product_id } = product;
      const query = (parameters: Record<string, string>) =>
        client.get(`/products?${new URLSearchParams(parameters)}`);
      const byId = await client.get(path("products", retailer, product_id));
      const byUrl = await query({ url: String(product.product_url) });
      const byGtin = await query({ gtin: String(product.gtin), retailer });
      const batch = await client.batch({ items: [{ retailer, product_id }] });
      expect([byId.json, byUrl.json, batch.json.products[0]]).toEqual([product, product, product]);
      expect(Number(byGtin.json.gtin)).toBe(Number(product.gtin));
      expect(byGtin.json.retailer).toBe(retailer);
    }
    expect(full.length).toBe(40);
  });
});
