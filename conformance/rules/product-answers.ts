import present from "../../schemas/present.schema.json" with { type: "json" };
import product from "../../schemas/product.schema.json" with { type: "json" };
import type { Exchange } from "../client/exchange.ts";
import type { Endpoint } from "../client/requests.ts";
import { productsIn, type SeenProduct, wrappingsOf } from "../response/products-in.ts";
import { isUtcTimestamp } from "../response/timestamp.ts";
import { validator } from "../response/validator.ts";
import type { Rule, RuleFacts } from "./rule.ts";
import { shown } from "./shown.ts";

const absences = validator(present);
const wrongTypes = validator(product);

const unmet = {
  kind: "inconclusive",
  fix: "Give a category that has products (--category), so that products can be seen.",
} as const;

/** Rules on every product, on whichever way it came. */
export const productAnswerRules: readonly Rule[] = [
  {
    id: "service.omitted-fields/every-product",
    requirement: "service.omitted-fields",
    title: "No product carries null or an empty string, at any depth",
    unmet,
    judge: eachSeen((seen) => absences(seen).map((problem) => problem.replace(/ must be .*/, " is null"))),
  },
  {
    id: "product.field-types/every-product",
    requirement: "product.field-types",
    title: "Every product field that the spec names has the type that it gives",
    unmet,
    judge: eachSeen((seen) => wrongTypes(seen)),
  },
  {
    id: "product.same-shape/every-product",
    requirement: "product.same-shape",
    title: "Every product is the product itself, not something around it",
    unmet,
    judge(exchange, { dialect }) {
      const { endpoint, response } = exchange;
      const seen = productsIn(exchange, dialect);
      if (endpoint === "category-page") return seen.length === 0 ? undefined : seen.flatMap(wrapped);
      // What surrounds a product in a batch is a matter of dialect, and known by now.
      if (response.status !== 200 || response.json === undefined || !waysOfOne.has(endpoint))
        return undefined;
      return wrappingsOf(response.json);
    },
  },
  {
    id: "product.currency/every-product",
    requirement: "product.currency",
    title: "Every currency is a currency code",
    unmet,
    judge: eachText("currency", (code) => /^[A-Za-z]{3,5}$|^\d{3}$/.test(code), "no currency code"),
  },
  {
    id: "product.product-url/every-product",
    requirement: "product.product-url",
    title: "Every product_url is a URL",
    unmet,
    judge: eachText("product_url", isUrl, "no URL"),
  },
  {
    id: "product.last-updated/every-product",
    requirement: "product.last-updated",
    title: "Every last_updated is an ISO 8601 timestamp in UTC",
    unmet,
    judge: eachText("last_updated", isUtcTimestamp, "no ISO 8601 timestamp in UTC"),
  },
  {
    id: "product.retailer/every-product",
    requirement: "product.retailer",
    title: "The retailer of every product is a slug, not a name",
    unmet,
    judge: eachSeen(({ retailer }, { retailerNames, entitled }, { caller }) =>
      typeof retailer === "string" && retailerNames.has(retailer) && !entitled(caller)?.has(retailer)
        ? [`retailer is ${shown(retailer)}, the name of a retailer and not its slug`]
        : [],
    ),
  },
  {
    id: "authentication.entitlement/every-product",
    requirement: "authentication.entitlement",
    title: "Every product that a key gets is of a retailer that its organization may use",
    unmet,
    judge: eachSeen(({ retailer }, { retailerNames, entitled }, { caller }) => {
      const granted = entitled(caller);
      return typeof retailer !== "string" ||
        granted === undefined ||
        granted.has(retailer) ||
        retailerNames.has(retailer)
        ? []
        : [`a product of ${shown(retailer)}, which GET /retailers does not list for this key`];
    }),
  },
];

const waysOfOne: ReadonlySet<Endpoint> = new Set(["lookup-by-id", "lookup-by-url", "lookup-by-gtin"]);

function wrapped({ at, product }: SeenProduct): string[] {
  return wrappingsOf(product).map((problem) => `${at}: ${problem}`);
}

/** A rule on one text field: null and empty texts are other rules' business. */
function eachText(field: string, holds: (text: string) => boolean, otherwise: string): Rule["judge"] {
  return eachSeen(({ [field]: value }) =>
    typeof value !== "string" || value === "" || holds(value)
      ? []
      : [`${field} is ${shown(value)}, ${otherwise}`],
  );
}

// Retailers provide what they have: an address without a scheme still names a page.
function isUrl(text: string): boolean {
  return (
    URL.canParse(text) ||
    (URL.canParse(`https:${text}`) && text.startsWith("//")) ||
    /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(text)
  );
}

/** A rule's judgement from one on a single product: concerns every answer that carries a product. */
function eachSeen(
  judge: (product: Record<string, unknown>, facts: RuleFacts, exchange: Exchange) => readonly string[],
): Rule["judge"] {
  return (exchange, facts) => {
    const seen = productsIn(exchange, facts.dialect);
    if (seen.length === 0) return undefined;
    return seen.flatMap(({ at, product }) =>
      judge(product, facts, exchange).map((problem) => (at === "" ? problem : `${at}: ${problem}`)),
    );
  };
}
