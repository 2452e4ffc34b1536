import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BodyFields, type Client, startClient, walk } from "../../test/support/service.ts";
import { allowedFields } from "../catalog/product-rows.ts";

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
    const allowed = ["retailer", "retailer_name", ...Object.keys(allowedFields)];
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

  it("is complete at some retailers and sparse at others", () => {
    const counts = products.map((product) => Object.keys(product).length);
    expect(Math.max(...counts)).toBe(Object.keys(allowedFields).length + 2);
    expect(Math.min(...counts)).toBeLessThan(8);
  });
});
