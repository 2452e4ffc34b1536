import { describe, expect, test } from "vitest";
import { goodProduct } from "../../test/support/rule-examples/example.ts";
import { exchangeOf } from "../../test/support/stub-exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import { comesAndGoesRules } from "./comes-and-goes.ts";

const fieldNames = { batchFoundField: "products", batchFoundProduct: "" };

/** What a rule says of these exchanges, in this order. */
function judge(id: string, exchanges: readonly Exchange[]) {
  const numbered = exchanges.map((exchange, index) => ({ ...exchange, number: index + 1 }));
  return comesAndGoesRules.find((one) => one.id === id)?.judge(numbered, { fieldNames });
}

/** Responses by letters, one each. */
const made = (letters: string, make: (letter: string) => Exchange) => [...letters].map(make);

describe("retailers.scope/one-list", () => {
  const list = (slugs: readonly string[], domains: readonly string[] = []) =>
    exchangeOf("retailers", { retailers: slugs.map((slug) => ({ slug, domains })) });
  const lists = (letters: string) =>
    made(letters, (letter) =>
      letter === "d"
        ? list(["acme", "bolt"], ["acme.example"])
        : list(letter === "2" ? ["acme", "bolt"] : letter === "1" ? ["bolt"] : []),
    );

  test("that is empty twice: a finding names what was gone, with what was there before and after", () => {
    const outcome = judge("retailers.scope/one-list", lists("2202201"));
    expect(outcome).toMatchObject({
      kind: "fail",
      findings: [{ code: "comes-and-goes", expected: ["acme", "bolt"], seen: { count: 3, total: 7 } }],
      evidence: [{ number: 3 }, { number: 2 }, { number: 4 }],
    });
  });

  test.each<[string, string, string]>([
    ["warns that is empty once", "warn", "22200022"],
    ["fails that lacks one three times", "fail", "221221221222"],
    ["warns that lacks one twice", "warn", "2212212"],
    ["passes that lacks one for a while", "pass", "2211122"],
    ["passes that never changes", "pass", "2222"],
    ["passes that ends with less", "pass", "2222111"],
    // Replicas learn it one by one.
    ["passes that got one in the run", "pass", "111121212122"],
    ["warns whose domains come and go", "warn", "d2d2d2d"],
  ])("a list %s", (_name, kind, letters) => {
    expect(judge("retailers.scope/one-list", lists(letters))?.kind).toBe(kind);
  });
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
  test.each<[string, string, Exchange[]]>([
    ["empty once is a warning", "warn", [page(3), page(0), page(3)]],
    ["twice without one product is a warning", "warn", [page(3), page(2), page(3), page(2), page(3)]],
    ["that goes on passes", "pass", [page(3, "x"), page(1, "y"), page(3, "x"), page(1, "y"), page(3, "x")]],
    ["that is shorter on request passes", "pass", [page(3), page(1, "x", "&limit=1"), page(3)]],
    [
      "empty twice, whatever its limit, fails",
      "fail",
      [page(3), page(0), page(1, "x", "&limit=1"), page(0), page(3)],
    ],
  ])("a page %s", (_name, kind, exchanges) => {
    expect(judge("errors.false-not-found/same-category", exchanges)?.kind).toBe(kind);
  });
});

describe("product.same-shape/every-time", () => {
  const { price: _, ...unpriced } = goodProduct;
  const lookup = (product: object) => exchangeOf("lookup-by-id", product);
  const older = { last_updated: "2026-11-20T08:34:22Z" };
  test.each<[string, string, object[]]>([
    ["of one is a warning", "warn", [goodProduct, unpriced, goodProduct, unpriced, goodProduct]],
    ["that stays away passes", "pass", [goodProduct, unpriced, unpriced]],
    ["that is null passes", "pass", [goodProduct, { ...goodProduct, price: null }, goodProduct]],
    ["of an older version passes", "pass", [goodProduct, { ...unpriced, ...older }, goodProduct]],
  ])("a field %s", (_name, kind, products) => {
    expect(judge("product.same-shape/every-time", products.map(lookup))?.kind).toBe(kind);
  });
});
