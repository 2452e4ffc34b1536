import { describe, expect, test } from "vitest";
import { keyHeaders } from "../../schemas/api.ts";
import { stubKeys } from "../../test/support/stub-client.ts";
import { errorOf, exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { keyIn } from "../client/requests.ts";
import type { Caller } from "../client/target.ts";
import { historyRules } from "./history.ts";

const fieldNames = { batchFoundField: "products", batchFoundProduct: "" };

/** What a rule says of these exchanges, in this order. */
function outcomeOf(id: string, exchanges: readonly Exchange[]) {
  const numbered = exchanges.map((exchange, index) => ({ ...exchange, number: index + 1 }));
  return historyRules.find((one) => one.id === id)?.judge(numbered, { fieldNames });
}

describe("errors.false-not-found/known-products", () => {
  const product = { retailer: "acme", product_id: "A/1" };
  const url = "http://stub.example/v1/products/acme/A%2F1";
  const named = { product: { retailer: "acme", productId: "A/1" } };
  const found = (caller: Caller = "primary") => exchangeOf("lookup-by-id", product, { url, caller });
  const missing = (caller: Caller = "primary") => errorOf(404, "not_found", { url, caller });
  const page = (...products: readonly object[]) => exchangeOf("category-page", { products });
  const batch = (products: readonly object[], errors: readonly object[], items = [product]) =>
    exchangeOf("batch", { products, errors }, { requestBody: JSON.stringify({ items }) });
  const tooLarge = batch([], [], new Array(51).fill(product));
  const unread = () => {
    const { response, ...cut } = batch([], []);
    return { ...cut, response: { ...response, json: undefined } };
  };
  const judge = (...exchanges: readonly Exchange[]) =>
    outcomeOf("errors.false-not-found/known-products", exchanges);

  test.each<[string, Exchange[], kind: string, finding: object]>([
    ["once", [found(), missing(), found()], "warn", { ...named, seen: { count: 1, total: 3 } }],
    ["with the other key", [found(), missing("sameOrg"), found()], "warn", named],
    [
      "in one batch of several",
      [batch([product], []), batch([], [product]), batch([product], [])],
      "warn",
      named,
    ],
    [
      "by id, between a page and a batch",
      [page(product), missing(), batch([product], []), found()],
      "warn",
      named,
    ],
  ])("something is missing %s", (_name, exchanges, kind, finding) => {
    expect(judge(...exchanges)).toMatchObject({ kind, findings: [{ code: "false-not-found", ...finding }] });
  });

  test("one that comes back, and another one that does not, fail", () => {
    const other = { url: "http://stub.example/v1/products/acme/B" };
    const foundOther = exchangeOf("lookup-by-id", { retailer: "acme", product_id: "B" }, other);
    const missingOther = errorOf(404, "not_found", other);
    expect(judge(foundOther, found(), missing(), found(), missingOther)?.kind).toBe("fail");
  });

  test.each<[string, Exchange[]]>([
    ["when a product leaves the catalog", [found(), missing(), missing()]],
    ["when batches cannot be read", [batch([product], []), unread(), unread(), batch([product], [])]],
    ["when a page still lists what has left", [found(), missing(), page(product)]],
    ["when it is never found by id", [page(product), missing(), batch([product], [])]],
    ["when a product enters the catalog", [missing(), missing(), found()]],
    ["when the other organization does not see it", [found(), missing("otherOrg"), found()]],
    ["when a batch above the limit is cut", [batch([product], []), tooLarge, batch([product], [])]],
    ["when a request without a key is refused", [found(), missing("nobody"), found()]],
    ["when the service fails", [found(), errorOf(500, "internal_error", { url }), found()]],
    [
      "when the products of a batch lack their ids",
      [batch([product], []), batch([{}], []), batch([product], [])],
    ],
    ["when there is no such product", [missing(), missing()]],
  ])("nothing is missing %s", (_name, exchanges) => {
    expect(judge(...exchanges)?.kind).toBe("pass");
  });

  describe("a retailer that was disabled for a while", () => {
    const pageUrl = "http://stub.example/v1/products?url=x";
    const byPage = exchangeOf("lookup-by-url", product, { url: pageUrl });
    const notByPage = errorOf(404, "not_found", { endpoint: "lookup-by-url", url: pageUrl });
    const rejected = errorOf(400, "bad_request", { url });
    const listOf = (...slugs: readonly string[]) =>
      exchangeOf("retailers", { retailers: slugs.map((slug) => ({ slug })) });

    test.each<[string, string, Exchange[]]>([
      ["explains what was missing meanwhile", "pass", [byPage, found(), rejected, notByPage, byPage]],
      ["is not in a list", "pass", [byPage, listOf("bolt", "acme"), notByPage, listOf("bolt"), byPage]],
      ["explains nothing at other times", "warn", [byPage, found(), rejected, byPage, notByPage, byPage]],
      ["is not seen by an id that is never found", "warn", [byPage, rejected, notByPage, byPage]],
      ["is not one that lists have", "warn", [byPage, listOf("acme"), notByPage, listOf("acme"), byPage]],
    ])("%s", (_name, kind, exchanges) => {
      expect(judge(...exchanges)?.kind).toBe(kind);
    });
  });
});

describe("a valid key in Authorization that another request accepts", () => {
  const withKey = (status: number, id: string, headers = {}) =>
    exchangeOf(
      "lookup-by-id",
      {},
      {
        status,
        url: `http://stub.example/v1/products/acme/${id}`,
        requestHeaders: { ...keyIn(keyHeaders.bearer, stubKeys.primary), ...headers },
      },
    );
  const judge = (...exchanges: readonly Exchange[]) =>
    outcomeOf("authentication.bearer/every-request", exchanges);

  test.each<[string, readonly Exchange[]]>([
    ["once", [withKey(401, "1"), withKey(200, "1"), withKey(200, "2")]],
    ["from some moment on", [withKey(200, "1"), withKey(200, "2"), withKey(401, "1"), withKey(401, "2")]],
    ["for other requests", [withKey(401, "1"), withKey(401, "2"), withKey(200, "3")]],
    [
      "together with another one",
      ["1", "2"].flatMap((id) => [withKey(200, id), withKey(401, id, { "X-Api-Key": "x" })]),
    ],
  ])("may be rejected %s", (_when, exchanges) => {
    expect(judge(...exchanges)?.kind).toBe("pass");
  });
});
