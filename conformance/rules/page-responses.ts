import { repeatedOnPage, wrongPageCount } from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { unlessCount, unlessType } from "../response/body-findings.ts";
import { productsIn } from "../response/products-in.ts";
import { type Rule, type RuleFacts, rulesOn } from "./rule.ts";

export const pageResponseRules: readonly Rule[] = rulesOn("page", eachPage, {
  "page.products/every-page": [
    "Every page has an array of its products",
    ({ page }) => unlessType(page, "/products", "array"),
  ],
  "page.next-cursor/every-page": [
    "Every page has meta.next_cursor, a string",
    ({ page }) => unlessType(page, "/meta/next_cursor", "string"),
  ],
  "page.own-cursor/every-page": [
    "No page returns the cursor that it was requested with",
    ({ meta: { next_cursor: actual }, parameters }) => {
      const sent = parameters.get("cursor");
      return sent && sent === actual ? [{ code: "cursor-kept", path: "/meta/next_cursor", actual }] : [];
    },
  ],
  "page.no-placeholders/every-page": [
    "No page has an empty object in place of a product",
    ({ exchange }, { fieldNames }) => {
      const products = productsIn(exchange, fieldNames);
      const empty = products.filter(({ product }) => Object.keys(product).length === 0);
      const details = { empty: empty.length, products: products.length };
      const [first] = empty;
      return first ? [{ code: "empty-products", path: first.path, details }] : [];
    },
  ],
  "page.count/every-page": [
    "Every page has meta.count, the number of its products",
    ({ page }) => {
      const noCount = unlessCount(page, "/meta/count");
      return noCount.length > 0 ? noCount : wrongPageCount(page);
    },
  ],
  "query.paging/every-page": [
    "No page has a product twice",
    ({ exchange }, { fieldNames }) =>
      repeatedOnPage(productsIn(exchange, fieldNames).map(({ path, product }) => ({ path, entry: product }))),
  ],
  "query.limit/every-page": [
    "Every page requested with a limit respects that limit, or that of its cursor",
    ({ page: { products }, parameters }, { limitsOfCursors }) => {
      const own = parameters.getAll("limit");
      // A cursor may carry the page size of the walk that it continues.
      const limits = [...own, ...(limitsOfCursors().get(parameters.get("cursor") ?? "") ?? [])];
      if (own.length !== 1 || !limits.every(isLimit)) return undefined;
      const largest = Math.max(...limits.map(Number));
      return Array.isArray(products) && products.length > largest
        ? [{ code: "page-over-limit", path: "/products", expected: largest, actual: products.length }]
        : [];
    },
  ],
});

function isLimit(text: string): boolean {
  return /^[1-9]\d{0,5}$/.test(text);
}

interface ReturnedPage {
  readonly page: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
  /** Those of its request. */
  readonly parameters: URLSearchParams;
  readonly exchange: Exchange;
}

function eachPage(
  judge: (page: ReturnedPage, facts: RuleFacts) => readonly Finding[] | undefined,
): Rule["judge"] {
  return (exchange, facts) => {
    const { endpoint, request, response } = exchange;
    const { status, json } = response;
    // A body that is not JSON is judged by service.json.
    if (endpoint !== "category-page" || status !== 200 || json === undefined) return undefined;
    const page = isObject(json) ? json : {};
    const meta = isObject(page.meta) ? page.meta : {};
    return judge({ page, meta, parameters: new URL(request.url).searchParams, exchange }, facts);
  };
}
