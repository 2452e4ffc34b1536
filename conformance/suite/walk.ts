import type { Dialect, Product } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { byCategory } from "../client/requests.ts";
import { nextCursor } from "../discovery/browsing.ts";
import { need, noCategory } from "../discovery/fixtures.ts";
import type { CheckContext } from "../engine/check.ts";
import { NotJudged } from "../engine/outcome.ts";
import { productsIn } from "../response/products-in.ts";

/** A category followed from page to page. */
export interface Walk {
  readonly category: string;
  /** Page size that was asked for; undefined for the target's own. */
  readonly limit: number | undefined;
  readonly pages: readonly Exchange[];
  /** Identity of every product seen, in order; a product without retailer or id is left out. */
  readonly products: readonly string[];
  /**
   * How it ended: at an empty cursor, at a page without a cursor to read, at a cursor that came before, at products that
   * come again and again, at an answer that is no page, or at our own bound.
   */
  readonly end: "empty cursor" | "no cursor" | "repeated cursor" | "repeated products" | "no page" | "bound";
}

/** Pages after which a category counts as too long to walk in one run. */
export const longestWalk = 80;
/** As longestWalk, for pages of the size that the target chooses. */
export const pagesOfOwnSize = 40;
// A product may come twice where the catalogue changes under the walk; every one of them three times is a circle.
const timesAround = 3;
const longestRound = 10;
/** A page size that a target may cut or refuse: the spec does not show the bounds. */
export const largePage = 100;

/** Follows `meta.next_cursor` until it is empty (spec: "Paging must follow next_cursor"). */
export async function walk(
  context: CheckContext,
  category: string,
  limit: number | undefined,
  longest: number,
  ask: CheckContext["ask"] = context.shared,
): Promise<Walk> {
  const size = limit === undefined ? {} : { limit: String(limit) };
  const pages: Exchange[] = [];
  const cursors = new Set<string>();
  const products: string[] = [];
  const finish = (end: Walk["end"]): Walk => ({ category, limit, pages, products, end });
  let cursor = "";
  while (pages.length < longest) {
    const page = await ask(byCategory(category, cursor === "" ? size : { ...size, cursor }));
    pages.push(page);
    products.push(...productsIn(page, context.dialect).flatMap(({ product }) => identity(product)));
    const next = nextCursor(page.response.json);
    if (page.response.status !== 200) return finish("no page");
    if (next === undefined) return finish("no cursor");
    if (next === "") return finish("empty cursor");
    if (products.length > longestRound + timesAround * new Set(products).size)
      return finish("repeated products");
    if (cursors.has(next)) return finish("repeated cursor");
    cursors.add(next);
    cursor = next;
  }
  return finish("bound");
}

/**
 * A walk to the end of a category: in pages of the target's own size, or in large ones where there are too
 * many of those. Where no category that was given comes to an end, what could be walked of the last one.
 */
export async function wholeWalk(context: CheckContext): Promise<Walk> {
  need(context.fixtures.category);
  // One with a second page shows more; a short one is better than none.
  const categories = context.fixtures.categories.toSorted(
    (a, b) => Number(b.nextCursor !== "") - Number(a.nextCursor !== ""),
  );
  const tries = [
    ...categories
      .slice(0, 3)
      .map(({ category }) => ({ category, limit: undefined, longest: pagesOfOwnSize })),
    ...categories.slice(0, 1).map(({ category }) => ({ category, limit: largePage, longest: longestWalk })),
  ];
  let made: Walk | undefined;
  for (const { category, limit, longest } of tries) {
    made = await walk(context, category, limit, longest);
    if (made.end !== "bound") return made;
  }
  return made ?? need(noCategory);
}

/** Says that a category is too long for what a check wants to know of its end. */
export function tooLong(category: string): NotJudged {
  return new NotJudged({ code: "category-too-long", subject: category });
}

/** Says that a page has no cursor to follow, so that nothing is known of the pages after it. */
export function noCursor(category: string): NotJudged {
  return new NotJudged({ code: "no-cursor", subject: category });
}

/** A page size that cuts the products of a walk into many more pages, and still few enough to walk. */
export function smallerLimit({ products, pages }: Walk): number {
  const half = Math.floor(products.length / Math.max(1, pages.length) / 2);
  // Pages may have been longer before what is not granted was filtered out; the fullest one shows best how long.
  const fullest = Math.max(0, ...pages.map((page) => productsIn(page, {}).length));
  const least = Math.ceil((pages.length * fullest) / longestWalk);
  return Math.max(1, least, Math.min(Math.ceil(products.length / 30), half));
}

/** Where one of the products of a walk stands: on which page, and where in its body. */
export interface PlaceInWalk {
  readonly page: Exchange;
  readonly path: string;
  readonly product: Product;
}

/** Every place of one product, named as in Walk.products, on pages. */
export function placesInWalk(pages: readonly Exchange[], name: string, dialect: Dialect): PlaceInWalk[] {
  return pages.flatMap((page) =>
    productsIn(page, dialect)
      .filter(({ product }) => identity(product).includes(name))
      .map((seen) => ({ page, ...seen })),
  );
}

function identity({ retailer, product_id: id }: Product): string[] {
  return typeof retailer === "string" && typeof id === "string" ? [`${retailer} / ${id}`] : [];
}
