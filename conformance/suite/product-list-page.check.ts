import { byCategory, byId } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import type { Check, CheckContext } from "../engine/check.ts";
import { failed, type Outcome, passed } from "../engine/outcome.ts";
import { section } from "../engine/section.ts";
import { productsIn } from "../response/products-in.ts";
import {
  largePage,
  longestWalk,
  noCursor,
  smallerLimit,
  tooLong,
  type Walk,
  walk,
  wholeWalk,
} from "./walk.ts";

/** Pages of the other organization to compare with. */
const pagesOfOther = 4;

/**
 * Page sizes in which a category is walked besides the target's own, by name: one that makes many pages, an odd
 * one that falls across them, and one that a target may cut to the most it gives.
 */
const otherSizes: Readonly<Record<string, (whole: Walk) => number>> = {
  smaller: smallerLimit,
  uneven: (whole) => 2 * smallerLimit(whole) + 1,
  large: () => largePage,
};

/** Spec, Product list page. The fields of a page are held by the passive rules in rules/page-answers.ts. */
export default section("page", [
  {
    id: "page.last-cursor/walk-ends",
    requirement: "page.last-cursor",
    title: "Following next_cursor comes to an end, at an empty cursor",
    requests: longestWalk,
    async run(context) {
      const { pages, products, end, category } = await wholeWalk(context);
      const last = pages.slice(-2);
      switch (end) {
        case "empty cursor":
          return passed(`${category} ends after ${pages.length} pages`);
        case "repeated cursor":
          return failed(
            `page ${pages.length} of ${category} gives a cursor that an earlier page gave: it never ends`,
            ...last,
          );
        case "no page":
          return failed(`the cursor of page ${pages.length - 1} of ${category} led to no page`, ...last);
        case "repeated products":
          return failed(
            `after ${pages.length} pages of ${category} the same ${new Set(products).size} products come again and again: it never ends`,
            ...last,
          );
        case "no cursor":
          throw noCursor(category);
        case "bound":
          throw tooLong(category);
        default:
          return end satisfies never;
      }
    },
  },
  {
    id: "query.paging/no-repeats",
    requirement: "query.paging",
    title: "No product comes twice on the pages of a category",
    requests: longestWalk,
    async run(context) {
      const { products, pages, category } = await wholeWalk(context);
      const seen = new Set<string>();
      const repeated = products.filter((product) => seen.size === seen.add(product).size);
      if (repeated.length === 0)
        return passed(`${products.length} products on ${pages.length} pages of ${category}`);
      const guilty = pages.filter((page) =>
        page.response.text.includes(JSON.stringify(repeated[0]?.split(" / ")[1])),
      );
      return failed(`${repeated.slice(0, 3).join(", ")} came twice in ${category}`, ...guilty.slice(0, 2));
    },
  },
  ...Object.entries(otherSizes).map(
    ([name, sizeFor]): Check => ({
      id: `query.paging/same-products-in-${name}-pages`,
      requirement: "query.paging",
      title: `In ${name} pages a category holds the same products, none twice and none left out`,
      requests: 14,
      run: (context) => sameProducts(context, sizeFor),
    }),
  ),
  {
    id: "query.paging/nothing-hidden",
    requirement: "query.paging",
    title: "What the other organization is shown of a shared retailer, the first is shown too",
    requests: 6,
    async run(context) {
      const { fixtures, dialect, ask } = context;
      need(fixtures.otherOrgKey);
      const whole = await wholeWalk(context);
      if (whole.end === "bound") throw tooLong(whole.category);
      const asOther: CheckContext["ask"] = (request) => ask({ ...request, caller: "otherOrg" });
      const { pages } = await walk(context, whole.category, undefined, pagesOfOther, asOther);
      const own = new Set(need(fixtures.retailers));
      for (const { product } of pages.flatMap((page) => productsIn(page, dialect))) {
        const { retailer, product_id: id } = product;
        if (typeof retailer !== "string" || typeof id !== "string" || !own.has(retailer)) continue;
        if (whole.products.includes(`${retailer} / ${id}`)) continue;
        // It may have come or gone since: what is found by id and missing on the pages, now, is hidden.
        const found = await ask(byId(retailer, id));
        if (found.response.status !== 200) continue;
        const again = await walk(context, whole.category, whole.limit, longestWalk, ask);
        if (again.products.includes(`${retailer} / ${id}`)) continue;
        return failed(
          `${retailer} / ${id} is found by id and on no page of ${whole.category}`,
          found,
          ...again.pages.slice(-1),
        );
      }
      return passed();
    },
  },
  ...[1, 3].map((limit) => ({
    id: `query.limit/${limit}`,
    requirement: "query.limit",
    title: `A page that was asked with limit=${limit} has at most that many products`,
    requests: 1,
    async run({ fixtures, dialect, ask }: CheckContext) {
      const { category } = need(fixtures.category);
      const page = await ask(byCategory(category, { limit: String(limit) }));
      const { length } = productsIn(page, dialect);
      if (page.response.status !== 200)
        return failed(`limit=${limit} was answered with ${page.response.status}`, page);
      return length <= limit
        ? passed(`${length} products`)
        : failed(`limit=${limit} gave ${length} products`, page);
    },
  })),
]);

/** Walks a category in pages of another size and compares it with the walk in the target's own. */
async function sameProducts(context: CheckContext, sizeFor: (whole: Walk) => number): Promise<Outcome> {
  const whole = await wholeWalk(context);
  if (whole.end === "bound") throw tooLong(whole.category);
  if (whole.end === "no cursor") throw noCursor(whole.category);
  let limit = sizeFor(whole);
  let other = await walk(context, whole.category, limit, longestWalk);
  // Where pages are emptied by what is not granted, or shorter than asked, there are more of them than planned.
  if (other.end === "bound") {
    limit *= 4;
    other = await walk(context, whole.category, limit, longestWalk);
  }
  if (other.end === "bound") throw tooLong(whole.category);
  if (other.end === "no cursor") throw noCursor(whole.category);
  const [first] = other.pages;
  if (limit >= largePage && first?.response.status === 400)
    return passed(`limit=${limit} is refused, which the spec leaves open`);
  const doubled = other.products.length - new Set(other.products).size;
  if (doubled > 0)
    return failed(`${doubled} products came twice in pages of ${limit}`, ...other.pages.slice(0, 2));
  const walked = `${other.products.length} products, in ${whole.pages.length} and in ${other.pages.length} pages`;
  if (new Set(whole.products).symmetricDifference(new Set(other.products)).size === 0) return passed(walked);
  // Products may come and go meanwhile: what counts was there before and after, or neither before nor after.
  const again = await walk(context, whole.category, whole.limit, longestWalk, context.ask);
  const [before, between, after] = [whole, other, again].map(({ products }) => new Set(products)) as [
    Set<string>,
    Set<string>,
    Set<string>,
  ];
  const leftOut = [...before.intersection(after).difference(between)];
  const added = [...between.difference(before.union(after))];
  if (leftOut.length + added.length === 0) return passed(walked);
  const which = leftOut.length > 0 ? `left out in pages of ${limit}` : `shown in pages of ${limit} only`;
  const named = [...leftOut, ...added].slice(0, 3).join(", ");
  return failed(`${leftOut.length + added.length} products are ${which}: ${named}`, ...other.pages.slice(-2));
}
