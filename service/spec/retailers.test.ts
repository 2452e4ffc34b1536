import { expect, it } from "vitest";
import { clientOfTests, path } from "../../test/support/service.ts";

const client = await clientOfTests({ products: 60 });

const list = async (key: "primary" | "otherOrg" = "primary") =>
  (await client.get("/retailers", key)).json.retailers;

it("leaves out a disabled retailer, which nobody may use", async () => {
  expect((await list()).map(({ slug }) => slug)).not.toContain("sleeping-shop");
  expect((await client.get(path("products", "sleeping-shop", "1"))).status).toBe(403);
});

it("ignores parameters", async () => {
  expect((await client.get("/retailers?limit=1&x=%zz")).status).toBe(200);
});
