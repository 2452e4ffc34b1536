import type { Exchange } from "../client/exchange.ts";
import { isObject } from "../response/products-in.ts";
import type { Rule } from "./rule.ts";
import { shown } from "./shown.ts";

const unmet = { kind: "inconclusive", fix: "Give a category that can be browsed (--category)." } as const;

/** Rules on every page of a category. */
export const pageAnswerRules: readonly Rule[] = [
  {
    id: "page.products/every-page",
    requirement: "page.products",
    title: "Every page has the list of its products",
    unmet,
    judge: eachPage(({ products }) => (Array.isArray(products) ? [] : [`products is ${shown(products)}`])),
  },
  {
    id: "page.next-cursor/every-page",
    requirement: "page.next-cursor",
    title: "Every page has meta.next_cursor, a text",
    unmet,
    judge: eachPage((_page, { next_cursor: cursor }) =>
      typeof cursor === "string" ? [] : [`meta.next_cursor is ${shown(cursor)}`],
    ),
  },
  {
    id: "page.count/every-page",
    requirement: "page.count",
    title: "Every page has meta.count, the number of its products",
    unmet,
    judge: eachPage(({ products }, { count }) => {
      if (!Number.isInteger(count)) return [`meta.count is ${shown(count)}`];
      return !Array.isArray(products) || products.length === count
        ? []
        : [`meta.count is ${shown(count)} on a page of ${products.length}`];
    }),
  },
  {
    id: "query.limit/every-page",
    requirement: "query.limit",
    title: "Every page that was asked with a limit has at most that many products",
    unmet,
    judge(exchange) {
      const [limit = "", another] = new URL(exchange.request.url).searchParams.getAll("limit");
      if (!/^[1-9]\d{0,5}$/.test(limit) || another !== undefined) return undefined;
      const judgePage = eachPage(({ products }) =>
        Array.isArray(products) && products.length > Number(limit)
          ? [`${products.length} products on a page that was asked with limit=${limit}`]
          : [],
      );
      return judgePage(exchange);
    },
  },
];

function eachPage(
  judge: (page: Record<string, unknown>, meta: Record<string, unknown>) => readonly string[],
): (exchange: Exchange) => readonly string[] | undefined {
  return ({ endpoint, response: { status, json } }) => {
    // A body that is not JSON is service.json's business.
    if (endpoint !== "category-page" || status !== 200 || json === undefined) return undefined;
    const page = isObject(json) ? json : {};
    return judge(page, isObject(page.meta) ? page.meta : {});
  };
}
