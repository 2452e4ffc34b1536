import { randomBytes } from "node:crypto";
import {
  bodyOf,
  type Change,
  onBody,
  onRespond,
  queryOf,
  wayOf,
  withQuery,
} from "../changes/answer-changes.ts";
import type { Cursors } from "../query/cursor.ts";
import { largestLimit } from "../query/product-query.ts";
import { badRequest, notFound } from "../refusal.ts";
import { variantsOf } from "./variant.ts";

const limitOpen = "Default and maximum value of `limit` in category browsing: not shown.";
const opaque =
  "meta.next_cursor | string | Opaque cursor for the next page. Empty when there are no more results.";
const mayBeShort =
  "`meta.count` can be smaller than `limit` even when more results exist, because items of retailers the organization is not entitled to are filtered out.";

const withCursors = (change: (cursors: Cursors) => Cursors): Change => ({
  sources: (sources) => ({ ...sources, cursors: change(sources.cursors) }),
});

const isCategory = (call: Parameters<typeof wayOf>[0]) => wayOf(call) === "category";

/** Limits that are well-formed; others are left for the service to refuse. */
const limitOf = (query: URLSearchParams) => {
  const text = query.get("limit") ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
};

export const pagingVariants = variantsOf("GET /v1/products (query-driven)", [
  [
    "large-limit-refused",
    "paging.limit-maximum",
    limitOpen,
    onRespond(async (call, inner) => {
      const limit = isCategory(call) ? limitOf(queryOf(call)) : undefined;
      if (limit !== undefined && limit > largestLimit) throw badRequest("`limit` is at most 100.");
      return inner(call);
    }),
  ],
  [
    "small-pages",
    "paging.limit-maximum",
    limitOpen,
    onRespond((call, inner) => {
      const query = queryOf(call);
      const limit = query.has("limit") ? limitOf(query) : 5;
      if (!isCategory(call) || limit === undefined) return inner(call);
      return inner(withQuery(call, { limit: String(Math.min(limit, 5)) }));
    }),
  ],
  [
    "limit-below-one-is-none",
    "paging.limit-minimum",
    "limit | integer | optional, with category | Requested page size.",
    onRespond((call, inner) => {
      const below = isCategory(call) && /^(0+|-\d+)$/.test(queryOf(call).get("limit") ?? "");
      return inner(below ? withQuery(call, { limit: undefined }) : call);
    }),
  ],
  [
    "first-page-empty",
    "paging.short-pages",
    mayBeShort,
    {
      steps: (steps, { cursors }) => ({
        ...steps,
        async respond(call) {
          const answer = await steps.respond(call);
          const query = queryOf(call);
          if (!isCategory(call) || query.has("cursor") || call.caller === undefined) return answer;
          if (Array.isArray(bodyOf(answer).products) && (bodyOf(answer).products as unknown[]).length === 0) {
            return answer;
          }
          const { organization } = call.caller;
          const next_cursor = cursors.write({ organization, category: query.get("category") ?? "" }, 0);
          return { ...answer, body: { products: [], meta: { next_cursor, count: 0 } } };
        },
      }),
    },
  ],
  [
    "unknown-category-404",
    "category.unknown",
    "404 | not_found | No matching product.",
    onUnknownCategory(() => notFound("There is no such category.")),
  ],
  [
    "unknown-category-400",
    "category.unknown",
    "A missing or invalid parameter gives 400 (`bad_request`).",
    onUnknownCategory(() => badRequest("There is no such category.")),
  ],
  [
    "cursors-never-alike",
    "paging.cursor-opaque",
    opaque,
    withCursors((cursors) => ({
      write: (scope, position) => `${randomBytes(6).toString("hex")}.${cursors.write(scope, position)}`,
      read: (scope, cursor) => cursors.read(scope, cursor.slice(cursor.indexOf(".") + 1)),
    })),
  ],
  [
    "cursors-of-odd-characters",
    "paging.cursor-opaque",
    opaque,
    withCursors((cursors) => ({
      write: (scope, position) => `+/=&%20 #é?${cursors.write(scope, position)}`,
      read: (scope, cursor) => cursors.read(scope, cursor.replace("+/=&%20 #é?", "")),
    })),
  ],
  [
    "long-cursors",
    "paging.cursor-opaque",
    opaque,
    withCursors((cursors) => ({
      write: (scope, position) => "x".repeat(1000) + cursors.write(scope, position),
      read: (scope, cursor) => cursors.read(scope, cursor.slice(1000)),
    })),
  ],
  [
    "empty-cursor-is-first-page",
    "paging.cursor-empty",
    "cursor | string | optional, with category | The `meta.next_cursor` of the previous page.",
    onRespond((call, inner) =>
      inner(queryOf(call).get("cursor") === "" ? withQuery(call, { cursor: undefined }) : call),
    ),
  ],
  [
    "page-meta-extra",
    "list.extra-fields",
    limitOpen,
    onBody(["products"], (body, call) =>
      isCategory(call)
        ? { ...body, meta: { ...(body.meta as object), limit: 20, has_more: true }, links: {} }
        : undefined,
    ),
  ],
]);

function onUnknownCategory(refusal: () => Error): Change {
  return {
    steps: (steps, { catalogue }) => ({
      ...steps,
      async respond(call) {
        const answer = await steps.respond(call);
        if (!isCategory(call) || queryOf(call).has("cursor")) return answer;
        const any = await catalogue.inCategory(queryOf(call).get("category") ?? "", 0, 1);
        if (any.length === 0) throw refusal();
        return answer;
      },
    }),
  };
}
