import { expect, it } from "vitest";
import { clientOfTest } from "../testing/client.ts";

it("logs requests as JSON lines with neither a key nor a URL in them", async () => {
  const lines: string[] = [];
  const client = await clientOfTest({ products: 30, log: (line) => lines.push(line) });
  const { keys } = client.service;
  const canary = "canary-7f3a";
  await client.get("/retailers", "none", { authorization: `Bearer ${keys.primary}` });
  await client.get(`/retailers?api_key=${keys.primary}&x=${canary}`);
  await client.get(`/products/nordkauf/${canary}`);
  await client.get(`/${canary}`, "none", { "x-api-key": canary });
  await client.batch({ items: [{ retailer: canary, product_id: canary }] });
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries.filter(({ msg }) => msg === "request completed").length).toBe(5);
  expect(entries.some(({ req }) => req?.route === "/v1/products/:retailer/:product_id")).toBe(true);
  for (const secret of [...Object.values(keys), canary]) expect(lines.join("")).not.toContain(secret);
});
