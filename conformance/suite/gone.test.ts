import { expect, test } from "vitest";
import { discover } from "../discovery/discover.ts";
import type { Outcome } from "../engine/outcome.ts";
import { outcomeOf } from "../engine/run-check.ts";
import { openSession } from "../engine/session.ts";
import { type StubItem, startStubCatalogue } from "../testing/stub-catalogue.ts";
import { stubClient, stubTarget } from "../testing/stub-client.ts";
import { category, usual } from "../testing/stub-discovery.ts";
import section from "./get-products.check.ts";

/** What a check comes to when the catalogue becomes this one after discovery. */
async function outcomeAfter(change: (items: readonly StubItem[]) => readonly StubItem[]): Promise<Outcome> {
  const items = [...usual.items];
  await using stub = await startStubCatalogue({ ...usual, items });
  const target = stubTarget(stub.baseUrl, { categories: [category] });
  await using http = stubClient(target, { maxRequests: 600 });
  const discovery = await discover(http, target);
  items.splice(0, items.length, ...change(usual.items));
  const check = section.checks.find(({ id }) => id === "query.gtin-match/own-retailer");
  if (check === undefined) throw new Error("there is no such check");
  const session = openSession({ target, http, discovery });
  return await outcomeOf(check, session, new AbortController().signal, []);
}

test("a product that has left the catalogue since discovery is nobody's fault", async () => {
  const outcome = await outcomeAfter((items) => items.slice(1));
  expect(outcome).toMatchObject({
    kind: "inconclusive",
    findings: [{ code: "product-gone", product: { retailer: "acme", productId: "item-0" } }],
  });
});

test("a product that is still found by its id has not gone", async () => {
  const outcome = await outcomeAfter(([first, ...others]) => [
    { ...(first as StubItem), gtin: "" },
    ...others,
  ]);
  expect(outcome).toMatchObject({ kind: "fail" });
});
