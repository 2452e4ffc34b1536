import { describe, expect, test } from "vitest";
import { keyHeaders } from "../../schemas/api.ts";
import { type StubItem, startStubCatalog } from "../../test/support/stub-catalog.ts";
import { stubClient, stubTarget } from "../../test/support/stub-client.ts";
import { category, usual } from "../../test/support/stub-discovery.ts";
import { createPoliteClient } from "../client/polite-client.ts";
import { byId } from "../client/requests.ts";
import { discover } from "../discovery/discover.ts";
import { failed, type Outcome } from "../requirements/outcome.ts";
import authentication from "../suite/authentication.check.ts";
import type { Check } from "../suite/check/check.ts";
import getProductById from "../suite/get-product-by-id.check.ts";
import getProducts from "../suite/get-products.check.ts";
import { outcomeOf } from "./run-check.ts";
import { openSession } from "./session.ts";

/** What a stub has, to change after discovery. */
interface Stock {
  readonly items: StubItem[];
  readonly own: string[];
  readonly foreign: string[];
}

/** The outcome of a check when the stub changes like this after discovery. */
async function outcomeAfter(change: (stock: Stock) => void, check: Check): Promise<Outcome> {
  const { items, own, foreign = [] } = usual;
  const stock = { items: [...items], own: [...own], foreign: [...foreign] };
  await using stub = await startStubCatalog({ ...usual, ...stock });
  const target = stubTarget(stub.baseUrl, { categories: [category] });
  await using http = stubClient(target, { maxRequests: 600 });
  const client = createPoliteClient(http);
  const discovery = await discover(http, target, client);
  change(stock);
  return await outcomeOf(check, openSession({ target, http, client, discovery }), []);
}

function checkOf(id: string): Check {
  const all = [authentication, getProductById, getProducts].flatMap(({ checks }) => checks);
  const check = all.find((one) => one.id === id);
  if (check === undefined) throw new Error(`there is no check ${id}`);
  return check;
}

describe("a product", () => {
  const check = checkOf("query.gtin-match/own-retailer");

  test("that has left the catalog since discovery is not blamed on the target", async () => {
    const outcome = await outcomeAfter(({ items }) => items.shift(), check);
    expect(outcome).toMatchObject({
      kind: "inconclusive",
      findings: [{ code: "catalog-changed", product: { retailer: "acme", productId: "item-0" } }],
      evidence: [{ response: { status: 404 } }],
    });
  });

  test.each([
    ["ask", 5, "primary", "acme", 0],
    ["control", 1, "primary", "acme", 0],
    ["control", 1, "otherOrg", "zeta", 2],
  ] as const)(
    "also where only control requests show that it left, after %s, in %d attempts, for %s",
    async (first, all, caller, retailer, place) => {
      let attempts = 0;
      const outcome = await outcomeAfter(({ items }) => items.splice(place, 1), {
        id: "by-id.product/every-retailer",
        title: "A product is found",
        requests: 1,
        async run(context) {
          const request = { ...byId(retailer, `item-${place}`), caller, keyHeader: keyHeaders.plain };
          const exchange = await context[attempts++ === 0 ? first : "control"](request);
          return failed({ code: "recorded", subject: "It is not found." }, exchange);
        },
      });
      expect(outcome).toMatchObject({ kind: "inconclusive", findings: [{ code: "catalog-changed" }] });
      expect(attempts).toBe(all);
    },
  );

  test("may have left where no request is left to look for it", async () => {
    const outcome = await outcomeAfter(() => {}, {
      id: "by-id.product/every-retailer",
      title: "A product is found",
      requests: 1,
      async run({ ask }) {
        const request = byId("acme", "item-0");
        const exchange = await ask(request);
        for (let isLeft = true; isLeft; ) isLeft = (await ask(request).catch(() => undefined)) !== undefined;
        return failed({ code: "recorded", subject: "It is not found." }, exchange);
      },
    });
    expect(outcome).toMatchObject({ kind: "inconclusive", findings: [{ code: "budget-spent" }] });
  });

  test("that is still found by id has not left", async () => {
    const outcome = await outcomeAfter(({ items }) => {
      items[0] = { ...(items[0] as StubItem), gtin: "" };
    }, check);
    expect(outcome).toMatchObject({ kind: "fail" });
  });
});

describe("access to a retailer", () => {
  test.each<[string, string, (stock: Stock) => void, string]>([
    [
      "is granted to the first organization",
      "by-id.unentitled-slug/existing-product",
      ({ own }) => own.push("zeta"),
      "zeta",
    ],
    [
      "is granted to the other organization",
      "by-id.unentitled-slug/other-organization",
      ({ foreign }) => foreign.push("bolt"),
      "bolt",
    ],
    [
      "moves from the first organization to the other one",
      "by-id.product/every-retailer",
      ({ own, foreign }) => foreign.push(...own.splice(1, 1)),
      "bolt",
    ],
  ])("that %s after discovery is not blamed on the target", async (_change, id, change, retailer) => {
    expect(await outcomeAfter(change, checkOf(id))).toMatchObject({
      kind: "inconclusive",
      findings: [{ code: "catalog-changed", subject: retailer }],
      evidence: [{ endpoint: "retailers" }],
    });
  });

  test.each<[string, string, (stock: Stock) => void]>([
    [
      "the list is that of the other organization",
      "by-id.unentitled-slug/existing-product",
      ({ own }) => own.splice(0, 2, "acme", "zeta"),
    ],
    [
      "nothing of the earlier list is left",
      "by-id.unentitled-slug/existing-product",
      ({ own }) => own.splice(0, 2, "zeta"),
    ],
  ])("has not changed if %s", async (_change, id, change) => {
    expect(await outcomeAfter(change, checkOf(id))).toMatchObject({ kind: "fail" });
  });
});
