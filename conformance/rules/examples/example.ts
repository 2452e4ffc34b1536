import type { Finding } from "../../../schemas/types.ts";
import type { Exchange } from "../../client/exchange.ts";
import { exchangeOf, type MadeUp } from "../../testing/stub-exchange.ts";
import { factsOf } from "../facts.ts";
import type { RuleFacts } from "../rule.ts";

/** What a rule makes of made-up exchanges. Every rule has such a row: rules.test.ts sees to it. */
export interface RuleExamples {
  /** One that the rule concerns and that breaks nothing, at least. */
  readonly holds: readonly [Exchange, ...Exchange[]];
  /** Each with what the rule finds in it. */
  readonly breaks: readonly [Broken, ...Broken[]];
  /** Those that the rule does not concern. */
  readonly silent: readonly [Exchange, ...Exchange[]];
}

type Broken = readonly [exchange: Exchange, ...findings: [Finding, ...Finding[]]];

export type ExamplesByRule = Readonly<Record<string, RuleExamples>>;

/** A product that breaks nothing. */
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

const retailersOf = (caller: "primary" | "otherOrg", ...retailers: readonly object[]) =>
  exchangeOf("retailers", { retailers }, { caller });

/** The retailers of both organizations, and a batch that lists its products under `products`. */
export const exampleFacts: RuleFacts = factsOf(
  [
    retailersOf(
      "primary",
      { slug: "acme", name: "Acme Inc", domains: [] },
      // A slug may be its retailer's name, and another retailer's too.
      { slug: "bolt", name: "bolt", domains: [] },
      { slug: "Cora", name: "delta", domains: [] },
      { slug: "delta", name: "Delta Ltd", domains: [] },
    ),
    retailersOf("otherOrg", { slug: "zeta", name: "Zeta", domains: [] }),
    // A product of a listed slug shows that lists and products spell retailers alike.
    page(goodProduct),
  ],
  { dialect: { batchFoundField: "products", batchFoundProduct: "" } },
);

/** An answer to a lookup by id with this product. */
export function lookup(product: unknown, madeUp?: MadeUp): Exchange {
  return exchangeOf("lookup-by-id", product, madeUp);
}

/** The finding on a field that is not there. */
export function missing(path: string, expected?: string, rest: Partial<Finding> = {}): Finding {
  return { code: "missing-field", path, ...(expected === undefined ? {} : { expected }), ...rest };
}

/** The finding on a field that is null. */
export function isNull(path: string, rest: Partial<Finding> = {}): Finding {
  return { code: "null-value", path, ...rest };
}

/** The finding on an empty string. */
export function isEmpty(path: string, rest: Partial<Finding> = {}): Finding {
  return { code: "empty-string", path, ...rest };
}

/** The finding on a value of another type. */
export function wrongType(
  path: string,
  expected: string,
  actual: unknown,
  rest: Partial<Finding> = {},
): Finding {
  return { code: "wrong-type", path, expected, actual, ...rest };
}

/** The finding on a text of another form. */
export function wrongFormat(
  path: string,
  expected: string,
  actual: string,
  rest: Partial<Finding> = {},
): Finding {
  return { code: "wrong-format", path, expected, actual, ...rest };
}

/** A page with these products, its count right. */
export function page(...products: readonly unknown[]): Exchange {
  return exchangeOf("category-page", {
    products,
    meta: { next_cursor: "", count: products.length },
  });
}
