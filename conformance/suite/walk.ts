import { createRounds, itemName } from "../../schemas/accounts.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import type { Exchange } from "../client/exchange.ts";
import { byCategory } from "../client/requests.ts";
import { need, noCategory } from "../discovery/fixtures.ts";
import { mustSucceed, NotJudged } from "../requirements/outcome.ts";
import { productsIn } from "../response/products-in.ts";
import { nextCursor } from "../response/readers.ts";
import type { CheckContext } from "./check/check.ts";

/** The pages of a category, followed by cursor. */
export interface Walk {
  readonly category: string;
  /** The requested size of all pages; undefined for the target's own, and for several. */
  readonly limit: number | undefined;
  /** Whose key it has. */
  readonly caller: "primary" | "otherOrg";
  readonly pages: readonly Exchange[];
  /** All products in order, except those without retailer or id. */
  readonly products: readonly ProductInWalk[];
  /**
   * "no cursor": no readable one; "repeated products": the pages go round in a circle; "no page": a status
   * other than 200; "bound": our own maximum.
   */
  readonly end: "empty cursor" | "no cursor" | "repeated cursor" | "repeated products" | "no page" | "bound";
}

/** A product and where it is: its page, and the path in the body. */
export interface ProductInWalk {
  readonly name: string;
  readonly product: Product;
  readonly page: Exchange;
  readonly path: string;
}

/** Most pages of a walk; a longer category is not walked to its end. */
export const longestWalk = 80;
/** Pages of a walk in small pages, where its products allow that. */
const mostPagesOfWalk = 8;
/** Most pages of a walk in the target's own page size. */
export const pagesOfOwnSize = 40;
/** Most refusals of page sizes until the half of the one before is accepted. */
const mostRefused = 5;
/** Most requests of a whole walk: of three categories, and of one in large pages. */
export const wholeWalkRequests = 3 * pagesOfOwnSize + mostRefused + longestWalk;
/** A large page size, which the target may clamp or reject: the spec does not give the range. */
export const largePage = 100;

interface WalkOptions {
  /** Page size, or those of consecutive pages, of which the last is repeated. Default: the target's own */
  readonly limit?: number | readonly number[] | undefined;
  readonly longest: number;
  readonly caller?: Walk["caller"];
}

/** Follows `meta.next_cursor` until it is empty (spec: "Paging must follow next_cursor"). */
export async function walk(
  { ask, shared, fieldNames }: Pick<CheckContext, "ask" | "shared" | "fieldNames">,
  category: string,
  { limit, longest, caller = "primary" }: WalkOptions,
): Promise<Walk> {
  const limits = [limit ?? []].flat();
  const pages: Exchange[] = [];
  const products: ProductInWalk[] = [];
  const rounds = createRounds();
  let cursor: string | undefined;
  let end: Walk["end"] | undefined;
  while (end === undefined && pages.length < longest) {
    const size = (limits[pages.length] ?? limits.at(-1))?.toString();
    const request = { ...byCategory(category, { limit: size, cursor }), caller };
    // A service may keep the place of a walk behind one cursor: equal requests get different pages.
    const page = await (cursor === undefined ? shared(request) : ask(request));
    const next = nextCursor(page.response.json);
    const shown = productsIn(page, fieldNames).flatMap(({ product, path }) => {
      const name = itemName(product);
      return name === undefined ? [] : { name, product, page, path };
    });
    pages.push(page);
    // Not as arguments of a call: a page may have more products than a call has room for.
    for (const one of shown) products.push(one);
    if (page.response.status !== 200) end = "no page";
    else if (next === undefined) end = "no cursor";
    else if (next === "") end = "empty cursor";
    else
      end = rounds.add(
        next,
        shown.map(({ name }) => name),
      );
    cursor = next;
  }
  return {
    category,
    limit: limits.length > 1 ? undefined : limits[0],
    caller,
    pages,
    products,
    end: end ?? "bound",
  };
}

/**
 * Walks a category to its end, once for all checks: in pages of the target's own size, or large ones if those
 * are too many. If no configured category ends in time, returns the walk of the last one.
 */
export async function wholeWalk(context: CheckContext): Promise<Walk> {
  need(context.fixtures.category);
  return await context.once("whole walk", async () => {
    // A category with several pages shows more.
    const categories = context.fixtures.categories.toSorted(
      (a, b) => Number(b.nextCursor !== "") - Number(a.nextCursor !== ""),
    );
    let made: Walk | undefined;
    // The last one may be the smaller one that was named because the first ones are too long.
    for (const { category } of [...categories.slice(0, 2), ...categories.slice(2).slice(-1)]) {
      made = await walk(context, category, { longest: pagesOfOwnSize });
      if (made.end !== "bound") return made;
    }
    // The largest limit is not shown: a service may refuse what is more.
    for (const { category } of categories.slice(0, 1))
      for (let limit = largePage; limit > 1; limit = Math.floor(limit / 2)) {
        const large = await walk(context, category, { limit, longest: longestWalk });
        if (large.pages.length > 1 || large.pages[0]?.response.status !== 400) return large;
      }
    return made ?? need(noCategory);
  });
}

/** The same category in pages of the same size for the other organization, once for all checks. */
export async function wholeWalkOfOther(context: CheckContext): Promise<Walk> {
  need(context.fixtures.otherOrgKey);
  const { category, limit } = await wholeWalk(context);
  const longest = limit === undefined ? pagesOfOwnSize : longestWalk;
  return await context.once("whole walk of the other organization", () =>
    walk(context, category, { limit, longest, caller: "otherOrg" }),
  );
}

/** @throws NotJudged when the category was not walked to its end, so that nothing shows what comes behind */
export function mustEnd({ end, category, pages, limit }: Walk): void {
  if (end === "bound") {
    const details = { pages: pages.length, limit };
    throw new NotJudged({ code: "category-too-long", subject: category, details });
  }
  if (end === "no cursor") throw new NotJudged({ code: "no-cursor", subject: category });
  const last = pages.at(-1);
  if (end === "no page" && last !== undefined) mustSucceed(last);
}

/** A page size that splits a category into more pages than the own one, but few enough to walk. */
export function smallerLimit({ products, pages }: Walk): number {
  // Filtering makes pages shorter, so the fullest page shows the page size best.
  const fullest = Math.max(0, ...pages.map((page) => productsIn(page, {}).length));
  const most = Math.floor((3 * fullest) / 4);
  const least = Math.ceil((pages.length * fullest) / longestWalk);
  const wanted = Math.max(1, least, Math.min(Math.ceil(products.length / mostPagesOfWalk), most));
  // If nothing is filtered, a divisor makes the last page full: a service may not see that it is last.
  const upToTwice = Array.from({ length: wanted }, (_, more) => wanted + more);
  return upToTwice.find((limit) => limit <= most && products.length % limit === 0) ?? wanted;
}
