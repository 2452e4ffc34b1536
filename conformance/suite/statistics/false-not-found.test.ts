import { describe, expect, test } from "vitest";
import { stubContext } from "../../../test/support/stub-context.ts";
import { errorOf, exchangeOf } from "../../../test/support/stub-exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import { NotJudged } from "../../client/outcome.ts";
import { byId, type Request } from "../../client/requests.ts";
import type { Caller } from "../../client/target.ts";
import section, { falseNotFound } from "./false-not-found.check.ts";

const fieldNames = { batchFoundField: "products", batchFoundProduct: "" };
const product = { retailer: "acme", product_id: "A/1" };
const url = "http://stub.example/v1/products/acme/A%2F1";
const named = { product: { retailer: "acme", productId: "A/1" } };

const found = (caller: Caller = "primary") => exchangeOf("lookup-by-id", product, { url, caller });
const missing = (caller: Caller = "primary") => errorOf(404, "not_found", { url, caller });
const page = (...products: readonly object[]) => pageBefore("", ...products);
const pageBefore = (cursor: string, ...products: readonly object[]) =>
  exchangeOf(
    "category-page",
    { products, meta: { next_cursor: cursor, count: products.length } },
    { url: "http://stub.example/v1/products?category=lamps" },
  );

function batch(products: readonly object[], errors: readonly object[], items = [product]): Exchange {
  const requestBody = JSON.stringify({ items });
  return exchangeOf("batch", { products, errors }, { requestBody });
}

describe("something is missing", () => {
  test.each<[string, Exchange[], incidents: object[]]>([
    ["between two lookups that find it", [found(), missing(), found()], [{ named }]],
    ["twice", [found(), missing(), missing(), found()], [{ named }, { named }]],
    ["with the other key of the organization", [found(), missing("sameOrg"), found()], [{ named }]],
    [
      "in one batch of several",
      [batch([product], []), batch([], [product]), batch([product], [])],
      [{ named }],
    ],
    [
      "on an empty page of its category",
      [page(product), page(), page(product)],
      [{ named: { subject: "lamps" } }],
    ],
  ])("%s", (_name, exchanges, incidents) => {
    const result = falseNotFound({ exchanges, fieldNames });
    expect(result.incidents).toMatchObject(incidents);
    expect(result.incidents).toHaveLength(incidents.length);
    expect(result.requests).toBe(exchanges.length);
  });
});

describe("nothing is missing", () => {
  test.each<[string, Exchange[]]>([
    ["when a product leaves the catalog", [found(), missing(), missing()]],
    ["when a product enters the catalog", [missing(), missing(), found()]],
    ["when the other organization does not see it", [found(), missing("otherOrg"), found()]],
    [
      "when a batch above the limit is cut",
      [
        batch([product], []),
        batch(
          [],
          [],
          Array.from({ length: 51 }, () => product),
        ),
        batch([product], []),
      ],
    ],
    ["when a request without a key is refused", [found(), missing("nobody"), found()]],
    ["when the service fails", [found(), errorOf(500, "internal_error", { url }), found()]],
    [
      "when the products of a batch lack their ids",
      [batch([product], []), batch([{}], []), batch([product], [])],
    ],
    ["when there is no such product", [missing(), missing()]],
    ["when more pages follow an empty one", [page(product), pageBefore("next"), page(product)]],
  ])("%s", (_name, exchanges) => {
    expect(falseNotFound({ exchanges, fieldNames }).incidents).toEqual([]);
  });
});

describe("a retailer that was disabled for a while", () => {
  const pageUrl = "http://stub.example/v1/products?url=x";
  const byPage = exchangeOf("lookup-by-url", product, { url: pageUrl });
  const notByPage = errorOf(404, "not_found", { endpoint: "lookup-by-url", url: pageUrl });
  const listOf = (...slugs: readonly string[]) =>
    exchangeOf("retailers", { retailers: slugs.map((slug) => ({ slug })) });
  const incidentsIn = (...exchanges: readonly Exchange[]) => {
    const numbered = exchanges.map((exchange, index) => ({ ...exchange, number: index + 1 }));
    return falseNotFound({ exchanges: numbered, fieldNames }).incidents;
  };

  test("explains what was missing meanwhile", () => {
    const rejected = errorOf(400, "bad_request", { url });
    expect(incidentsIn(byPage, found(), rejected, notByPage, byPage)).toEqual([]);
    expect(incidentsIn(byPage, listOf("bolt", "acme"), notByPage, listOf("bolt"), byPage)).toEqual([]);
  });

  test("explains nothing at other times, of another retailer or with an id that is never found", () => {
    const rejected = errorOf(400, "bad_request", { url });
    expect(incidentsIn(byPage, found(), rejected, byPage, notByPage, byPage)).toHaveLength(1);
    expect(incidentsIn(byPage, rejected, notByPage, byPage)).toHaveLength(1);
    expect(incidentsIn(byPage, listOf("bolt", "acme"), notByPage, listOf("acme"), byPage)).toHaveLength(1);
  });
});

describe("errors.false-not-found/known-products", () => {
  const lookup = byId("acme", "item-0");
  const isLookup = ({ path, caller }: Request) => path === lookup.path && caller === "primary";

  /** Looks the product up three times and runs the check; these lookups, counted from 1, return 404. */
  async function outcomeOf(isMissing: (count: number) => boolean) {
    let count = 0;
    const context = await stubContext((request, correct) =>
      isLookup(request) && isMissing(++count)
        ? errorOf(404, "not_found", { url: correct.request.url })
        : correct,
    );
    for (let lookups = 0; lookups < 3; lookups++) await context.ask(lookup);
    const outcome = await section.checks[0]?.run(context).catch((error: unknown) => {
      if (error instanceof NotJudged) return error.outcome();
      throw error;
    });
    return { kind: outcome?.kind, findings: outcome?.findings };
  }

  test("passes when every lookup finds the product", async () => {
    expect((await outcomeOf(() => false)).kind).toBe("pass");
  });

  test("warns of a single incident that many more lookups do not repeat", async () => {
    expect(await outcomeOf((count) => count === 2)).toMatchObject({
      kind: "warn",
      findings: [{ code: "false-not-found", actual: 404, seen: { count: 1 } }],
    });
  });

  test("fails when it happens again", async () => {
    expect(await outcomeOf((count) => count === 2 || count === 8)).toMatchObject({
      kind: "fail",
      findings: [
        {
          code: "false-not-found",
          product: { retailer: "acme", productId: "item-0" },
          seen: { count: 2, of: "requests" },
          byEndpoint: [{ endpoint: "lookup-by-id", count: 2, total: 2 }],
        },
      ],
    });
  });

  test("does not judge a product that has left the catalog", async () => {
    expect(await outcomeOf((count) => count === 2 || count > 4)).toMatchObject({
      kind: "inconclusive",
      findings: [{ code: "product-gone", product: { retailer: "acme", productId: "item-0" } }],
    });
  });
});
