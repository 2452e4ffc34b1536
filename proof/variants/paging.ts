import { createHash, randomBytes } from "node:crypto";
import type { WireChange, WireRequest, WireResponse } from "../../service/wire.ts";
import { instead, inTurn, reading, where } from "../changes/change.ts";
import * as is from "../changes/conditions.ts";
import { allowedBy, type VariantTable } from "../changes/entry.ts";
import { besideAll } from "../changes/key-entitlement.ts";
import {
  as,
  errorResponse,
  type Json,
  listOf,
  nextOf,
  objectOf,
  pageOf,
  parameter,
  withNext,
  withParameters,
} from "../changes/messages.ts";
import * as on from "../changes/on.ts";

const section = "GET /v1/products (query-driven)";

const isFirst = is.all(is.page, is.not(is.sending("cursor")));

/** The limit of a request, if it is well-formed; the service refuses others. */
const limitOf = (request: WireRequest): number | undefined => {
  const text = parameter(request, "limit") ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
};

/** Cursors in another form; `read` reverses `write`. */
const withCursors = (write: (cursor: string) => string, read: (cursor: string) => string): WireChange =>
  inTurn(
    on.request(reading("cursor", read, is.page)),
    on.meta("category-page", ({ next_cursor: next, ...meta }) => ({
      ...meta,
      next_cursor: next === "" ? next : write(String(next)),
    })),
  );

/** The first page of a category with products is empty, and its cursor leads to the products. */
const emptyFirstPage: WireChange = (send, keys) => async (request) => {
  const of = `${is.of("otherOrg")(request, keys)} ${parameter(request, "category")}`;
  const start = createHash("sha256").update(of).digest("base64url");
  if (parameter(request, "cursor") === start)
    return await send(withParameters(request, { cursor: undefined }));
  const response = await send(request);
  const isShown = isFirst(request, keys) && listOf(objectOf(response)?.products).length > 0;
  return isShown ? pageOf([], start) : response;
};

const isEmptyPage = (page: WireResponse) =>
  page.status === 200 && listOf(objectOf(page)?.products).length === 0;

/** A category without products, at any retailer, is not found. */
const unknownNotFound: WireChange = where(
  isFirst,
  besideAll(async (response, _request, ask) =>
    isEmptyPage(response) && isEmptyPage(await ask()) ? errorResponse(404) : undefined,
  ),
);

/** Products that a turned walk still has to show, and the cursor after them. */
interface Remainder {
  readonly of: string;
  readonly products: readonly Json[];
  readonly next: string | undefined;
}

/** Every second walk shows the second page before the first one; its cursors keep that order. */
const turnedWalks: WireChange = (send, keys) => {
  let walks = 0;
  const remainders: Remainder[] = [];
  const cursorTo = (remainder: Remainder) => `later.${remainders.push(remainder) - 1}`;
  return async (request) => {
    if (!is.page(request)) return await send(request);
    const of = `${is.of("otherOrg")(request, keys)} ${parameter(request, "category")}`;
    const cursor = parameter(request, "cursor");
    const remainder = remainders[Number(/^later\.(\d+)$/.exec(cursor ?? "")?.[1])];
    if (remainder?.of === of) {
      const response = await send(withParameters(request, { cursor: undefined }));
      if (response.status !== 200) return response;
      const size = limitOf(request) ?? remainder.products.length;
      const rest = { ...remainder, products: remainder.products.slice(size) };
      const next = rest.products.length === 0 ? remainder.next : cursorTo(rest);
      return pageOf(remainder.products.slice(0, size), next);
    }
    const first = await send(request);
    const next = nextOf(first);
    if (cursor !== undefined || next === undefined || walks++ % 2 === 1) return first;
    const second = await send(withParameters(request, { cursor: next }));
    if (second.status !== 200) return second;
    const products = listOf(objectOf(first)?.products);
    return withNext(second, cursorTo({ of, products, next: nextOf(second) }));
  };
};

/** Each page has a new cursor, which gets one page and is refused from then on. */
const cursorsOfOneUse: WireChange = (send) => {
  const open = new Map<string, string>();
  return async (request) => {
    if (!is.page(request)) return await send(request);
    const cursor = parameter(request, "cursor");
    const own = cursor === undefined ? undefined : (open.get(cursor) ?? "of no page");
    const response = await send(cursor === undefined ? request : withParameters(request, { cursor: own }));
    if (response.status === 200) open.delete(cursor ?? "");
    const next = nextOf(response);
    if (next === undefined) return response;
    const fresh = randomBytes(12).toString("hex");
    open.set(fresh, next);
    return withNext(response, fresh);
  };
};

/** A cursor becomes an invalid parameter after a number of further page requests. */
const expiring =
  (pages: number): WireChange =>
  (send) => {
    const given = new Map<string | undefined, number>();
    let turn = 0;
    return async (request) => {
      if (!is.page(request)) return await send(request);
      turn++;
      const since = given.get(parameter(request, "cursor")) ?? turn;
      const response = await send(request);
      if (turn - since > pages && response.status === 200) return errorResponse(400);
      given.set(nextOf(response) ?? "", turn);
      return response;
    };
  };

const oddCharacters = "+/=&%20 #é?";
const endMark = "end-of-pages";

/** Other page sizes, other cursors, and other responses for unknown categories. */
export const pagingVariants: readonly VariantTable[] = [
  {
    "first-page-empty": {
      does: "The first page of a category is empty and has a cursor.",
      wire: emptyFirstPage,
      allowedBy: [
        section,
        "`meta.count` can be smaller than `limit` even when more results exist, because items of retailers the organization is not entitled to are filtered out.",
      ],
    },
    "last-page-empty": {
      does: "The last page of a category is empty.",
      wire: inTurn(
        on.meta("category-page", (meta) =>
          meta.next_cursor === "" && meta.count !== 0 ? { ...meta, next_cursor: endMark } : undefined,
        ),
        instead(is.all(is.page, is.sending("cursor", new RegExp(`^${endMark}`))), () => pageOf([])),
      ),
      allowedBy: [section, "Paging must follow `next_cursor`, not whether `count` reached `limit`."],
    },
    "unknown-category-404": {
      does: "An unknown category gets 404.",
      wire: unknownNotFound,
      allowedBy: [section, "404 | not_found | No matching product."],
    },
    "cursors-of-one-use": {
      does: "A cursor gets one page, and is refused from then on.",
      wire: cursorsOfOneUse,
      allowedBy: [section, "Paging: pass `meta.next_cursor` back as `cursor` to get the next page."],
    },
    "cursors-expire-early": {
      does: "A cursor expires after 25 more page requests.",
      wire: expiring(25),
      allowedBy: [section, "A missing or invalid parameter gives 400 (`bad_request`)."],
    },
    "walks-in-another-order": {
      does: "Every second walk shows its second page first.",
      wire: turnedWalks,
      allowedBy: [section, "category | string | mode 3 | Category to browse."],
    },
    "empty-cursor-is-first-page": {
      does: "An empty cursor gets the first page.",
      wire: on.request(reading("cursor", (cursor) => cursor || undefined)),
      allowedBy: [
        section,
        "cursor | string | optional, with category | The `meta.next_cursor` of the previous page.",
      ],
    },
  },
  allowedBy([section, "Default and maximum value of `limit` in category browsing: not shown."], {
    "large-limit-refused": [
      "A limit above 50 gets 400.",
      on.status(
        200,
        as(400),
        is.all(is.page, (request) => (limitOf(request) ?? 0) > 50),
      ),
    ],
    "small-pages": [
      "Pages have at most five items.",
      where(
        is.page,
        on.request((request) => {
          const limit = parameter(request, "limit") === undefined ? 5 : limitOf(request);
          return limit === undefined
            ? undefined
            : withParameters(request, { limit: String(Math.min(limit, 5)) });
        }),
      ),
    ],
  }),
  allowedBy(
    [
      section,
      "meta.next_cursor | string | Opaque cursor for the next page. Empty when there are no more results.",
    ],
    {
      "cursors-of-odd-characters": [
        "Cursors have characters that must be encoded.",
        withCursors(
          (cursor) => oddCharacters + cursor,
          (cursor) => cursor.replace(oddCharacters, ""),
        ),
      ],
      "long-cursors": [
        "Cursors have more than 1,000 characters.",
        withCursors(
          (cursor) => "x".repeat(1000) + cursor,
          (cursor) => cursor.slice(1000),
        ),
      ],
    },
  ),
];
