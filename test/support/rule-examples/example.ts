import type { Exchange } from "../../../conformance/client/exchange.ts";
import { factsOf } from "../../../conformance/rules/facts.ts";
import type { RuleFacts } from "../../../conformance/rules/rule.ts";
import { isObject } from "../../../schemas/json.ts";
import { errorOf, exchangeOf, type MadeUp } from "../stub-exchange.ts";

/** Examples for one rule, beside the common ones. rules.test.ts checks that every rule has some. */
export interface RuleExamples<Example = Exchange> {
  /** Exchanges that the rule judges as passed. */
  readonly passes?: readonly Example[];
  /** Exchanges that violate the rule; what it finds in each is in rules.snapshot.txt. */
  readonly fails: readonly Example[];
  /** Exchanges that the rule does not apply to. */
  readonly notApplicable?: readonly Example[];
}

export type ExamplesByRule<Example = Exchange> = Readonly<Record<string, RuleExamples<Example>>>;

/** Examples in the form of which `exchangeOf` makes an exchange, and exchanges that have another form. */
export function examplesOf<Short>(
  exchangeOf: (short: Short) => Exchange,
  rows: ExamplesByRule<Short | Exchange>,
): ExamplesByRule {
  const made = (all: readonly (Short | Exchange)[] = []) =>
    all.map((one) => (isExchange(one) ? one : exchangeOf(one)));
  const rule = ({ passes, fails, notApplicable }: RuleExamples<Short | Exchange>) => ({
    passes: made(passes),
    fails: made(fails),
    notApplicable: made(notApplicable),
  });
  return Object.fromEntries(Object.entries(rows).map(([id, examples]) => [id, rule(examples)]));
}

const isExchange = (one: unknown): one is Exchange => isObject(one) && "response" in one;

/** A product that passes every rule. */
export const goodProduct = {
  retailer: "acme",
  retailer_name: "Acme Inc",
  product_id: "A1",
  title: "Lamp",
  price: 12.5,
  currency: "EUR",
  availability: "in_stock",
  product_url: "https://acme.example/p/A1",
  last_updated: "2026-11-21T08:34:22Z",
  identifiers: [{ type: "EAN", value: "4006381333931" }],
};

const acme = { slug: "acme", name: "Acme Inc", domains: ["acme.example", "www.acme.example"] };
const batchOf = (result: unknown) =>
  exchangeOf("batch", result, { requestBody: '{"items":[{"retailer":"acme","product_id":"A1"}]}' });
const html = (status: number, text: string, endpoint: Exchange["endpoint"] = "other") =>
  exchangeOf(endpoint, undefined, { status, text, headers: { "content-type": "text/html" } });

/** Responses of every kind, with which each rule is tried. What it says of each is in rules.snapshot.txt. */
export const common = {
  right: {
    "a product": lookup(goodProduct),
    "a product without fields": lookup({}),
    "a page": page(goodProduct),
    "an empty page": page(),
    "a list": exchangeOf("retailers", { retailers: [acme] }),
    "an empty list": exchangeOf("retailers", { retailers: [] }),
    "a batch": batchOf({
      products: [goodProduct],
      errors: [],
      meta: { total: 1, found: 1, not_found: 0, other_errors: 0 },
    }),
    "an unknown product": errorOf(404, "not_found"),
    "a list without a key": errorOf(401, "unauthorized", { endpoint: "retailers" }),
    "a refused page": errorOf(400, "bad_request", { endpoint: "category-page" }),
    "a malformed batch": errorOf(400, "bad_request", { endpoint: "batch", requestBody: "{" }),
    "a status of its own": errorOf(418, "teapot"),
    "no content": html(204, ""),
  },
  wrong: {
    "a list that is a text": exchangeOf("retailers", { retailers: "none" }),
    "a list with status 500": exchangeOf("retailers", { retailers: [{}] }, { status: 500 }),
    "a list in place of a product": lookup({ retailers: [{}] }),
    "an error in place of a product": lookup({ error: { code: 1, message: 1 } }),
    "a text in place of an error": lookup({ error: "x" }, { status: 400 }),
    "HTML in place of a page": html(200, "<html>", "category-page"),
    "HTML in place of an error": html(404, "<h1>oops</h1>"),
    "a batch that is a list": batchOf([goodProduct]),
  },
} as const;

const retailersOf = (caller: "primary" | "sameOrg" | "otherOrg", ...retailers: readonly object[]) =>
  exchangeOf("retailers", { retailers }, { caller });

/** Products that all have the same price below zero. */
export const unpriced = page(
  ...["A2", "A3", "A4"].map((product_id) => ({ ...goodProduct, product_id, price: -2 })),
);

function pageBefore(cursor: string, query: string): Exchange {
  const body = { products: [goodProduct], meta: { next_cursor: cursor, count: 1 } };
  return exchangeOf("category-page", body, {
    url: `http://stub.example/v1/products?category=lamps&${query}`,
  });
}

const earlier = [
  retailersOf(
    "primary",
    { slug: "acme", name: "Acme Inc", domains: ["www.acme.example", "*.acmewww.example", "/"] },
    // The slug of one retailer may equal its own name or the name of another.
    { slug: "bolt", name: "bolt", domains: [7] },
    { slug: "Cora", name: "delta", domains: "none" },
    { slug: "delta", name: "Delta Ltd", domains: [] },
  ),
  // Names and domains may change in the run.
  retailersOf("otherOrg", { slug: "zeta", name: "Zeta", domains: ["zeta.example"] }),
  retailersOf("otherOrg", { slug: "zeta", name: "Zed", domains: [] }),
  // A product with a listed slug shows that lists and products spell retailers alike.
  page(goodProduct),
  unpriced,
  pageBefore("of-limit-1", "limit=1"),
  pageBefore("of-limit-2", "limit=2"),
  pageBefore("of-no-limit", ""),
];

/** The facts for all examples: retailers of both organizations, pages with cursors, and batch results with products under `products`. */
export const factsOfExamples = (): RuleFacts =>
  factsOf(earlier, {
    fieldNames: { batchFoundField: "products", batchFoundProduct: "", gtin: "identifiers[].value" },
  });

export const exampleFacts = factsOfExamples();

/** A lookup by id that returned this product. */
export function lookup(product: unknown, madeUp?: MadeUp): Exchange {
  return exchangeOf("lookup-by-id", product, madeUp);
}

/** A lookup that returned the good product with this change. */
export function changed(change: object): Exchange {
  return lookup({ ...goodProduct, ...change });
}

/** A category page with these products and the right count. */
export function page(...products: readonly unknown[]): Exchange {
  return exchangeOf("category-page", {
    products,
    meta: { next_cursor: "", count: products.length },
  });
}
