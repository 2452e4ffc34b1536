import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isObject } from "../../schemas/json.ts";
import { sendJson, serve } from "../../test/support/server.ts";
import { type StubCatalogOptions, startStubCatalog, stubCatalog } from "../../test/support/stub-catalog.ts";
import { stubKeys } from "../../test/support/stub-client.ts";
import {
  category,
  discoverAt,
  discovered,
  gtinOf,
  itemsOf,
  queriesOf,
  usual,
} from "../../test/support/stub-discovery.ts";
import type { Target } from "../client/target.ts";
import { firstCategory } from "./browsing.ts";
import { CannotJudge } from "./first-contact.ts";

describe("a complete target", () => {
  test("provides every fixture", async () => {
    const { fixtures, fieldNames } = await discovered();
    const missing = Object.entries(fixtures).filter(
      ([, fixture]) => isObject(fixture) && "present" in fixture && !fixture.present,
    );
    expect(missing).toEqual([]);
    expect(fixtures.retailers).toEqual({ present: true, value: ["acme", "bolt"] });
    expect(fixtures.otherRetailers).toEqual({ present: true, value: ["acme", "zeta"] });
    expect(fixtures.product).toMatchObject({ value: { retailer: "acme", productId: "item-0" } });
    expect(fixtures.productByUrl).toMatchObject({ value: { url: "https://0.shop.example/p?id=item-0" } });
    expect(fixtures.unentitledRetailer).toEqual({ present: true, value: "zeta" });
    expect(fixtures.unentitledProduct).toMatchObject({ value: { retailer: "zeta", gtin: gtinOf(2) } });
    expect(fieldNames).toEqual({
      batchRequestField: "items",
      batchFoundField: "products",
      batchFoundProduct: "",
      gtin: "gtin",
    });
  });

  test("is searched, on pages of three, for the retailers that only one organization has", async () => {
    const { fixtures } = await discovered({
      items: [...itemsOf(["acme"], 90), ...itemsOf(["bolt", "zeta"], 6)],
    });
    expect(fixtures.ownProduct).toMatchObject({ value: { retailer: "bolt" } });
    expect(fixtures.unentitledProduct).toMatchObject({ value: { retailer: "zeta" } });
  });
});

const missing = (code: string, more: object = {}) => ({ present: false, missing: { code, ...more } });
const nothing = missing("no-product", { details: { categories: [category] } });
const noKey = missing("no-other-org-key");

describe("a target may lack", () => {
  test.each<[string, Partial<StubCatalogOptions>, Partial<Target>, fixtures: object, unasked?: string]>([
    [
      "product_url with a host: then no URL is looked up",
      { items: itemsOf(["acme"], 3, () => ({ product_url: "urn:isbn:0" })) },
      {},
      { productByUrl: missing("nothing-found-by", { endpoint: "lookup-by-url", seen: { count: 0 } }) },
      "url",
    ],
    [
      "product_id or retailer of some products: those are not used as fixtures",
      {
        items: itemsOf(["acme"], 4, ({ id }) =>
          id === "item-0" ? { retailer: undefined } : id === "item-1" ? { product_id: undefined } : {},
        ),
      },
      {},
      {
        product: { value: { productId: "item-2" } },
        products: [{ productId: "item-2" }, { productId: "item-3" }],
      },
    ],
    ...[{ product_id: undefined }, { retailer: { slug: "acme" } }].map(
      (shown): [string, Partial<StubCatalogOptions>, object, object] => [
        `a usable ${Object.keys(shown)[0]} of every product: then none can be looked up`,
        { items: itemsOf(["acme"], 6, () => shown) },
        {},
        { product: nothing, productByUrl: nothing, batch: { present: false } },
      ],
    ),
    [
      "a retailer that only the other organization may use",
      { foreign: [], items: itemsOf(["acme"], 3) },
      {},
      { unentitledRetailer: missing("no-foreign-retailer"), unentitledProduct: { present: false } },
    ],
    [
      "products of such a retailer in the categories: its slug alone is used",
      { items: itemsOf(["acme"], 3) },
      {},
      {
        unentitledRetailer: { value: "zeta" },
        unentitledProduct: missing("no-foreign-product", {
          details: { retailers: ["zeta"], categories: [category] },
        }),
      },
    ],
    [
      "the second keys: each missing fixture names the key it needs",
      {},
      { keys: { primary: stubKeys.primary } },
      {
        sameOrgKey: missing("no-same-org-key"),
        otherOrgKey: noKey,
        otherRetailers: noKey,
        unentitledRetailer: noKey,
      },
    ],
    [
      "products in the category",
      { items: [] },
      {},
      { category: { value: { products: [], nextCursor: "" } }, product: nothing },
    ],
    [
      "any category",
      {},
      { categories: [] },
      { category: missing("no-category"), product: missing("no-category") },
      "category",
    ],
    [
      "an optional parameter that is optional: discovery sends it, and a check reports that it is required",
      { demands: ["limit", "retailer"] },
      {},
      { product: { present: true }, productsByGtin: { present: true } },
    ],
  ])("%s", async (_name, catalog, target, expected, unasked) => {
    const { fixtures, arrived } = await discovered(catalog, target);
    expect(fixtures).toMatchObject(expected);
    if (unasked !== undefined) expect(queriesOf(arrived, unasked)).toEqual([]);
  });

  test.each([[[]], [[{ slug: 7 }, { name: "x" }]], ["acme"]])(
    "slugs, when the list of retailers is %j",
    async (retailers) => {
      await using stub = await serve((_request, response) => sendJson(response, 200, { retailers }));
      const { fixtures, listed } = await discoverAt(stub.baseUrl, stub.requests);
      const why = { endpoint: "retailers", subject: "primary", actual: 200 };
      expect(listed).toEqual(retailers.length === 0 ? [] : undefined);
      expect(fixtures.retailers).toEqual(missing("no-retailer", why));
    },
  );

  test("the retailers of the first organization: those on its pages count as granted", async () => {
    const respond = stubCatalog(usual);
    await using stub = await serve((request, response) => {
      const { status, body } = respond(request);
      const isOwnList =
        request.url.endsWith("/retailers") && JSON.stringify(request.headers).includes("first/");
      sendJson(response, status, isOwnList ? { retailers: [] } : body);
    });
    const { fixtures } = await discoverAt(stub.baseUrl, stub.requests);
    expect(fixtures.retailers.present).toBe(false);
    expect(fixtures.unentitledProduct).toMatchObject({ present: true, value: { retailer: "zeta" } });
  });

  test("a rate limit that accepts a page: the limit is reported, not the categories", async () => {
    const limited = { code: "still-rate-limited", seen: { count: 6, of: "attempts" } } as const;
    const given = ["a", "b"].map((category) => ({ category, cause: limited }));
    expect(firstCategory(given)).toEqual({ present: false, missing: limited });
    expect(firstCategory([...given, { category: "c", status: 404 }])).toMatchObject({
      missing: { code: "category-not-browsable" },
    });
  });

  test("a category of several pages: one with products is preferred", () => {
    const browsed = (category: string, products: number, nextCursor = "") => ({
      category,
      products: Array.from({ length: products }, (_, at) => ({
        retailer: "acme",
        productId: `${at}`,
        product: {},
      })),
      nextCursor,
    });
    const chosen = (...given: ReturnType<typeof browsed>[]) => {
      const category = firstCategory(given);
      return category.present ? category.value.category : undefined;
    };
    expect(chosen(browsed("hats", 0), browsed("shoes", 2))).toBe("shoes");
    expect(chosen(browsed("hats", 0), browsed("shoes", 2), browsed("caps", 1, "c"))).toBe("caps");
    expect(chosen(browsed("hats", 0))).toBe("hats");
  });

  test("products in some of the configured categories: the empty ones are reported", async () => {
    const { notices } = await discovered({}, { categories: [category, "hats", "caps"] });
    expect(notices).toEqual([
      {
        code: "category-shows-nothing",
        endpoint: "category-page",
        seen: { count: 2, total: 3, of: "items" },
        details: { categories: ["hats", "caps"].map((name) => ({ category: name, status: 200 })) },
      },
    ]);
    expect((await discovered()).notices).toEqual([]);
    expect((await discovered({}, { categories: [] })).notices).toEqual([{ code: "no-category" }]);
  });

  test("a category that can be browsed: the finding says what each returned", async () => {
    const { fixtures } = await discovered({ demands: ["limit"] }, { categories: ["a", "b"] });
    expect(fixtures.category.present).toBe(true);
    await using stub = await serve((request, response) => {
      if (request.url.includes("category=b")) response.destroy();
      else
        sendJson(response, request.url.includes("category") ? 404 : 200, {
          retailers: [{ slug: "acme", name: "Acme", domains: [] }],
        });
    });
    const target = { keys: { primary: stubKeys.primary }, categories: ["a", "b"] };
    const unbrowsable = await discoverAt(stub.baseUrl, stub.requests, target);
    const categories = [
      { category: "a", status: 404 },
      { category: "b", cause: { code: "no-answer", subject: "reset" } },
    ];
    const why = missing("category-not-browsable", { details: { categories } });
    expect(unbrowsable.fixtures).toMatchObject({ category: why, product: why });
  });

  test("GET /retailers: that is not a refused key, and the rest is found", async () => {
    await using stub = await startStubCatalog({ ...usual, withoutRetailers: true });
    const { fixtures, arrived } = await discoverAt(stub.baseUrl, stub.requests);
    expect(fixtures.retailers).toMatchObject({
      present: false,
      missing: { code: "no-retailer", subject: "primary", actual: 404 },
    });
    expect(fixtures.product.present).toBe(true);
    expect(arrived.some(({ headers }) => "x-api-key" in headers)).toBe(false);
  });

  test("a GTIN of its own: one that is found only with its retailer is used with it", async () => {
    const items = itemsOf(["acme", "bolt"], 4, ({ retailer }) =>
      retailer === "acme" ? { gtin: undefined } : {},
    );
    const twins = items.map((item, index) => ({ ...item, gtin: gtinOf(index >> 1) }));
    const shown = twins.map((item, index) =>
      item.retailer === "bolt" ? { ...item, shown: { ...item.shown, gtin: gtinOf(index >> 1) } } : item,
    );
    const { fixtures, arrived } = await discovered({ items: shown });
    const bare = arrived.filter(({ url }) => url.endsWith(`?gtin=${gtinOf(0)}`));
    expect(bare).toHaveLength(1);
    expect(fixtures.sharedGtins.map(({ productId }) => productId)).toEqual(["item-1", "item-3"]);
    // They are still found with their retailer.
    expect(fixtures.productsByGtin).toMatchObject({
      value: [{ productId: "item-1" }, { productId: "item-3" }],
    });
  });
});

// Cursors of odd characters, past empty pages: variants of the proof.
test("a cursor is followed for a limited number of pages", async () => {
  await using stub = await serve((request, response) =>
    sendJson(
      response,
      200,
      request.url.includes("category")
        ? { products: [], meta: { next_cursor: "again", count: 0 } }
        : { retailers: [{ slug: "acme", name: "Acme", domains: [] }] },
    ),
  );
  const { arrived } = await discoverAt(stub.baseUrl, stub.requests, {
    keys: { primary: stubKeys.primary },
  });
  expect(queriesOf(arrived, "cursor").length).toBeLessThan(30);
});

// Requirement retailer.no-hard-coding.
test("nothing is requested that neither the target returned nor the user configured", async () => {
  const slugs = Array.from({ length: 3 }, () => randomUUID());
  const [a = "", b = "", foreign = ""] = slugs;
  const items = itemsOf([a, b, foreign], 12);
  const { arrived } = await discovered({ own: [a, b], foreign: [foreign], items });
  const known = items.map(({ retailer, id }) => `${retailer}/${id}`);
  const byPath = arrived
    .filter(({ url }) => /^\/v1\/products\/[^/?]+\/[^/?]+$/.test(url))
    .map(({ url }) => url.slice("/v1/products/".length));
  expect(byPath.length).toBeGreaterThan(0);
  expect(known).toEqual(expect.arrayContaining(byPath));
  expect(new Set(queriesOf(arrived, "category"))).toEqual(new Set([category]));
  expect(items.map(({ gtin }) => gtin)).toEqual(expect.arrayContaining(queriesOf(arrived, "gtin")));
  expect(items.map(({ url }) => url)).toEqual(expect.arrayContaining(queriesOf(arrived, "url")));
  expect(slugs).toEqual(expect.arrayContaining(queriesOf(arrived, "retailer")));
  const bodies = arrived.filter(({ method }) => method === "POST").map(({ body }) => body);
  expect(bodies.length).toBeGreaterThan(0);
  for (const body of bodies) expect(slugs.some((slug) => body.includes(slug))).toBe(true);
});

describe("a target that cannot be judged", () => {
  const keyless = { keys: {} };

  test("when no key is configured", async () => {
    const found = discoverAt("http://127.0.0.1:9/v1", [], keyless);
    await expect(found).rejects.toBeInstanceOf(CannotJudge);
    await expect(found).rejects.toMatchObject({ problem: { fix: "Set SHELFCHECK_API_KEY." } });
    const keyVariables = { primary: "STAGING_API_KEY", sameOrg: "SECOND", otherOrg: "OTHER" };
    const named = discoverAt("http://127.0.0.1:9/v1", [], { ...keyless, keyVariables });
    await expect(named).rejects.toMatchObject({ problem: { fix: "Set STAGING_API_KEY." } });
  });

  test.each([
    ["text/html", "<h1>Welcome</h1>", "correct the base URL"],
    ["application/json", '\uFEFF{"retailers":[]}', "byte order mark"],
    ["application/json", "", "byte order mark"],
  ])("when every response is %s %j", async (type, body, fix) => {
    await using stub = await serve((_request, response) => {
      response.writeHead(200, { "content-type": type });
      response.end(body);
    });
    const problem = { what: `No response is JSON (200 ${type})`, fix: expect.stringContaining(fix) };
    await expect(discoverAt(stub.baseUrl, stub.requests)).rejects.toMatchObject({ problem });
  });
});
