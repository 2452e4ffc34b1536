import { randomBytes } from "node:crypto";
import type { WireChange, WireRequest } from "../../../service/wire.ts";
import {
  as,
  isFor,
  objectIn,
  onBody,
  onMeta,
  onRequest,
  onStatus,
  parameter,
  withParameters,
} from "../change.ts";
import type { VariantTable } from "../fault.ts";

const section = "GET /v1/products (query-driven)";
const limitOpen = [section, "Default and maximum value of `limit` in category browsing: not shown."] as const;
const opaque = [
  section,
  "meta.next_cursor | string | Opaque cursor for the next page. Empty when there are no more results.",
] as const;
const badParameter = [section, "A missing or invalid parameter gives 400 (`bad_request`)."] as const;

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

const oddCharacters = "+/=&%20 #é?";

/** Other page sizes, other cursors, and other responses for unknown categories. */
export const pagingVariants = {
  "large-limit-refused": {
    wire: onStatus(200, as(400), (request) => isPage(request) && (limitOf(request) ?? 0) > 100),
    allowedBy: limitOpen,
  },
  "small-pages": {
    wire: onRequest((request) => {
      const limit = parameter(request, "limit") === undefined ? 5 : limitOf(request);
      return isPage(request) && limit !== undefined
        ? withParameters(request, { limit: String(Math.min(limit, 5)) })
        : undefined;
    }),
    allowedBy: limitOpen,
  },
  "limit-below-one-is-none": {
    wire: onRequest((request) =>
      isPage(request) && /^(0+|-\d+)$/.test(parameter(request, "limit") ?? "")
        ? withParameters(request, { limit: undefined })
        : undefined,
    ),
    allowedBy: [section, "limit | integer | optional, with category | Requested page size."],
  },
  "first-page-empty": {
    inside: "first-page-empty",
    allowedBy: [
      section,
      "`meta.count` can be smaller than `limit` even when more results exist, because items of retailers the organization is not entitled to are filtered out.",
    ],
  },
  "unknown-category-404": {
    inside: "unknown-category-404",
    allowedBy: [section, "404 | not_found | No matching product."],
  },
  "unknown-category-400": { inside: "unknown-category-400", allowedBy: badParameter },
  "cursors-never-alike": {
    wire: withCursors(
      (cursor) => `${randomBytes(6).toString("hex")}.${cursor}`,
      (cursor) => cursor.slice(cursor.indexOf(".") + 1),
    ),
    allowedBy: opaque,
  },
  "cursors-of-odd-characters": {
    wire: withCursors(
      (cursor) => oddCharacters + cursor,
      (cursor) => cursor.replace(oddCharacters, ""),
    ),
    allowedBy: opaque,
  },
  "long-cursors": {
    wire: withCursors(
      (cursor) => "x".repeat(1000) + cursor,
      (cursor) => cursor.slice(1000),
    ),
    allowedBy: opaque,
  },
  "empty-cursor-is-first-page": {
    wire: onRequest((request) =>
      parameter(request, "cursor") === "" ? withParameters(request, { cursor: undefined }) : undefined,
    ),
    allowedBy: [
      section,
      "cursor | string | optional, with category | The `meta.next_cursor` of the previous page.",
    ],
  },
  "page-meta-extra": {
    wire: onBody("category-page", (page) => ({
      ...page,
      meta: { ...objectIn(page.meta), limit: 20, has_more: true },
      links: {},
    })),
    allowedBy: limitOpen,
  },
} satisfies VariantTable;
