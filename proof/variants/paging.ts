import { createHash, randomBytes } from "node:crypto";
import type { WireChange, WireRequest, WireResponse } from "../../service/wire.ts";
import {
  as,
  callerOf,
  errorResponse,
  isFor,
  listOf,
  objectIn,
  objectOf,
  onMeta,
  onRequest,
  onStatus,
  parameter,
  remembering,
  withJson,
  withParameters,
} from "../changes/change.ts";
import type { VariantTable } from "../changes/entry.ts";
import { besideAll } from "../changes/key-entitlement.ts";

const section = "GET /v1/products (query-driven)";
const limitOpen = [section, "Default and maximum value of `limit` in category browsing: not shown."] as const;
const opaque = [
  section,
  "meta.next_cursor | string | Opaque cursor for the next page. Empty when there are no more results.",
] as const;

const isPage = isFor("category-page");

/** The limit of a request, if it is well-formed; the service refuses others. */
const limitOf = (request: WireRequest): number | undefined => {
  const text = parameter(request, "limit") ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
};

/** Cursors in another form; `read` reverses `write`. */
const withCursors = (write: (cursor: string) => string, read: (cursor: string) => string): WireChange => {
  const reading = onRequest((request) => {
    const cursor = isPage(request) ? parameter(request, "cursor") : undefined;
    return cursor === undefined ? undefined : withParameters(request, { cursor: read(cursor) });
  });
  const writing = onMeta("category-page", (meta) =>
    meta.next_cursor === "" ? undefined : { ...meta, next_cursor: write(String(meta.next_cursor)) },
  );
  return (send, keys) => writing(reading(send, keys), keys);
};

/** The first page of a category with products is empty, and its cursor leads to the products. */
const emptyFirstPage: WireChange = (send, keys) => async (request) => {
  const [category, cursor] = [parameter(request, "category"), parameter(request, "cursor")];
  const organization = callerOf(request, keys) === "otherOrg" ? "other" : "first";
  const start = createHash("sha256").update(`${organization} ${category}`).digest("base64url");
  const isStart = isPage(request) && cursor === start;
  const response = await send(isStart ? withParameters(request, { cursor: undefined }) : request);
  if (response.status !== 200 || !isPage(request) || cursor !== undefined) return response;
  const page = objectOf(response);
  if (!Array.isArray(page?.products) || page.products.length === 0) return response;
  return withJson(response, { products: [], meta: { next_cursor: start, count: 0 } });
};

/** A category without products, at any retailer, is refused. */
const onUnknownCategory = (status: 400 | 404): WireChange =>
  besideAll(async (response, request, ask) => {
    const isEmpty = (page: WireResponse) => listOf(objectOf(page)?.products).length === 0;
    if (response.status !== 200 || !isPage(request) || parameter(request, "cursor") !== undefined)
      return undefined;
    return isEmpty(response) && isEmpty(await ask()) ? errorResponse(status) : undefined;
  });

/** Products that a turned walk still has to show, and the cursor after them. */
interface Remainder {
  readonly category: string | undefined;
  readonly organization: boolean;
  readonly products: readonly unknown[];
  readonly next: unknown;
}

/** Every second walk shows the second page before the first one; its cursors keep that order. */
const turnedWalks: WireChange = remembering(() => {
  let walks = 0;
  const remainders: Remainder[] = [];
  const cursorTo = (remainder: Remainder) => `later.${remainders.push(remainder) - 1}`;
  const page = (response: WireResponse, products: readonly unknown[], next: unknown) =>
    withJson(response, { products, meta: { next_cursor: next, count: products.length } });
  return (send, keys) => async (request) => {
    if (!isPage(request)) return await send(request);
    const [category, cursor] = [parameter(request, "category"), parameter(request, "cursor")];
    const organization = callerOf(request, keys) === "otherOrg";
    const remainder = remainders[Number(/^later\.(\d+)$/.exec(cursor ?? "")?.[1])];
    if (remainder?.category === category && remainder?.organization === organization) {
      const response = await send(withParameters(request, { cursor: undefined }));
      if (response.status !== 200) return response;
      const size = limitOf(request) ?? remainder.products.length;
      const [shown, rest] = [remainder.products.slice(0, size), remainder.products.slice(size)];
      return page(
        response,
        shown,
        rest.length === 0 ? remainder.next : cursorTo({ ...remainder, products: rest }),
      );
    }
    const first = await send(request);
    const { products, meta } = objectOf(first) ?? {};
    const next = objectIn(meta).next_cursor;
    if (cursor !== undefined || first.status !== 200 || !next || walks++ % 2 === 1) return first;
    const second = await send(withParameters(request, { cursor: String(next) }));
    const later = objectOf(second);
    if (second.status !== 200 || !Array.isArray(products) || !Array.isArray(later?.products)) return second;
    const end = objectIn(later.meta).next_cursor;
    return page(second, later.products, cursorTo({ category, organization, products, next: end }));
  };
});

/** Each page has a new cursor, which gets one page and is refused from then on. */
const cursorsOfOneUse: WireChange = remembering(() => {
  const open = new Map<string, string>();
  return (send) => async (request) => {
    const cursor = isPage(request) ? parameter(request, "cursor") : undefined;
    const own = open.get(cursor ?? "");
    const response = await send(
      cursor === undefined ? request : withParameters(request, { cursor: own ?? "of no page" }),
    );
    const page = objectOf(response);
    if (response.status !== 200 || !isPage(request) || page === undefined) return response;
    open.delete(cursor ?? "");
    const { next_cursor: next, ...meta } = objectIn(page.meta);
    if (typeof next !== "string" || next === "") return response;
    const fresh = randomBytes(12).toString("hex");
    open.set(fresh, next);
    return withJson(response, { ...page, meta: { ...meta, next_cursor: fresh } });
  };
});

const oddCharacters = "+/=&%20 #é?";

/** Other page sizes, other cursors, and other responses for unknown categories. */
export const pagingVariants = {
  "large-limit-refused": {
    does: "A limit above 50 gets 400.",
    wire: onStatus(200, as(400), (request) => isPage(request) && (limitOf(request) ?? 0) > 50),
    allowedBy: limitOpen,
  },
  "small-pages": {
    does: "Pages have at most five items.",
    wire: onRequest((request) => {
      const limit = parameter(request, "limit") === undefined ? 5 : limitOf(request);
      return isPage(request) && limit !== undefined
        ? withParameters(request, { limit: String(Math.min(limit, 5)) })
        : undefined;
    }),
    allowedBy: limitOpen,
  },
  "first-page-empty": {
    does: "The first page of a category is empty and has a cursor.",
    wire: emptyFirstPage,
    allowedBy: [
      section,
      "`meta.count` can be smaller than `limit` even when more results exist, because items of retailers the organization is not entitled to are filtered out.",
    ],
  },
  "unknown-category-404": {
    does: "An unknown category gets 404.",
    wire: onUnknownCategory(404),
    allowedBy: [section, "404 | not_found | No matching product."],
  },
  "cursors-of-one-use": {
    does: "A cursor gets one page, and is refused from then on.",
    wire: cursorsOfOneUse,
    allowedBy: [section, "Paging: pass `meta.next_cursor` back as `cursor` to get the next page."],
  },
  "cursors-of-odd-characters": {
    does: "Cursors have characters that must be encoded.",
    wire: withCursors(
      (cursor) => oddCharacters + cursor,
      (cursor) => cursor.replace(oddCharacters, ""),
    ),
    allowedBy: opaque,
  },
  "walks-in-another-order": {
    does: "Every second walk shows its second page first.",
    wire: turnedWalks,
    allowedBy: [section, "category | string | mode 3 | Category to browse."],
  },
  "long-cursors": {
    does: "Cursors have more than 1,000 characters.",
    wire: withCursors(
      (cursor) => "x".repeat(1000) + cursor,
      (cursor) => cursor.slice(1000),
    ),
    allowedBy: opaque,
  },
  "empty-cursor-is-first-page": {
    does: "An empty cursor gets the first page.",
    wire: onRequest((request) =>
      parameter(request, "cursor") === "" ? withParameters(request, { cursor: undefined }) : undefined,
    ),
    allowedBy: [
      section,
      "cursor | string | optional, with category | The `meta.next_cursor` of the previous page.",
    ],
  },
} satisfies VariantTable;
