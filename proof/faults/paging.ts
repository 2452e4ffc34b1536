import { randomBytes } from "node:crypto";
import type { WireChange, WireRequest } from "../../service/wire.ts";
import {
  as,
  askAgain,
  callerOf,
  errorResponse,
  isFor,
  type Json,
  listOf,
  objectIn,
  objectOf,
  onBody,
  onlyFor,
  onMeta,
  onRequest,
  onResponse,
  onStatus,
  parameter,
  remembering,
  withJson,
  without,
  withParameters,
} from "../changes/change.ts";
import type { FaultTable } from "../changes/entry.ts";
import { pagesForAll } from "../changes/key-entitlement.ts";

const nextCursor = "page.next-cursor/every-page";
const count = "page.count/every-page";
const smaller = "query.paging/same-products-in-smaller-pages";
const large = "query.paging/same-products-in-large-pages";

const isPage = isFor("category-page");
const onPage = (change: (page: Json, request: WireRequest) => Json | undefined) =>
  onBody("category-page", change);
const onPageMeta = (change: (meta: Json, request: WireRequest) => Json | undefined) =>
  onMeta("category-page", change);

/** The page size of a request in the reference service, at most 100. */
const limitOf = (request: WireRequest): number => Math.min(Number(parameter(request, "limit") ?? 20), 100);
const isLater = (request: WireRequest): boolean => parameter(request, "cursor") !== undefined;

const withProducts = (page: Json, products: readonly unknown[]): Json => ({
  ...page,
  products,
  meta: { ...objectIn(page.meta), count: products.length },
});

/** Removes products from some pages and corrects `count`. */
const onListed = (
  change: (products: readonly unknown[], request: WireRequest) => readonly unknown[],
): WireChange =>
  onPage((page, request) => {
    const products = listOf(page.products);
    const changed = change(products, request);
    return changed === products ? undefined : withProducts(page, changed);
  });

/**
 * Each page after the first begins with the last product of the page before, and has one product less of its own. Pages
 * of one product stay as they are: otherwise the walk would never end.
 */
const lastItemAgain: WireChange = remembering(() => {
  const lastBefore = new Map<unknown, unknown>();
  return (send) => async (request) => {
    const limit = limitOf(request);
    const repeated = limit > 1 ? lastBefore.get(parameter(request, "cursor")) : undefined;
    const isRepeated = isPage(request) && repeated !== undefined;
    const response = await send(isRepeated ? withParameters(request, { limit: String(limit - 1) }) : request);
    const page = response.status === 200 && isPage(request) ? objectOf(response) : undefined;
    if (page === undefined) return response;
    const products = listOf(page.products);
    const { next_cursor } = objectIn(page.meta);
    if (next_cursor !== "") lastBefore.set(next_cursor, products.at(-1));
    return isRepeated ? withJson(response, withProducts(page, [repeated, ...products])) : response;
  };
});

/** Successful page requests are repeated without one of their parameters. */
const ignoring = (name: "limit" | "cursor"): WireChange =>
  askAgain(200, (request) =>
    isPage(request) && parameter(request, name) !== undefined
      ? withParameters(request, { [name]: undefined })
      : undefined,
  );

/** Refused page requests are repeated without the invalid parameter, or with another value. */
const forgiving = (
  name: "limit" | "cursor",
  pattern: RegExp,
  other: (value: string) => string | undefined = () => undefined,
): WireChange =>
  askAgain(400, (request) => {
    const value = parameter(request, name);
    return isPage(request) && value !== undefined && pattern.test(value)
      ? withParameters(request, { [name]: other(value) })
      : undefined;
  });

/** The cursor of a category's last page leads back to the second. */
const neverEnding: WireChange = (send, keys) => {
  const firstCursors = new Map<string, unknown>();
  return async (request) => {
    const response = await send(request);
    const page = isPage(request) && response.status === 200 ? objectOf(response) : undefined;
    if (page === undefined) return response;
    const { next_cursor } = objectIn(page.meta);
    const scope = `${callerOf(request, keys) === "otherOrg"} ${parameter(request, "category")}`;
    if (next_cursor !== "") {
      if (!firstCursors.has(scope)) firstCursors.set(scope, next_cursor);
      return response;
    }
    const first = firstCursors.get(scope) ?? "";
    return withJson(response, { ...page, meta: { ...objectIn(page.meta), next_cursor: first } });
  };
};

/** A page that is exactly as long as its category has a cursor all the same, and that leads to products of the page. */
const exactPageGoesOn: WireChange = onResponse(async (response, request, ask) => {
  const { next_cursor } = objectIn(objectOf(response)?.meta);
  if (!isPage(request) || isLater(request) || parameter(request, "limit") === undefined || !next_cursor)
    return undefined;
  const whole = objectOf(await ask(withParameters(request, { limit: "100" })));
  const meta = objectIn(whole?.meta);
  return listOf(whole?.products).length === limitOf(request) && meta.next_cursor === ""
    ? withJson(response, { ...whole, meta: { ...meta, next_cursor } })
    : undefined;
});

/** The service keeps the place of a walk: all its pages have one cursor, and each request with it gets the next page. */
const oneCursorPerWalk: WireChange = remembering(() => {
  const places = new Map<string, string>();
  return (send, keys) => async (request) => {
    if (!isPage(request)) return await send(request);
    const cursor = parameter(request, "cursor");
    const place = places.get(cursor ?? "");
    if (cursor !== undefined && places.has(cursor) && callerOf(request, keys) === undefined)
      return await send(request);
    const response = await send(place === undefined ? request : withParameters(request, { cursor: place }));
    const page = objectOf(response);
    const next = objectIn(page?.meta).next_cursor;
    if (response.status !== 200 || typeof next !== "string" || next === "") return response;
    const own = place === undefined ? randomBytes(8).toString("hex") : String(cursor);
    places.set(own, next);
    return withJson(response, { ...page, meta: { ...objectIn(page?.meta), next_cursor: own } });
  };
});

/** Faults in the pages of a category. */
export const pagingFaults = {
  "next-cursor-null": {
    does: "`next_cursor` of the last page is null.",
    wire: onPageMeta((meta) => ({ ...meta, next_cursor: meta.next_cursor || null })),
    fails: [nextCursor],
  },
  "next-cursor-omitted": {
    does: "The last page has no `next_cursor`.",
    wire: onPageMeta((meta) => (meta.next_cursor === "" ? without("next_cursor", meta) : undefined)),
    fails: [nextCursor],
  },
  "count-omitted": {
    does: "Pages have no `count`.",
    wire: onPageMeta((meta) => without("count", meta)),
    fails: [count],
  },
  "count-off-by-one-on-last-page": {
    does: "`count` of the last page is one too high.",
    wire: onPageMeta((meta) =>
      meta.next_cursor === "" ? { ...meta, count: Number(meta.count) + 1 } : undefined,
    ),
    fails: [count],
  },
  "count-before-filter": {
    does: "`count` is the limit instead of the number of items.",
    wire: onPageMeta((meta, request) =>
      meta.next_cursor === "" ? undefined : { ...meta, count: limitOf(request) },
    ),
    fails: [count],
  },
  "products-null-when-empty": {
    does: "`products` of an empty page is null.",
    wire: onPage((page) => (listOf(page.products).length === 0 ? { ...page, products: null } : undefined)),
    fails: ["page.products/every-page"],
  },
  "product-hollow": {
    does: "The first product of a page is an empty object.",
    wire: onListed((products) => (products.length > 0 ? [{}, ...products.slice(1)] : products)),
    fails: ["page.no-placeholders/every-page"],
  },

  "cursor-ignored": {
    does: "The cursor is ignored: every page is the first.",
    wire: ignoring("cursor"),
    fails: ["query.paging/no-repeats"],
  },
  "cursor-repeats-item": {
    does: "Each page begins with the last product of the page before.",
    wire: lastItemAgain,
    fails: ["query.paging/no-repeats", smaller],
  },
  "product-twice": {
    does: "The first product of a page is also its last.",
    wire: onListed((products) => [...products, ...products.slice(0, 1)]),
    fails: ["query.paging/no-repeats", "query.paging/every-page"],
  },
  "cursor-skips-item": {
    does: "Pages after the first lack their first product.",
    wire: onListed((products, request) =>
      isLater(request) && products.length > 1 ? products.slice(1) : products,
    ),
    fails: [smaller],
  },
  "last-page-loses-last": {
    does: "The last page of a walk, unless it is the first, lacks its last product.",
    wire: onPage((page, request) =>
      isLater(request) && objectIn(page.meta).next_cursor === ""
        ? withProducts(page, listOf(page.products).slice(0, -1))
        : undefined,
    ),
    fails: [large],
  },
  "large-page-loses-what-is-cut": {
    does: "Pages are cut to 25 products, and the others are lost.",
    wire: onListed((products, request) =>
      limitOf(request) > 25 && products.length > 25 ? products.slice(0, 25) : products,
    ),
    fails: [large],
  },
  "own-retailer-on-first-page-only": {
    does: "From the second page on, the other organization does not get the retailer that it alone may use.",
    wire: onlyFor(
      "otherOrg",
      onListed((products, request) =>
        isLater(request) ? products.filter((one) => objectIn(one).retailer !== "harbour-outlet") : products,
      ),
    ),
    fails: ["query.paging/other-organization"],
    source: "opensanctions/yente#1265",
  },
  "cursor-ends-at-short-page": {
    does: "`next_cursor` is empty on every page with fewer items than the limit.",
    wire: onPage((page, request) =>
      listOf(page.products).length < limitOf(request)
        ? { ...page, meta: { ...objectIn(page.meta), next_cursor: "" } }
        : undefined,
    ),
    fails: [smaller],
  },
  "cursor-empty-on-pages-of-one": {
    does: "`next_cursor` is empty on pages requested with limit=1.",
    wire: onPageMeta((meta, request) =>
      parameter(request, "limit") === "1" ? { ...meta, next_cursor: "" } : undefined,
    ),
    fails: ["query.paging/small-page-goes-on"],
  },
  "one-cursor-per-walk": {
    does: "All pages of a walk have one cursor, and each request with it gets the next page.",
    wire: oneCursorPerWalk,
    fails: ["page.own-cursor/every-page"],
  },
  "cursor-never-ends": {
    does: "The cursor of the last page leads back to the second.",
    wire: neverEnding,
    fails: ["page.last-cursor/walk-ends"],
  },
  "exact-page-goes-on": {
    does: "A page that is as long as the whole category has a cursor, which leads to some of its products again.",
    wire: exactPageGoesOn,
    fails: [large],
  },
  "category-gone-on-return": {
    does: "The first page of a category gets 404 when it is requested again.",
    wire: (send, keys) => {
      const seen = new Set<string>();
      return async (request) => {
        const response = await send(request);
        if (!isPage(request) || callerOf(request, keys) !== "primary") return response;
        if (new URLSearchParams(request.query).size > 1) return response;
        return seen.size === seen.add(request.query).size ? errorResponse(404) : response;
      };
    },
    fails: ["query.category/first-page"],
  },
  "unknown-category-403": {
    does: "An unknown category gets 403.",
    wire: (send, keys) => async (request) => {
      const response = await send(request);
      const nothing = response.status === 404 || response.status === 400 || isEmptyPage(objectOf(response));
      const isPlain =
        isPage(request) &&
        callerOf(request, keys) === "primary" &&
        new URLSearchParams(request.query).size === 1 &&
        parameter(request, "category") !== "";
      return nothing && isPlain ? errorResponse(403) : response;
    },
    fails: ["query.category/unknown"],
  },
  "empty-category-404": {
    does: "An empty `category` gets 404 instead of 400.",
    wire: onStatus(400, as(404), (request) => parameter(request, "category") === ""),
    fails: ["query.invalid-parameter/empty-category"],
  },

  "limit-ignored": {
    does: "`limit` is ignored.",
    wire: ignoring("limit"),
    fails: ["query.limit/small-limits", "query.limit/every-page"],
  },
  "limit-one-too-many": {
    does: "Pages have one item more than the limit.",
    wire: onRequest((request) => {
      const limit = parameter(request, "limit") ?? "";
      return isPage(request) && /^[1-9]\d?$/.test(limit)
        ? withParameters(request, { limit: String(Number(limit) + 1) })
        : undefined;
    }),
    fails: ["query.limit/small-limits"],
  },
  "odd-limit-500": {
    does: "A limit of 0 or -1 causes 500.",
    wire: onResponse((_response, request) =>
      ["0", "-1"].includes(parameter(request, "limit") ?? "") ? errorResponse(500) : undefined,
    ),
    fails: ["query.impossible-value/limit-negative", "errors.hostile-input/limit"],
  },
  "limit-word-accepted": {
    does: "A limit that is a word is ignored.",
    wire: forgiving("limit", /^[a-z]+$/i),
    fails: ["query.invalid-parameter/limit-word"],
  },
  "limit-fraction-accepted": {
    does: "A limit with a fraction is rounded down.",
    wire: forgiving("limit", /\./, (limit) => limit.split(".")[0] ?? "1"),
    fails: ["query.invalid-parameter/limit-fraction"],
  },
  "cursor-garbage-accepted": {
    does: "An invalid cursor gets the first page.",
    wire: forgiving("cursor", /./),
    fails: ["query.invalid-parameter/cursor-garbage"],
  },

  "category-unfiltered": {
    does: "Category pages show products of all retailers.",
    wire: pagesForAll(() => true),
    fails: ["authentication.entitlement/every-product"],
  },
  "category-unfiltered-on-second-page": {
    does: "Pages after the first show products of all retailers.",
    wire: pagesForAll(isLater),
    fails: ["authentication.entitlement/every-product"],
  },
} satisfies FaultTable;

function isEmptyPage(page: Json | undefined): boolean {
  return Array.isArray(page?.products) && page.products.length === 0;
}
