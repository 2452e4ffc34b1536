import { describe, expect, test } from "vitest";
import { keyHeaders } from "../../schemas/api.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";
import { stubKeys } from "../../test/support/stub-client.ts";
import { errorOf, exchangeOf, type MadeUp } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { keyIn } from "../client/requests.ts";
import type { Caller } from "../client/target.ts";
import { passed } from "../requirements/outcome.ts";
import { historyRules } from "./history.ts";

const fieldNames = { batchFoundField: "products", batchFoundProduct: "" };

/** What a rule says of these exchanges, in this order. */
function outcomeOf(id: string, exchanges: readonly Exchange[], names: FieldNames = fieldNames) {
  const numbered = exchanges.map((exchange, index) => ({ ...exchange, number: index + 1 }));
  return historyRules.find((one) => one.id === id)?.judge(numbered, { fieldNames: names });
}

describe("errors.false-not-found/known-products", () => {
  const product = { retailer: "acme", product_id: "A/1" };
  const url = "http://stub.example/v1/products/acme/A%2F1";
  const named = { product: { retailer: "acme", productId: "A/1" } };
  const found = (caller: Caller = "primary") => exchangeOf("lookup-by-id", product, { url, caller });
  const missing = (caller: Caller = "primary") => errorOf(404, "not_found", { url, caller });
  const origin = "https://app.example";
  const spelled = (madeUp: MadeUp) => errorOf(404, "not_found", { url, ...madeUp });
  const page = (...products: readonly object[]) => exchangeOf("category-page", { products });
  const requestBody = JSON.stringify({ items: [product] });
  const batch = (products: readonly object[], items = [product], failed = 0) =>
    exchangeOf(
      "batch",
      { products, errors: [], meta: { other_errors: failed } },
      { requestBody: JSON.stringify({ items }) },
    );
  const inBatch = batch([product]);
  const two = [product, { retailer: "acme", product_id: "B" }];
  const both = batch(two, two);
  const missingOther = errorOf(404, "not_found", { url: "http://stub.example/v1/products/acme/B" });
  const noBatch = errorOf(404, "not_found", { endpoint: "batch", requestBody });
  const gtinUrl = "http://stub.example/v1/products?gtin=96385074";
  const byGtin = exchangeOf("lookup-by-gtin", product, { url: gtinUrl });
  const notByGtin = errorOf(404, "not_found", { endpoint: "lookup-by-gtin", url: gtinUrl });
  const noneByGtin = errorOf(404, "not_found", { endpoint: "lookup-by-gtin", url: `${gtinUrl}0` });
  const challenge = exchangeOf("lookup-by-gtin", undefined, { text: "<html>", url: gtinUrl });
  const emptyOf = (count: number) => batch([], new Array(count).fill(product));
  const unread = exchangeOf("batch", undefined, { text: "<html>", requestBody });
  const judge = (...exchanges: readonly Exchange[]) =>
    outcomeOf("errors.false-not-found/known-products", exchanges);

  test.each<[string, Exchange[], kind: string, finding: object]>([
    ["once", [found(), missing(), found()], "warn", { ...named, seen: { count: 1, total: 3 } }],
    [
      "once, whoever asks for it",
      [found(), missing(), missing("sameOrg"), missing(), found()],
      "warn",
      named,
    ],
    ["at two times", [found(), missing(), found(), missing(), found()], "fail", named],
    ["after it entered the catalog", [missing(), found(), missing(), found()], "warn", named],
    ["by GTIN", [byGtin, notByGtin, byGtin], "warn", { seen: { count: 1, total: 3, of: "requests" } }],
    ["with the other key", [found("sameOrg"), missing("sameOrg"), found()], "warn", named],
    ["in a batch of as many as may be", [inBatch, emptyOf(50), inBatch], "warn", named],
    ["in one batch of several", [both, batch(two.slice(1), two), both], "warn", named],
    ["while another one leaves", [both, found(), missing(), found(), missingOther], "fail", named],
    ["by id, between a page and a batch", [page(product), missing(), inBatch, found()], "warn", named],
  ])("something is missing %s", (_name, exchanges, kind, finding) => {
    const findings = [{ code: "false-not-found", ...finding }];
    expect(judge(...exchanges)).toMatchObject({ kind, findings, evidence: [{}, {}, {}] });
  });

  test.each<[string, count: number, Exchange[]]>([
    ["when a product leaves the catalog", 3, [found(), missing(), missing()]],
    ["when batches cannot be read", 2, [inBatch, unread, unread, inBatch]],
    ["when no batch is possible", 2, [inBatch, noBatch, inBatch]],
    ["when upstream fails", 2, [inBatch, batch([], [product], 1), inBatch]],
    ["when a page still lists what has left", 2, [found(), missing(), page(product)]],
    ["when it is never found by id", 2, [page(product), missing(), inBatch]],
    ["when another key never finds it", 3, [found(), missing("sameOrg"), found()]],
    ["when it is never found in another spelling", 3, [found(), spelled({ url: `${url}?` }), found()]],
    ["when it is never found with a header", 3, [found(), spelled({ requestHeaders: { origin } }), found()]],
    ["when a product enters the catalog", 3, [missing(), missing(), found()]],
    ["when the other organization does not see it", 2, [found(), missing("otherOrg"), found()]],
    ["when a batch above the limit is cut", 2, [inBatch, emptyOf(51), inBatch]],
    ["when a request without a key is refused", 2, [found(), missing("nobody"), found()]],
    ["when the service fails", 2, [found(), errorOf(500, "internal_error", { url }), found()]],
    ["when products of a batch lack ids", 2, [both, batch([{}, ...two.slice(1)], two), both]],
    ["when a product lacks its id", 0, [exchangeOf("lookup-by-id", {})]],
    ["when another GTIN is not found", 2, [byGtin, noneByGtin, byGtin]],
    ["when a gateway answers", 0, [challenge, notByGtin, challenge]],
    ["when there is no such product", 0, [missing(), missing()]],
  ])("nothing is missing %s", (_name, count, exchanges) => {
    expect(judge(...exchanges)).toEqual(passed({ code: "checked", seen: { count, of: "requests" } }));
  });

  test("a batch whose list of products has no known name shows nothing", () => {
    const outcome = outcomeOf("errors.false-not-found/known-products", [found(), batch([]), found()], {});
    expect(outcome).toEqual(passed({ code: "checked", seen: { count: 2, of: "requests" } }));
  });

  describe("a retailer that was disabled for a while", () => {
    const pageUrl = "http://stub.example/v1/products?url=x";
    const byPage = exchangeOf("lookup-by-url", product, { url: pageUrl });
    const notByPage = errorOf(404, "not_found", { endpoint: "lookup-by-url", url: pageUrl });
    const rejected = errorOf(400, "bad_request", { url });
    const list = (caller: Caller, ...slugs: readonly string[]) =>
      exchangeOf("retailers", { retailers: slugs.map((slug) => ({ slug })) }, { caller });
    const [listed, disabled] = [list("primary", "bolt", "acme"), list("primary", "bolt")];
    const forbidden = errorOf(403, "forbidden", { url });
    const boltUrl = { url: "http://stub.example/v1/products/bolt/1" };
    const ofBolt = [exchangeOf("lookup-by-id", {}, boltUrl), errorOf(400, "bad_request", boltUrl)];
    const [ofOther, none] = [list("otherOrg", "bolt"), list("primary")];

    test.each<[string, string, Exchange[]]>([
      ["explains what was missing meanwhile", "pass", [byPage, found(), rejected, notByPage, byPage]],
      ["is forbidden", "pass", [byPage, found(), forbidden, notByPage, byPage]],
      ["is not in a list", "pass", [byPage, listed, notByPage, disabled, byPage]],
      ["explains nothing at other times", "warn", [found(), rejected, byPage, notByPage, byPage, rejected]],
      ["is not seen by an id that is never found", "warn", [byPage, rejected, notByPage, byPage]],
      ["is not seen by the id of another one", "warn", [byPage, ...ofBolt, notByPage, byPage]],
      ["is not one that lists have", "warn", [byPage, listed, notByPage, byPage]],
      ["is not one that lists of others lack", "warn", [byPage, ofOther, notByPage, none, byPage]],
    ])("%s", (_name, kind, exchanges) => {
      expect(judge(...exchanges)?.kind).toBe(kind);
    });
  });
});

describe("a valid key in Authorization that another request accepts", () => {
  const bearer = keyIn(keyHeaders.bearer, stubKeys.primary);
  const withKey = (status: number, id: string, madeUp: MadeUp = { requestHeaders: bearer }) =>
    exchangeOf("lookup-by-id", {}, { status, url: `http://stub.example/v1/products/acme/${id}`, ...madeUp });
  const twice = (status: number, madeUp?: MadeUp) => ["1", "2"].map((id) => withKey(status, id, madeUp));
  const accepted = twice(200);
  const refused = (madeUp?: MadeUp) => [...twice(401, madeUp), ...accepted];
  const plain = { requestHeaders: { "X-Api-Key": "x" } };
  const list = { ...withKey(200, "3"), endpoint: "retailers" } as const;
  const judge = (...exchanges: readonly Exchange[]) =>
    outcomeOf("authentication.bearer/every-request", exchanges);

  test.each([
    ["authentication.bearer", bearer],
    ["authentication.x-api-key", keyIn(keyHeaders.plain, stubKeys.primary)],
  ])("must not be refused twice, in the header of %s", (requirement, requestHeaders) => {
    const finding = { code: "wrong-status", expected: [200], actual: 401, condition: "good-key" };
    const evidence = [3, 5, 4].map((number) => ({ number }));
    const exchanges = [200, 401, 200].flatMap((status) => twice(status, { requestHeaders }));
    const outcome = outcomeOf(`${requirement}/every-request`, [...exchanges, list]);
    expect(outcome).toMatchObject({ kind: "fail", findings: [finding], evidence });
  });

  test.each<[string, count: number, readonly Exchange[]]>([
    ["once", 3, [withKey(401, "1"), ...accepted]],
    ["from some moment on", 4, [...accepted, withKey(401, "1"), withKey(401, "2")]],
    ["with another header", 4, refused({ requestHeaders: { ...bearer, origin: "https://app.example" } })],
    ["for other requests", 3, [withKey(401, "1"), withKey(401, "2"), withKey(200, "3")]],
    ["together with another one", 2, refused({ requestHeaders: { ...bearer, "X-Api-Key": "x" } })],
    ["in another scheme", 2, refused({ requestHeaders: { Authorization: "bearer x" } })],
    ["of another organization", 2, refused({ requestHeaders: bearer, caller: "otherOrg" })],
    ["where only the other header is accepted", 3, [...twice(401), ...twice(200, plain), list]],
  ])("may be rejected %s", (_when, count, exchanges) => {
    expect(judge(...exchanges)).toEqual(passed({ code: "checked", seen: { count, of: "requests" } }));
  });
});
