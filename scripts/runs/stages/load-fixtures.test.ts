import { expect, test } from "vitest";
import { sampleFixtures } from "../../../scenarios/lib/sample-fixtures.ts";
import { serve } from "../../../test/support/server.ts";
import { stubTarget } from "../../../test/support/stub-client.ts";
import { withUnknownProduct } from "./unknown-product.ts";

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

test("ids without gaps: one that is unknown is found", async () => {
  await using service = await having((id) => /^O-0[0-3]\d\d$/.test(id));
  const { unknownProductId } = await withUnknownProduct(fixtures, stubTarget(service.baseUrl));
  expect(unknownProductId).not.toMatch(/^O-0[0-3]\d\d$/);
  expect(service.requests.length).toBeLessThanOrEqual(8);
});

test("an id that is unknown stays as it is", async () => {
  await using service = await having(() => false);
  expect(await withUnknownProduct(fixtures, stubTarget(service.baseUrl))).toEqual(fixtures);
});

test("without a response, and without products, nothing changes", async () => {
  const target = stubTarget("http://127.0.0.1:1/v1");
  expect(await withUnknownProduct(fixtures, target)).toBe(fixtures);
  const empty = { ...fixtures, products: [] };
  expect(await withUnknownProduct(empty, target)).toBe(empty);
});
