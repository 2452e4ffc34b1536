import { failed, passed, statusOf } from "../client/outcome.ts";
import { nextCursor } from "../discovery/browsing.ts";
import { actual } from "../response/body-findings.ts";
import { acrossAllRequests, section } from "./check/check.ts";
import { noCursor, tooLong, walk, walkCut, wholeWalk } from "./walk.ts";

/** Most pages of a walk that is made once more. */
const mostPages = 12;
/** A service may have added products since. After so many more pages without a new product, it has not. */
const pagesBeyond = 12;

/** Spec, Product list page. A service may lose the order of its cursors later, as when a cache is full or a replica answers. */
export default section(
  "page",
  [
    {
      id: "page.last-cursor/walk-ends-again",
      title: "At the end of the run, following next_cursor still ends at an empty cursor",
      requests: mostPages,
      async run(context) {
        const before = await wholeWalk(context);
        const hasEnded = before.end === "empty cursor";
        const most = Math.min(mostPages, before.pages.length);
        const isWhole = hasEnded && most === before.pages.length;
        const longest = isWhole ? most + pagesBeyond : most;
        // When a failure is repeated, the first walk is made again as well, and may not end any more.
        const again = hasEnded
          ? await walk(context, before.category, before.limit, longest, context.ask)
          : before;
        const { pages, end, category: subject } = again;
        const products = new Set(again.products);
        const isNew = products.difference(new Set(before.products)).size > 0;
        const [last, previous] = pages.toReversed();
        const evidence = [last, previous].filter((page) => page !== undefined);
        const walked = { subject, seen: { count: pages.length, of: "pages" } } as const;
        const never = { code: "paging-never-ends", ...walked } as const;
        if (end === "no page") {
          if (last === undefined || previous === undefined) throw walkCut(again);
          return failed({ code: "cursor-rejected", ...walked, ...statusOf(last) }, ...evidence);
        }
        if (end === "no cursor") throw noCursor(subject);
        if (end === "bound" && !hasEnded) throw tooLong(subject);
        if (end === "repeated cursor") {
          const cursor = actual(nextCursor(last?.response.json));
          return failed({ ...never, ...cursor, details: { repeats: "cursor" } }, ...evidence);
        }
        if (end === "repeated products")
          return failed({ ...never, details: { repeats: "products", products: products.size } }, ...evidence);
        return end === "bound" && isWhole && !isNew
          ? failed({ ...never, details: { pagesBefore: before.pages.length } }, ...evidence)
          : passed({ code: "walk-ended", ...walked, details: { products: products.size } }, ...evidence);
      },
    },
  ],
  acrossAllRequests,
);
