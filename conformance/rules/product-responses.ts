import type { Finding } from "../../schemas/contracts/finding.ts";
import { type Product, product } from "../../schemas/contracts/product.ts";
import { noValuesIn } from "../../schemas/no-values.ts";
import { wrappingsOf, wrongFormat } from "../../schemas/product-values.ts";
import { isUtcTimestamp } from "../../schemas/timestamp.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Endpoint } from "../client/requests.ts";
import { validator } from "../response/body-findings.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import type { Rule, RuleFacts } from "./rule.ts";

const wrongTypes = validator(product);

/** Rules for every product, on any lookup path. */
export const productResponseRules: readonly Rule[] = [
  {
    id: "service.omitted-fields/every-product",
    title:
      "No product contains null, an empty string or another value that can only stand for none, at any depth",
    exercisedBy: "product",
    judge: eachProduct((product, { prices }) => noValuesIn(product, "must", prices)),
  },
  {
    id: "service.stand-ins/every-product",
    title: "No product contains a value that seems to stand for none",
    exercisedBy: "product",
    judge: eachProduct((product, { prices }) => noValuesIn(product, "should", prices)),
  },
  {
    id: "product.field-types/every-product",
    title: "Every product field named in the spec has the type given there",
    exercisedBy: "product",
    judge: eachProduct((product) => wrongTypes(product)),
  },
  {
    id: "product.same-shape/every-product",
    title: "Every product is returned without a wrapper around it",
    exercisedBy: "product",
    judge(exchange, facts) {
      const { endpoint, response } = exchange;
      if (endpoint === "category-page") return eachProduct(wrappingsOf)(exchange, facts);
      // In a batch result a wrapper is allowed, and discovery found it.
      if (response.status !== 200 || response.json === undefined || !lookupsOfOne.has(endpoint))
        return undefined;
      return wrappingsOf(response.json);
    },
  },
  {
    id: "product.currency/every-product",
    title: "Every currency is a currency code",
    exercisedBy: "product",
    judge: eachProduct((product) => wrongFormat(product, "currency")),
  },
  {
    id: "product.product-url/every-product",
    title: "Every product_url is a URL",
    exercisedBy: "product",
    judge: eachProduct((product) => wrongFormat(product, "product_url")),
  },
  {
    id: "product.last-updated/every-product",
    title: "Every last_updated is an ISO 8601 timestamp in UTC",
    exercisedBy: "product",
    judge: eachProduct((product) => wrongFormat(product, "last_updated")),
  },
  {
    id: "product.freshness/every-product",
    title: "No last_updated is later than the response",
    exercisedBy: "product",
    judge: eachProduct(({ last_updated: updated }, _facts, { response }) => {
      const at = typeof updated === "string" && isUtcTimestamp(updated) ? Date.parse(updated) : Number.NaN;
      const now = Math.max(Date.now(), Date.parse(response.headers.date ?? "") || 0);
      return at <= now + clockSkew || Number.isNaN(at)
        ? []
        : [{ code: "wrong-format", path: "/last_updated", expected: "past-time", actual: updated }];
    }),
  },
  {
    id: "product.retailer/every-product",
    title: "The retailer of every product is a slug, not a display name",
    exercisedBy: "product",
    judge: eachProduct(({ retailer }, { retailerNames, entitled }, { caller }) => {
      const granted = entitled(caller);
      if (typeof retailer !== "string" || granted?.has(retailer) === true) return [];
      if (retailerNames.has(retailer))
        return [{ code: "name-for-slug", path: "/retailer", actual: retailer }];
      const expected = inAnotherCase(retailer, granted);
      return expected.length === 0
        ? []
        : [
            {
              code: "told-otherwise",
              subject: "retailer-list",
              path: "/retailer",
              expected,
              actual: retailer,
            },
          ];
    }),
  },
  {
    id: "authentication.entitlement/every-product",
    title: "Every product returned is of a retailer that the key's organization may use",
    exercisedBy: "product",
    judge: eachProduct(({ retailer }, { retailerNames, entitled }, { caller }) => {
      const granted = entitled(caller);
      return typeof retailer !== "string" ||
        granted === undefined ||
        granted.has(retailer) ||
        retailerNames.has(retailer) ||
        inAnotherCase(retailer, granted).length > 0
        ? []
        : [{ code: "not-granted", path: "/retailer", actual: retailer, subject: caller }];
    }),
  },
];

/** The slugs that a retailer equals but for its case: then it is written otherwise, and no leak. */
function inAnotherCase(retailer: string, slugs: ReadonlySet<string> = new Set()): string[] {
  return [...slugs].filter((slug) => slug.toLowerCase() === retailer.toLowerCase());
}

const lookupsOfOne: ReadonlySet<Endpoint> = new Set(["lookup-by-id", "lookup-by-url", "lookup-by-gtin"]);

/** Most milliseconds by which clocks of different machines are expected to differ. */
const clockSkew = 15 * 60_000;

/** A rule for each single product of a response. */
export function eachProduct(
  judge: (product: Product, facts: RuleFacts, exchange: Exchange) => readonly Finding[],
): Rule["judge"] {
  return (exchange, facts) => {
    const products = productsIn(exchange, facts.fieldNames);
    if (products.length === 0) return undefined;
    const findings: Finding[] = [];
    for (const { path, product } of products)
      for (const finding of judge(product, facts, exchange))
        findings.push({ ...finding, ...identityOf(product), path: path + (finding.path ?? "") });
    return findings;
  };
}
