import type { Answer, Call, Eventually } from "../call.ts";
import {
  bodyOf,
  type Change,
  errorAnswer,
  type Json,
  onAnswer,
  onBody,
  onRespond,
  queryOf,
  respondOr,
  wayOf,
  withEveryRetailer,
  withQuery,
} from "../changes/answer-changes.ts";
import { Refusal } from "../refusal.ts";
import type { Steps } from "../steps.ts";
import { faultsOf } from "./fault.ts";

interface Page extends Json {
  readonly products: readonly Json[];
  readonly meta: { readonly next_cursor: string; readonly count: number };
}

const onPage = (change: (page: Page, call: Call) => Json | undefined): Change =>
  onBody(["products"], (body, call) => (wayOf(call) === "category" ? change(body as Page, call) : undefined));

/** Changes how a page is found; the page stays true to itself (`count`). */
const onBrowse = (browse: (call: Call, inner: Steps["respond"]) => Eventually<Answer>): Change =>
  onRespond((call, inner) => (wayOf(call) === "category" ? browse(call, inner) : inner(call)));

/** The page size that a call has; what is over it is cut. */
const limitOf = (call: Call): number => Math.min(Number(queryOf(call).get("limit") ?? 20), 100);

/** Where a page is cut that goes on as if it had been whole. */
const mostOfLargePage = 25;

const withProducts = (page: Page, products: readonly Json[]): Json => ({
  ...page,
  products,
  meta: { ...page.meta, count: products.length },
});

/** A refused page is asked for again without the parameter that was found invalid. */
const forgiving = (name: "limit" | "cursor", applies: (value: string) => boolean = () => true): Change =>
  onBrowse((call, inner) =>
    respondOr(inner, call, (error) => {
      const value = queryOf(call).get(name);
      if (!(error instanceof Refusal) || error.status !== 400 || value === null || !applies(value))
        throw error;
      return inner(withQuery(call, { [name]: undefined }));
    }),
  );

const unentitledOn = (applies: (call: Call) => boolean): Change => ({
  steps: (steps, sources) => ({
    ...steps,
    respond: (call) =>
      steps.respond(
        wayOf(call) === "category" && applies(call) ? withEveryRetailer(call, sources.permissions()) : call,
      ),
  }),
});

const nextPage = "Paging: pass `meta.next_cursor` back as `cursor` to get the next page.";
const noMore = "An empty `next_cursor` means there are no more results.";
const emptyAtEnd =
  "meta.next_cursor | string | Opaque cursor for the next page. Empty when there are no more results.";
const count = "meta.count | integer | Number of items on this page.";
const filtered = "Entitlement also filters the items returned in category browsing (see Endpoints).";
const invalid = "A missing or invalid parameter gives 400 (`bad_request`).";

const listFaults = faultsOf("Product list page (category browsing)", [
  [
    "next-cursor-null",
    "list.next-cursor-type",
    emptyAtEnd,
    onPage((page) => ({ ...page, meta: { ...page.meta, next_cursor: page.meta.next_cursor || null } })),
  ],
  [
    "next-cursor-omitted",
    "list.next-cursor-type",
    emptyAtEnd,
    onPage((page) =>
      page.meta.next_cursor === "" ? { ...page, meta: { count: page.meta.count } } : undefined,
    ),
  ],
  [
    "next-cursor-false",
    "list.next-cursor-type",
    emptyAtEnd,
    onPage((page) => ({ ...page, meta: { ...page.meta, next_cursor: page.meta.next_cursor || false } })),
  ],
  [
    "count-omitted",
    "list.count-type",
    count,
    onPage((page) => ({ ...page, meta: { next_cursor: page.meta.next_cursor } })),
  ],
  [
    "count-string",
    "list.count-type",
    count,
    onPage((page) => ({ ...page, meta: { ...page.meta, count: String(page.meta.count) } })),
  ],
  [
    "count-before-filter",
    "list.count-of-page",
    count,
    onPage((page, call) => {
      const more = page.meta.next_cursor !== "";
      return more ? { ...page, meta: { ...page.meta, count: limitOf(call) } } : undefined;
    }),
  ],
  [
    "count-off-by-one-on-last-page",
    "list.count-of-page",
    count,
    onPage((page) =>
      page.meta.next_cursor === ""
        ? { ...page, meta: { ...page.meta, count: page.meta.count + 1 } }
        : undefined,
    ),
  ],
  [
    "products-null-when-empty",
    "list.products-type",
    "products | array of Product | Items of the page.",
    onPage((page) => (page.products.length === 0 ? { ...page, products: null } : undefined)),
  ],
  [
    "products-renamed",
    "list.products-type",
    "products | array of Product | Items of the page.",
    onPage(({ products, ...page }) => ({ items: products, ...page })),
  ],
]);

const browseFaults = faultsOf("GET /v1/products (query-driven)", [
  [
    "cursor-ignored",
    "paging.next-page",
    nextPage,
    onBrowse(async (call, inner) => {
      await inner(call);
      return inner(withQuery(call, { cursor: undefined }));
    }),
  ],
  ["cursor-repeats-item", "paging.no-repeats", nextPage, repeatingLast()],
  [
    "cursor-skips-item",
    "paging.no-gaps",
    nextPage,
    onPage((page, call) =>
      queryOf(call).has("cursor") && page.products.length > 1
        ? withProducts(page, page.products.slice(1))
        : undefined,
    ),
  ],
  [
    "cursor-skips-item-in-odd-pages",
    "paging.no-gaps",
    nextPage,
    onPage((page, call) =>
      queryOf(call).has("cursor") && limitOf(call) % 2 === 1 && page.products.length > 2
        ? withProducts(page, page.products.slice(1))
        : undefined,
    ),
  ],
  [
    "large-page-loses-what-is-cut",
    "paging.no-gaps",
    nextPage,
    onPage((page, call) =>
      limitOf(call) > mostOfLargePage && page.products.length > mostOfLargePage
        ? withProducts(page, page.products.slice(0, mostOfLargePage))
        : undefined,
    ),
  ],
  [
    "cursor-ends-at-short-page",
    "paging.ends-when-empty",
    noMore,
    onPage((page, call) =>
      page.products.length < limitOf(call) ? { ...page, meta: { ...page.meta, next_cursor: "" } } : undefined,
    ),
  ],
  [
    "cursor-ends-after-two-pages",
    "paging.ends-when-empty",
    noMore,
    onPage((page, call) =>
      queryOf(call).has("cursor") ? { ...page, meta: { ...page.meta, next_cursor: "" } } : undefined,
    ),
  ],
  [
    "cursor-never-ends",
    "paging.ends",
    noMore,
    {
      steps(steps) {
        const firstCursors = new Map<string, string>();
        return {
          ...steps,
          async finish(call, given) {
            const answer = await steps.finish(call, given);
            if (wayOf(call) !== "category" || answer.status !== 200) return answer;
            const page = bodyOf(answer) as Page;
            const scope = `${call.caller?.organization} ${queryOf(call).get("category")}`;
            if (page.meta.next_cursor === "") {
              const next_cursor = firstCursors.get(scope) ?? "";
              return { ...answer, body: { ...page, meta: { ...page.meta, next_cursor } } };
            }
            if (!firstCursors.has(scope)) firstCursors.set(scope, page.meta.next_cursor);
            return answer;
          },
        };
      },
    },
  ],
  [
    "limit-ignored",
    "paging.limit",
    "limit | integer | optional, with category | Requested page size.",
    onBrowse(async (call, inner) => {
      await inner(call);
      return inner(withQuery(call, { limit: undefined }));
    }),
  ],
  [
    "limit-one-too-many",
    "paging.limit",
    "limit | integer | optional, with category | Requested page size.",
    onBrowse((call, inner) => {
      const limit = queryOf(call).get("limit");
      const more = limit !== null && /^[1-9]\d?$/.test(limit) ? String(Number(limit) + 1) : undefined;
      return inner(more === undefined ? call : withQuery(call, { limit: more }));
    }),
  ],
  ["cursor-garbage-accepted", "paging.cursor-invalid", invalid, forgiving("cursor", (value) => value !== "")],
  [
    "limit-word-accepted",
    "paging.limit-invalid",
    invalid,
    forgiving("limit", (value) => /^[a-z]+$/i.test(value)),
  ],
  [
    "limit-word-is-404",
    "paging.limit-invalid",
    invalid,
    onAnswer((answer, call) => {
      const word = wayOf(call) === "category" && /^[a-z]+$/i.test(queryOf(call).get("limit") ?? "");
      return answer.status === 400 && word ? errorAnswer(404, "not_found") : undefined;
    }),
  ],
]);

const entitlementFaults = faultsOf("Authentication", [
  ["category-unfiltered", "category.entitlement-filter", filtered, unentitledOn(() => true)],
  [
    "category-unfiltered-on-second-page",
    "category.entitlement-filter",
    filtered,
    unentitledOn((call) => queryOf(call).has("cursor")),
  ],
  [
    "category-unfiltered-with-bearer",
    "category.entitlement-filter",
    filtered,
    unentitledOn((call) => call.caller?.keyHeader === "authorization"),
  ],
]);

export const pagingFaults = [...listFaults, ...browseFaults, ...entitlementFaults];

/** A page begins with the last item of the one before. Not so for pages of one: those would never end. */
function repeatingLast(): Change {
  return {
    sources: (sources) => ({
      ...sources,
      catalogue: {
        ...sources.catalogue,
        inCategory: (category, after, limit) =>
          sources.catalogue.inCategory(category, after > 0 && limit > 2 ? after - 1 : after, limit),
      },
    }),
  };
}
