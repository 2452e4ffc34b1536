import type { CheckContext } from "../check.ts";
import { nextCursor } from "../discovery/browsing.ts";
import type { Exchange } from "../exchange.ts";
import { need } from "../fixtures.ts";
import { Unjudged } from "../outcome.ts";
import { productsIn } from "../products-in.ts";
import { byCategory } from "../requests.ts";

/** A category followed from page to page. */
export interface Walk {
  readonly category: string;
  readonly pages: readonly Exchange[];
  /** Identity of every product met, in order; a product without retailer or id is left out. */
  readonly products: readonly string[];
  /** How it ended: at an empty cursor, at a cursor that came before, at an answer that is no page, or at our own bound. */
  readonly end: "empty cursor" | "repeated cursor" | "no page" | "bound";
}

/** Pages after which a category counts as too long to walk in one run. */
export const longestWalk = 30;

/** Follows `meta.next_cursor` until it is empty (spec: "Paging must follow next_cursor"). */
export async function walk(context: CheckContext, category: string, limit?: number): Promise<Walk> {
  const size = limit === undefined ? {} : { limit: String(limit) };
  const pages: Exchange[] = [];
  const cursors = new Set<string>();
  const products: string[] = [];
  const finish = (end: Walk["end"]): Walk => ({ category, pages, products, end });
  let cursor = "";
  while (pages.length < longestWalk) {
    const page = await context.shared(byCategory(category, cursor === "" ? size : { ...size, cursor }));
    pages.push(page);
    products.push(...productsIn(page, context.dialect).flatMap(({ product }) => identity(product)));
    const next = nextCursor(page.response.json);
    if (page.response.status !== 200) return finish("no page");
    if (next === undefined || next === "") return finish("empty cursor");
    if (cursors.has(next)) return finish("repeated cursor");
    cursors.add(next);
    cursor = next;
  }
  return finish("bound");
}

/**
 * A walk, in pages of the target's own size, through the first category that comes to an end.
 * @throws Unjudged when all of them are too long.
 */
export async function wholeWalk(context: CheckContext): Promise<Walk> {
  need(context.fixtures.category);
  // One with a second page shows more; a short one is better than none.
  const categories = context.fixtures.categories.toSorted(
    (a, b) => Number(b.nextCursor !== "") - Number(a.nextCursor !== ""),
  );
  for (const { category } of categories.slice(0, 3)) {
    const made = await walk(context, category);
    if (made.end !== "bound") return made;
  }
  throw new Unjudged(
    `no category that was tried ends within ${longestWalk} pages`,
    "Give a smaller category as well (--category).",
  );
}

/** A page size that cuts the same products into several pages, and few enough to walk. */
export function smallerLimit(products: number): number {
  return Math.max(1, Math.ceil(products / 12));
}

function identity({ retailer, product_id: id }: Record<string, unknown>): string[] {
  return typeof retailer === "string" && typeof id === "string" ? [`${retailer} / ${id}`] : [];
}
