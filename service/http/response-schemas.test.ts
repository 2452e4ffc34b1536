import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "../call.ts";
import { type Client, path, type Reply, startClient, walk } from "../testing/client.ts";
import { responseSchemas } from "./response-schemas.ts";

describe("the schema of each endpoint", () => {
  let client: Client;
  let pages: Reply[];
  beforeAll(async () => {
    client = await startClient();
    pages = (await walk(client, "home & garden")).pages;
  });
  afterAll(() => client.service.stop());

  /** The text that Fastify makes of a body by the schema of an endpoint. */
  async function serialized(endpoint: Exclude<Endpoint, "none">, body: unknown): Promise<string> {
    const app = Fastify();
    app.get("/", { schema: { response: responseSchemas[endpoint] } }, async () => body);
    return (await app.inject("/")).payload;
  }

  const productsOf = (replies: readonly Reply[]) => replies.flatMap(({ json }) => json.products);

  it("would write a list page as it was sent", async () => {
    for (const page of pages) expect(await serialized("products", page.json)).toBe(page.text);
  });

  it("would write a product as it was sent", async () => {
    for (const { retailer, product_id } of productsOf(pages).slice(0, 10)) {
      const found = await client.get(path("products", retailer, product_id));
      expect(await serialized("product", found.json)).toBe(found.text);
      expect(await serialized("products", found.json)).toBe(found.text);
    }
  });

  it("would write a batch result as it was sent", async () => {
    const items = productsOf(pages)
      .slice(0, 48)
      .map(({ retailer, product_id }) => ({ retailer, product_id }));
    const missing = [
      { retailer: "nordkauf", product_id: "none" },
      { retailer: "nobody", product_id: "\u{1f600}" },
    ];
    const result = await client.batch({ items: [...missing, ...items] });
    expect(result.json.errors.length).toBe(2);
    expect(await serialized("batch", result.json)).toBe(result.text);
  });

  it("lets nothing out that is not on the allow-list", async () => {
    const [page] = pages;
    const leaking = page?.json.products.map((its) => ({ ...its, internal: { wholesale_price: 1 } }));
    expect(leaking?.length).toBeGreaterThan(0);
    expect(await serialized("products", { ...page?.json, products: leaking })).toBe(page?.text);
    expect(await serialized("batch", { products: leaking, errors: [], meta: batchMeta })).not.toContain(
      "wholesale_price",
    );
  });

  const batchMeta = { total: 0, found: 0, not_found: 0, other_errors: 0 };
});
