import { describe, expect, test } from "vitest";
import { goodProduct } from "../../test/support/rule-examples/example.ts";
import { errorOf, exchangeOf, type MadeUp } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { comesAndGoesRules } from "./comes-and-goes.ts";

const fieldNames = { batchFoundField: "products", batchFoundProduct: "" };

type Row = [name: string, kind: string, exchanges: readonly Exchange[], finding?: object, evidence?: object];

const checked = (count: number) => ({ code: "checked", seen: { count, of: "responses" } });

/** Shows what a rule says of these exchanges, in this order. */
const saying =
  (id: string) =>
  (...[, kind, exchanges, finding = {}, evidence = {}]: Row) => {
    const numbered = exchanges.map((exchange, index) => ({ ...exchange, number: index + 1 }));
    const outcome = comesAndGoesRules.find((one) => one.id === id)?.judge(numbered, { fieldNames });
    expect(outcome).toMatchObject({ kind, findings: [finding], evidence });
  };

describe("retailers.scope/one-list", () => {
  const listed = (entries: readonly object[], madeUp?: MadeUp) =>
    exchangeOf("retailers", { retailers: entries }, madeUp);
  const acme = { slug: "acme", domains: "none" };
  const bolt = { slug: "bolt", domains: [7, "bolt.example"] };
  const responses: Readonly<Record<string, Exchange>> = {
    "2": listed([acme, bolt]),
    "1": listed([bolt]),
    "0": listed([]),
    d: listed([{ ...acme, domains: ["acme.example"] }, bolt]),
    // No list of retailers, or not to the same request.
    e: errorOf(500, "internal_error", { endpoint: "retailers" }),
    x: exchangeOf("retailers", []),
    p: exchangeOf("other", {}),
    h: listed([bolt], { requestHeaders: { accept: "text/html" } }),
    H: listed([acme, bolt], { requestHeaders: { accept: "text/html" } }),
    z: listed([], { requestHeaders: { accept: "text/html" } }),
    k: listed([acme, bolt], { caller: "nobody" }),
    K: listed([], { caller: "nobody" }),
    // Lists that lack retailers.
    i: listed([bolt], { requestHeaders: { "x-request-id": "1" } }),
    n: listed([null, { slug: 7, domains: 7 }] as object[]),
    t: exchangeOf("retailers", { retailers: "none" }),
  };
  const lists = (letters: string) => [...letters].flatMap((letter) => responses[letter] ?? []);

  const emptied = { code: "comes-and-goes", path: "/retailers", expected: ["acme", "bolt"] };
  const shown = [4, 3, 5].map((number) => ({ number }));

  test.each<Row>([
    ["fails that is empty twice", "fail", lists("21202201"), emptied, shown],
    ["warns that is empty once", "warn", lists("22200022")],
    ["warns that is empty once, also with other headers", "warn", lists("2H0z2H")],
    ["fails that is empty at two times, with other headers", "fail", lists("202HzH")],
    ["fails that is empty after it was, with other headers", "fail", lists("20HzH2")],
    ["fails that is empty before it was, with other headers", "fail", lists("2H202zH")],
    ["warns that cannot be read once", "warn", lists("22n2")],
    ["warns that is a text once", "warn", lists("22t2")],
    ["fails that lacks one three times", "fail", lists("221221221222")],
    ["warns that lacks one twice", "warn", lists("2212212")],
    ["warns that lacks one with other ids of requests", "warn", lists("22i22i2")],
    ["passes that lacks one on request", "pass", lists("22h22h22h2")],
    ["passes that is empty without a key", "pass", lists("2kK2kK2k"), checked(3)],
    ["passes that lacks one for a while", "pass", lists("2211122")],
    ["passes that grows", "pass", lists("1222")],
    ["passes that never changes", "pass", lists("2xe2xp2"), checked(3)],
    ["passes that ends with less", "pass", lists("2222111")],
    // Replicas learn it one by one.
    ["passes that got one in the run", "pass", lists("111121212122")],
    ["warns that has one, or none", "warn", lists("10101")],
    ["warns whose domains come and go", "warn", lists("d2d2d2d"), { path: "/retailers/0/domains" }],
    ["passes whose domains come and go once", "pass", lists("d2d2")],
  ])("a list %s", saying("retailers.scope/one-list"));
});

describe("errors.false-not-found/same-category", () => {
  const page = (count: number, cursor = "", query = "") =>
    exchangeOf(
      "category-page",
      {
        products: Array.from({ length: count }, (_, at) => ({ ...goodProduct, product_id: `A${at}` })),
        meta: { next_cursor: cursor, count },
      },
      { url: `http://stub.example/v1/products?category=lamps${query}` },
    );
  const limited = page(1, "", "&limit=1");
  const rest = (count: number) => page(count, "", "&cursor=x");
  const hats = (count: number) => page(count, "", "&category=hats");
  const expected = [0, 1, 2, 3, 4].map((at) => `acme / A${at}`);
  const first = { path: "/products", expected, seen: { count: 2, total: 5, of: "responses" } };
  test.each<Row>([
    ["empty once is a warning", "warn", [page(7), page(0), page(1, "y"), page(3), page(7)], first],
    ["twice without one product is a warning", "warn", [page(3), page(2), page(3), page(2), page(3)]],
    ["without one, then without two fails", "fail", [page(3), page(2), page(1), page(3)]],
    ["empty with another one fails", "fail", [page(3), hats(3), page(0), hats(0), page(3), hats(3)]],
    ["that goes on passes", "pass", [page(3, "x"), page(1, "y"), page(3, "x"), page(1, "y"), page(3, "x")]],
    ["of another limit is not compared", "pass", [page(3), limited, page(3)]],
    [
      "that goes on with a cursor passes",
      "pass",
      [rest(3), rest(0), exchangeOf("other", {}), rest(3)],
      checked(0),
    ],
  ])("a page %s", saying("errors.false-not-found/same-category"));
});

describe("product.same-shape/every-time", () => {
  const { price: _, ...unpriced } = goodProduct;
  const lookups = (...products: object[]) => products.map((one) => exchangeOf("lookup-by-id", one));
  const older = { last_updated: "2026-11-20T08:34:22Z" };
  const withNull = { ...goodProduct, mpn: null };
  const whole = { ...goodProduct, x: 1 };
  /** Two products as a whole, with less, and as a whole again. */
  const twice = (most: object, less: object) =>
    ["A", "B"].flatMap((id) => lookups(...[most, less, most].map((one) => ({ ...one, product_id: id }))));
  const batchOf = (...products: object[]) => exchangeOf("batch", { products }, { requestBody: "{}" });
  const twoOfOne = batchOf(goodProduct, goodProduct);
  const once = { seen: { count: 1, total: 3, of: "responses" } };
  const named = { product: { retailer: "acme", productId: "A1" }, expected: ["price", "x"] };
  test.each<Row>([
    ["of one is a warning", "warn", lookups(whole, unpriced, whole, unpriced, whole), named],
    ["of two fails", "fail", twice(whole, unpriced)],
    ["that the spec does not name is a warning", "warn", twice(whole, goodProduct)],
    ["of what has no name passes", "pass", twice({ ...whole, retailer: 7 }, { ...unpriced, retailer: 7 })],
    ["without a time passes", "pass", twice({ retailer: "acme", price: 1 }, { retailer: "acme" })],
    ["that stays away passes", "pass", lookups(goodProduct, unpriced, unpriced)],
    ["of a product twice in a batch counts once", "warn", [twoOfOne, batchOf(unpriced), twoOfOne], once],
    ["that is null elsewhere passes", "pass", lookups(withNull, goodProduct, withNull)],
    ["of an older version passes", "pass", lookups(goodProduct, { ...unpriced, ...older }, goodProduct)],
  ])("a field %s", saying("product.same-shape/every-time"));
});
