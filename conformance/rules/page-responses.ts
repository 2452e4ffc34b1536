import { wrongPageCount } from "../../schemas/accounts.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { isObject, pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { unlessCount, unlessType } from "../response/body-findings.ts";
import { requestOf } from "./facts.ts";
import type { Rule } from "./rule.ts";

/** Rules for every page of a category. */
export const pageResponseRules: readonly Rule[] = [
  {
    id: "page.products/every-page",
    title: "Every page has an array of its products",
    exercisedBy: "page",
    judge: eachPage((page) => unlessType(page, "/products", "array")),
  },
  {
    id: "page.next-cursor/every-page",
    title: "Every page has meta.next_cursor, a string",
    exercisedBy: "page",
    judge: eachPage((page) => unlessType(page, "/meta/next_cursor", "string")),
  },
  {
    id: "page.own-cursor/every-page",
    title: "No page returns the cursor that it was requested with",
    exercisedBy: "page",
    judge(exchange) {
      const sent = new URL(exchange.request.url).searchParams.get("cursor");
      return eachPage((_page, { next_cursor: actual }) =>
        sent && sent === actual ? [{ code: "cursor-kept", path: "/meta/next_cursor", actual }] : [],
      )(exchange);
    },
  },
  {
    id: "query.paging/every-cursor",
    title: "Every cursor that a page returns leads to another page",
    exercisedBy: "page",
    judge(exchange, { refusedCursors }) {
      const { searchParams } = new URL(exchange.request.url);
      if (exchange.endpoint !== "category-page" || !searchParams.get("cursor")) return undefined;
      const { status } = exchange.response;
      return status >= 400 && refusedCursors.has(requestOf(exchange))
        ? [{ code: "cursor-rejected", subject: searchParams.get("category") ?? "", actual: status }]
        : [];
    },
  },
  {
    id: "page.no-placeholders/every-page",
    title: "No page has an empty object in place of a product",
    exercisedBy: "page",
    judge: eachPage(({ products }) => {
      const all: readonly unknown[] = Array.isArray(products) ? products : [];
      const isEmpty = (one: unknown) => isObject(one) && Object.keys(one).length === 0;
      const first = all.findIndex(isEmpty);
      if (first < 0) return [];
      return [
        {
          code: "empty-products",
          path: pointer("products", first),
          actual: {},
          details: { empty: all.filter(isEmpty).length, products: all.length },
        },
      ];
    }),
  },
  {
    id: "page.count/every-page",
    title: "Every page has meta.count, the number of its products",
    exercisedBy: "page",
    judge: eachPage((page, { count }) => {
      return Number.isInteger(count) ? wrongPageCount(page) : unlessCount(page, "/meta/count");
    }),
  },
  {
    id: "query.limit/every-page",
    title: "Every page requested with a limit respects that limit",
    exercisedBy: "page",
    judge(exchange, { limitsOfCursors }) {
      const { searchParams } = new URL(exchange.request.url);
      const [limit = "", another] = searchParams.getAll("limit");
      if (!isLimit(limit) || another !== undefined) return undefined;
      // A cursor may carry the page size of the walk that it continues.
      const earlier = [...(limitsOfCursors.get(searchParams.get("cursor") ?? "") ?? [])];
      if (!earlier.every(isLimit)) return undefined;
      const largest = Math.max(...[limit, ...earlier].map(Number));
      const judgePage = eachPage(({ products }) =>
        Array.isArray(products) && products.length > largest
          ? [{ code: "page-over-limit", path: "/products", expected: largest, actual: products.length }]
          : [],
      );
      return judgePage(exchange);
    },
  },
];

function isLimit(text: string): boolean {
  return /^[1-9]\d{0,5}$/.test(text);
}

function eachPage(
  judge: (page: Record<string, unknown>, meta: Record<string, unknown>) => readonly Finding[],
): (exchange: Exchange) => readonly Finding[] | undefined {
  return ({ endpoint, response: { status, json } }) => {
    // A body that is not JSON is judged by service.json.
    if (endpoint !== "category-page" || status !== 200 || json === undefined) return undefined;
    const page = isObject(json) ? json : {};
    return judge(page, isObject(page.meta) ? page.meta : {});
  };
}
