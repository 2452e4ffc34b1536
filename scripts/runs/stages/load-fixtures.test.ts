import { expect, test } from "vitest";
import { sampleFixtures } from "../../../scenarios/lib/sample-fixtures.ts";
import type { LoadFixtures } from "../../../schemas/contracts/load-fixtures.ts";
import { serve } from "../../../test/support/server.ts";
import { stubTarget } from "../../../test/support/stub-client.ts";
import { withLoadFixtures } from "./load-fixtures.ts";

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
