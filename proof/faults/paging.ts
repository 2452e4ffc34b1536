import { randomBytes } from "node:crypto";
import type { WireChange, WireRequest } from "../../service/wire.ts";
import { askAgain, byCursor, everySo, instead, reading, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { type FaultTable, foundBy } from "../changes/entry.ts";
import {
  as,
  callerOf,
  errorResponse,
  type Json,
  listOf,
  nextOf,
  objectOf,
  pageOf,
  parameter,
  withNext,
  without,
  withParameters,
} from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const smaller = "query.paging/same-products-in-smaller-pages";
const large = "query.paging/same-products-in-large-pages";

const onPageMeta = (change: (meta: Json, request: WireRequest) => Json | undefined): WireChange =>
  on.meta("category-page", change);
const onListedPage = (
  change: (products: readonly Json[], request: WireRequest) => readonly Json[],
): WireChange => on.listed("category-page", change);

const isLast = ({ next_cursor: next }: Json) => next === "";
const isLater = is.all(is.page, is.sending("cursor"));
const isFirst = is.all(is.page, is.not(is.sending("cursor")));

/** The page size of a request in the reference service, at most 100. */
const limitOf = (request: WireRequest): number => Math.min(Number(parameter(request, "limit") ?? 20), 100);

/** Page requests that got 200 are repeated without one of their parameters. */
const ignoring = (name: "limit" | "cursor"): WireChange =>
  askAgain(
    200,
    reading(name, () => undefined, is.page),
  );

/** Refused page requests are repeated with another value, or without it. */
const forgiving = (name: "limit" | "cursor", other: (value: string) => string | undefined): WireChange =>
  askAgain(400, reading(name, other, is.page));

/**
 * Each page begins with the last product of the page before, and has one of its own less. Pages of one
 * product stay: otherwise the walk would never end.
 */
const lastItemAgain: WireChange = (send) => {
  const lastBefore = new Map<string | undefined, Json>();
  return async (request) => {
    const limit = limitOf(request);
    const repeated = limit > 1 ? lastBefore.get(parameter(request, "cursor")) : undefined;
    const response = await send(repeated ? withParameters(request, { limit: String(limit - 1) }) : request);
    if (response.status !== 200 || !is.page(request)) return response;
    const products = listOf(objectOf(response)?.products);
    const next = nextOf(response);
    const last = products.at(-1);
    if (next !== undefined && last !== undefined) lastBefore.set(next, last);
    return repeated ? pageOf([repeated, ...products], next) : response;
  };
};

/** The cursor of a category's last page leads back to the second. */
const neverEnding: WireChange = (send, keys) => {
  const firstCursors = new Map<string, string>();
  return async (request) => {
    const response = await send(request);
    if (response.status !== 200 || !is.page(request)) return response;
    const next = nextOf(response);
    const scope = `${is.of("otherOrg")(request, keys)} ${parameter(request, "category")}`;
    if (next === undefined) return withNext(response, firstCursors.get(scope) ?? "");
    if (!firstCursors.has(scope)) firstCursors.set(scope, next);
    return response;
  };
};

/** A page exactly as long as its category has a cursor all the same, which leads to products of the page. */
const exactPageGoesOn: WireChange = where(
  is.all(isFirst, is.sending("limit")),
  on.response(async (response, request, ask) => {
    const next = nextOf(response);
    if (next === undefined) return undefined;
    const whole = await ask(withParameters(request, { limit: "100" }));
    const isExact = listOf(objectOf(whole)?.products).length === limitOf(request);
    return isExact && nextOf(whole) === undefined ? withNext(whole, next) : undefined;
  }),
);

/** The service keeps the place of a walk: all pages have one cursor, and each request with it gets the next. */
const oneCursorPerWalk: WireChange = (send, keys) => {
  const places = new Map<string, string>();
  return async (request) => {
    const cursor = parameter(request, "cursor") ?? "";
    const place = callerOf(request, keys) === undefined ? undefined : places.get(cursor);
    const response = await send(place === undefined ? request : withParameters(request, { cursor: place }));
    const next = is.page(request) ? nextOf(response) : undefined;
    if (next === undefined) return response;
    const own = place === undefined ? randomBytes(8).toString("hex") : cursor;
    places.set(own, next);
    return withNext(response, own);
  };
};

/** The first page of a category gets 404 when the first key requests it again. */
const goneOnReturn: WireChange = (send, keys) => {
  const seen = new Set<string>();
  return async (request) => {
    const response = await send(request);
    const isPlain = is.page(request) && new URLSearchParams(request.query).size === 1;
    if (!isPlain || !is.of("primary")(request, keys)) return response;
    return seen.size === seen.add(request.query).size ? errorResponse(404) : response;
  };
};

/** Faults in the pages of a category. */
export const pagingFaults: readonly FaultTable[] = [
  {
    "products-null-when-empty": {
      does: "`products` of an empty page is null.",
      wire: on.body("category-page", (page) =>
        listOf(page.products).length === 0 ? { ...page, products: null } : undefined,
      ),
      fails: ["page.products/every-page"],
    },
    "product-hollow": {
      does: "The first product of a page is an empty object.",
      wire: onListedPage((products) => products.map((product, index) => (index === 0 ? {} : product))),
      fails: ["page.no-placeholders/every-page"],
    },
    "product-twice": {
      does: "The first product of a page is also its last.",
      wire: onListedPage((products) => [...products, ...products.slice(0, 1)]),
      fails: ["query.paging/no-repeats", "query.paging/every-page"],
    },
    "own-retailer-on-first-page-only": {
      does: "From the second page on, the other organization does not get the retailer that it alone may use.",
      wire: where(
        is.all(isLater, is.of("otherOrg")),
        onListedPage((products) => products.filter(({ retailer }) => retailer !== "harbour-outlet")),
      ),
      fails: ["query.paging/other-organization"],
      source: "opensanctions/yente#1265",
    },
    "cursors-of-one-category-only": {
      does: "Cursors work in the first category that is browsed, and in the others they are refused.",
      wire: (send, keys) => {
        let first: string | undefined;
        return async (request) => {
          const response = await send(request);
          if (!is.page(request)) return response;
          first ??= parameter(request, "category");
          const isOther = parameter(request, "category") !== first;
          return isOther && isLater(request, keys) && response.status === 200 ? errorResponse(400) : response;
        };
      },
      fails: ["query.paging/each-category"],
    },
    "cursor-forgotten-with-another-limit": {
      does: "A cursor with another limit gets the first page.",
      wire: byCursor(
        (request) => parameter(request, "limit") ?? "",
        (request, limit) =>
          (parameter(request, "limit") ?? "") === limit
            ? request
            : withParameters(request, { cursor: undefined }),
      ),
      fails: ["query.paging/limit-changes"],
    },
    "cursor-decides-the-category": {
      does: "With the cursor of another category, a page shows that category.",
      wire: byCursor(
        (request) => parameter(request, "category"),
        (request, category) => withParameters(request, { category }),
      ),
      fails: ["query.impossible-value/cursor-of-another-category"],
      source: "deverman/FocusRelayMCP#146",
    },
    "one-cursor-per-walk": {
      does: "All pages of a walk have one cursor, and each request with it gets the next page.",
      wire: oneCursorPerWalk,
      fails: ["page.own-cursor/every-page"],
    },
    "category-gone-on-return": {
      does: "The first page of a category gets 404 when it is requested again.",
      wire: goneOnReturn,
      fails: ["query.category/first-page"],
    },
    "unknown-category-403": {
      does: "An unknown category gets 403.",
      wire: where(
        is.all(is.of("primary"), isFirst, is.sending("category", /./), is.not(is.sending("limit"))),
        on.response((page) =>
          listOf(objectOf(page)?.products).length === 0 ? errorResponse(403) : undefined,
        ),
      ),
      fails: ["query.category/unknown"],
    },
    "failure-told-as-empty-category": {
      does: "Every third first page of a category is empty, and the last one.",
      wire: everySo(
        3,
        on.status(200, () => pageOf([])),
        isFirst,
      ),
      fails: ["errors.false-not-found/same-category"],
      source: "fecgov/openFEC#1113",
    },
    "empty-category-404": {
      does: "An empty `category` gets 404 instead of 400.",
      wire: on.status(400, as(404), is.sending("category", /^$/)),
      fails: ["query.invalid-parameter/empty-category"],
    },
    "limit-one-too-many": {
      does: "Pages have one item more than the limit.",
      wire: on.request(
        reading("limit", (limit) => (/^[1-9]\d?$/.test(limit) ? String(Number(limit) + 1) : limit), is.page),
      ),
      fails: ["query.limit/small-limits"],
    },
    "negative-limit-ignored": {
      does: "A negative limit counts as no limit.",
      wire: on.request(reading("limit", (limit) => (limit.startsWith("-") ? undefined : limit))),
      fails: ["query.impossible-value/limit-negative"],
      source: "9tigerio/db2rest#949",
    },
    "limit-word-accepted": {
      does: "A limit that is a word is ignored.",
      wire: forgiving("limit", (limit) => (/^[a-z]+$/i.test(limit) ? undefined : limit)),
      fails: ["query.invalid-parameter/limit-word"],
    },
    "limit-fraction-accepted": {
      does: "A limit with a fraction is rounded down.",
      wire: forgiving("limit", (limit) => limit.replace(/\..*/, "")),
      fails: ["query.invalid-parameter/limit-fraction"],
    },
    "cursor-garbage-accepted": {
      does: "An invalid cursor gets the first page.",
      wire: forgiving("cursor", (cursor) => (cursor === "" ? cursor : undefined)),
      fails: ["query.invalid-parameter/cursor-garbage"],
    },
  },
  foundBy("page.next-cursor/every-page", {
    "next-cursor-null": [
      "`next_cursor` of the last page is null.",
      onPageMeta((meta) => ({ ...meta, next_cursor: meta.next_cursor || null })),
    ],
    "next-cursor-omitted": [
      "The last page has no `next_cursor`.",
      onPageMeta((meta) => (isLast(meta) ? without("next_cursor", meta) : undefined)),
    ],
  }),
  foundBy("page.count/every-page", {
    "count-omitted": ["Pages have no `count`.", onPageMeta((meta) => without("count", meta))],
    "count-off-by-one-on-last-page": [
      "`count` of the last page is one too high.",
      onPageMeta((meta) => (isLast(meta) ? { ...meta, count: Number(meta.count) + 1 } : undefined)),
    ],
    "count-before-filter": [
      "`count` is the limit instead of the number of items.",
      onPageMeta((meta, request) => (isLast(meta) ? undefined : { ...meta, count: limitOf(request) })),
    ],
  }),

  foundBy("query.paging/no-repeats", {
    "cursor-ignored": ["The cursor is ignored: every page is the first.", ignoring("cursor")],
  }),
  foundBy(["query.paging/no-repeats", smaller], {
    "cursor-repeats-item": ["Each page begins with the last product of the page before.", lastItemAgain],
  }),
  foundBy(smaller, {
    "cursor-skips-item": [
      "Pages after the first lack their first product.",
      where(
        isLater,
        onListedPage((products) => (products.length > 1 ? products.slice(1) : products)),
      ),
    ],
    "cursor-ends-at-short-page": [
      "`next_cursor` is empty on every page with fewer items than the limit.",
      onPageMeta((meta, request) =>
        Number(meta.count) < limitOf(request) ? { ...meta, next_cursor: "" } : undefined,
      ),
    ],
  }),
  foundBy(large, {
    "last-page-loses-last": [
      "The last page of a walk, unless it is the first, lacks its last product.",
      where(
        isLater,
        on.response((page) =>
          page.status === 200 && nextOf(page) === undefined
            ? pageOf(listOf(objectOf(page)?.products).slice(0, -1))
            : undefined,
        ),
      ),
    ],
    "large-page-loses-what-is-cut": [
      "Pages are cut to 25 products, and the others are lost.",
      onListedPage((products) => products.slice(0, 25)),
    ],
    "exact-page-goes-on": [
      "A page that is as long as the whole category has a cursor, which leads to some of its products again.",
      exactPageGoesOn,
    ],
  }),
  foundBy("query.paging/small-page-goes-on", {
    "cursor-empty-on-pages-of-one": [
      "`next_cursor` is empty on pages requested with limit=1.",
      where(
        is.sending("limit", /^1$/),
        onPageMeta((meta) => ({ ...meta, next_cursor: "" })),
      ),
    ],
    "empty-page-ends": [
      "Filtering leaves the other organization's page with limit=1 empty, and its cursor is empty too.",
      where(
        is.of("otherOrg"),
        on.status(200, () => pageOf([]), is.all(isFirst, is.sending("limit", /^1$/))),
      ),
      "mlrun/mlrun#5385",
    ],
    "empty-page-404": [
      "Filtering leaves the other organization's page with limit=1 empty, which gets 404.",
      instead(is.all(is.of("otherOrg"), isFirst, is.sending("limit", /^1$/)), as(404)),
    ],
  }),
  foundBy("query.paging/each-category", {
    "cursor-and-other-letters-500": [
      "A cursor beside a category with letters beyond ASCII causes 500.",
      instead(is.all(isLater, is.sending("category", /[^ -~]/)), as(500)),
    ],
  }),
  foundBy("page.last-cursor/walk-ends", {
    "cursor-never-ends": ["The cursor of the last page leads back to the second.", neverEnding],
  }),

  foundBy(["query.limit/small-limits", "query.limit/every-page"], {
    "limit-ignored": ["`limit` is ignored.", ignoring("limit")],
  }),
  foundBy(["query.impossible-value/limit-negative", "errors.hostile-input/limit"], {
    "odd-limit-500": ["A limit of 0 or -1 causes 500.", instead(is.sending("limit", /^(0|-1)$/), as(500))],
  }),
];
