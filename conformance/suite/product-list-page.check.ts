import { identityOf } from "../../schemas/accounts.ts";
import type { Finding, SharedFields } from "../../schemas/contracts/finding.ts";
import type { Exchange } from "../client/exchange.ts";
import { byCategory } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { failed, type Outcome, passed, statusOf, together } from "../requirements/outcome.ts";
import { actual } from "../response/body-findings.ts";
import { nextCursor } from "../response/readers.ts";
import type { Check, CheckContext } from "./check/check.ts";
import { lookupOf } from "./check/inputs.ts";
import { section } from "./check/rows.ts";
import {
  largePage,
  longestWalk,
  mustEnd,
  type ProductInWalk,
  smallerLimit,
  type Walk,
  walk,
  wholeWalk,
  wholeWalkOfOther,
} from "./walk.ts";

/** Limits of consecutive pages; the last one is repeated. */
const changingLimits = [3, 5, largePage] as const;
/** Most categories to try for one that fits one page, and to ask for a second page of. */
const categoriesToTry = 3;
/** Pages of a category that fits one, in halves and whole, each time with an empty one behind. */
const pagesOfFullOnes = 3 + 2;
/** Most pages of one product to walk for the other organization. */
const pagesOfOne = 6;

/** Spec, Product list page. Passive rules judge the fields of a page: rules/page-responses.ts. */
export default section("page", [
  {
    id: "page.last-cursor/walk-ends",
    title: "Following next_cursor ends at an empty cursor",
    requests: 0,
    walks: true,
    run: walkEnds,
  },
  {
    id: "query.paging/no-repeats",
    title: "No product appears twice in a category",
    requests: 0,
    walks: true,
    run: async (context) => repetition(await wholeWalk(context)),
  },
  {
    id: "query.paging/each-category",
    title:
      "In other categories too, the cursor of the first page returns a page; where it is empty, a large page has no more",
    requests: 3 * categoriesToTry,
    walks: true,
    async run(context) {
      const { category: walked } = await wholeWalk(context);
      const others = context.fixtures.categories.filter(({ category }) => category !== walked);
      const pages: Exchange[] = [];
      for (const { category } of others.slice(0, categoriesToTry)) {
        // A cursor may be for one use, so that of an earlier first page will not do.
        const first = await context.ask(byCategory(category));
        const cursor = nextCursor(first.response.json);
        if (cursor === undefined) continue;
        if (cursor === "") {
          // Filtering makes a page shorter, which a service may take for the end.
          const alone = await walk(context, category, { longest: 1 });
          const outcome = await sameProducts(
            context,
            alone.end === "empty cursor" ? [[alone, largePage]] : [],
          );
          if (outcome.kind === "fail") return outcome;
          continue;
        }
        const second = await context.ask(byCategory(category, { cursor }));
        if (second.response.status !== 200) return pageRefused({ category, pages: [first, second] }, second);
        pages.push(first, second);
      }
      return passed({ code: "checked", seen: { count: pages.length, of: "responses" } });
    },
  },
  walkedAgain(
    "same-products-in-smaller-pages",
    "In smaller pages, a category has the same products, without repeats or gaps",
    2 * longestWalk,
    (whole) => [[whole, smallerLimit(whole)]],
  ),
  walkedAgain(
    "same-products-in-large-pages",
    "In large or exactly full pages, a category has the same products, without repeats or gaps",
    longestWalk + categoriesToTry + pagesOfFullOnes,
    async (whole, context) => {
      const made = await walkOfOnePage(whole, context);
      if (made === undefined) return [[whole, largePage]];
      // What is lost at the end of every walk of several pages; then a last page that is exactly full.
      const { length } = made.products;
      const limits = made.category === whole.category ? [length] : [Math.ceil(length / 2), length];
      return [[whole, largePage], ...limits.map((limit) => [made, limit] as const)];
    },
  ),
  walkedAgain(
    "limit-changes",
    "With another limit, a cursor continues where the previous page ended, or returns 400",
    longestWalk,
    (whole) => [[whole, changingLimits]],
  ),
  walkedAgain(
    "small-page-goes-on",
    "A page of at most one product has a cursor if the category has more",
    1 + longestWalk + pagesOfOne,
    async (whole, context) => {
      const own = [whole, 1, 1] as const;
      if (!context.fixtures.otherOrgKey.present) return [own];
      // Filtering leaves a page of one empty where the other organization may not see its product.
      return [own, [await wholeWalkOfOther(context), 1, pagesOfOne]];
    },
  ),
  {
    id: "query.paging/other-organization",
    title: "Other page sizes show the other organization the same products; each sees what both may use",
    requests: 4 * longestWalk,
    walks: true,
    async run(context) {
      const whole = await wholeWalkOfOther(context);
      const refused = refusedCursorIn(whole);
      if (refused !== undefined) return pageRefused(whole, refused);
      const repeated = repetition(whole);
      if (repeated.kind === "fail") return repeated;
      const outcome = await sameProducts(context, [
        [whole, smallerLimit(whole)],
        [whole, largePage],
      ]);
      return outcome.kind === "pass"
        ? await nothingHidden(context, await wholeWalk(context), whole)
        : outcome;
    },
  },
  {
    id: "query.limit/small-limits",
    title: "A limit of 1 is accepted, and a page with a limit of 1 or 3 respects it",
    requests: 2,
    bad({ fixtures }) {
      const { category } = need(fixtures.category);
      return ["1", "3"].map((limit) => ({
        request: byCategory(category, { limit }),
        condition: "parameters",
        details: { parameters: { category, limit } },
        // The largest limit is not shown; a single product is within each.
        expect: limit === "1" ? 200 : [200, 400],
      }));
    },
    expect: 200,
    rules: ["query.limit/every-page"],
  },
]);

async function walkEnds(context: CheckContext): Promise<Outcome> {
  const whole = await wholeWalk(context);
  const { pages, products, end, category: subject } = whole;
  // The last page shows how the walk ended, so it comes first.
  const evidence = pages.slice(-2).toReversed();
  const [last] = evidence;
  const walked = { subject, seen: { count: pages.length, of: "pages" } } as const;
  if (end === "empty cursor") return passed({ code: "walk-ended", ...walked }, ...evidence);
  if (end === "no page" && last !== undefined) return pageRefused(whole, last);
  mustEnd(whole);
  const distinct = new Set(products.map(({ name }) => name)).size;
  const code = "paging-never-ends";
  if (end === "repeated products")
    return failed({ code, ...walked, details: { repeats: "products", products: distinct } }, ...evidence);
  const cursors = pages.map(({ response }) => nextCursor(response.json));
  const again = cursors.findIndex((cursor, place) => cursors.indexOf(cursor) < place);
  const first = cursors.indexOf(cursors[again]);
  const place = { path: "/meta/next_cursor", ...actual(cursors[again]), comparedWith: 1 };
  const details = { repeats: "cursor", first: first + 1, again: again + 1 } as const;
  const shown = [again, first].flatMap((page) => pages.slice(page, page + 1));
  return failed({ code, ...walked, ...place, details }, ...shown);
}

/** The response that refuses the cursor of the page before; 401 and 429 have other reasons. */
function refusedCursorIn({ pages }: Walk): Exchange | undefined {
  const last = pages.length > 1 ? pages.at(-1) : undefined;
  const { status } = last?.response ?? { status: 200 };
  return status >= 400 && status < 500 && status !== 401 && status !== 429 ? last : undefined;
}

/** Of a walk whose last response is no page. */
function pageRefused(
  { pages, category: subject }: Pick<Walk, "category" | "pages">,
  last: Exchange,
): Outcome {
  const seen = { count: pages.length - 1, of: "pages" } as const;
  const finding = { code: "cursor-rejected", subject, seen, ...statusOf(last) } as const;
  return failed(finding, ...pages.slice(-2).toReversed());
}

/** Walks of categories, each with the page sizes in which it is made again, and how far. */
type WalksAgain = readonly (readonly [Walk, limit: number | readonly number[], longest?: number])[];

function walkedAgain(
  name: string,
  title: string,
  requests: number,
  walks: (whole: Walk, context: CheckContext) => WalksAgain | Promise<WalksAgain>,
): Check {
  return {
    id: `query.paging/${name}`,
    title,
    requests,
    walks: true,
    run: async (context) => await sameProducts(context, await walks(await wholeWalk(context), context)),
  };
}

/** A category with several products that fits one page. */
async function walkOfOnePage({ category: walked }: Walk, context: CheckContext): Promise<Walk | undefined> {
  const categories = new Set([walked, ...context.fixtures.categories.map(({ category }) => category)]);
  for (const category of [...categories].slice(0, categoriesToTry)) {
    const made = await walk(context, category, { limit: largePage, longest: 1 });
    if (made.end === "empty cursor" && made.products.length > 1) return made;
  }
  return undefined;
}

/** Compares each walk with one in pages of another size, or of a different one each. */
async function sameProducts(context: CheckContext, walks: WalksAgain): Promise<Outcome> {
  let outcome = passed();
  for (const [whole, limit, longest = longestWalk] of walks) {
    const isWhole = longest === longestWalk;
    if (isWhole) mustEnd(whole);
    const { category, caller } = whole;
    const walkIn = (size: typeof limit) => walk(context, category, { limit: size, longest, caller });
    let other = await walkIn(limit);
    // Pages may be shorter than their limit (spec, Product list page).
    if (other.end === "bound" && isWhole) other = await walkIn(largePage / 2);
    const last = other.pages.at(-1);
    // A cursor of a page of that size is no reason to refuse the size.
    const isOfSize = Array.isArray(limit) || other.pages.length === 1;
    if (Math.max(...[limit].flat()) >= largePage && isOfSize && last?.response.status === 400) continue;
    const refused = refusedCursorIn(other);
    if (refused !== undefined) return pageRefused(other, refused);
    // Without its only product, a page is empty, and still a page.
    if (whole.end !== "no page" && last?.response.status === 404) return pageRefused(other, last);
    if (!isWhole && other.end !== "empty cursor") continue;
    mustEnd(other);
    outcome = compareWalks(whole, other, [other.limit ?? limit].flat().join(", then "));
    if (outcome.kind !== "pass") break;
  }
  return outcome;
}

/** What one walk repeats, or has and the other one has not. */
function compareWalks(whole: Walk, other: Walk, limit: string): Outcome {
  const repeated = repetition(other, limit);
  if (repeated.kind === "fail") return repeated;
  const subject = whole.category;
  const lacking = (code: "item-missing" | "item-unexpected", one: Walk, another: Walk) => {
    const missing = missingIn(another, one);
    const [first] = missing;
    // The page that ended the walk too early; else that of the product before the first missing one.
    const isEnd = missing.at(-1)?.name === one.products.at(-1)?.name;
    if (first === undefined) return [];
    const previous = one.products[one.products.indexOf(first) - 1]?.name;
    const before = another.products.findLast(({ name }) => name === previous);
    const without = isEnd ? another.pages.at(-1) : (before?.page ?? another.pages[0]);
    if (without === undefined) return [];
    const { path, ...about } = seenAt(first, missing.length);
    const details = { limit, comparedLimit: whole.limit };
    const finding = { code, subject, details, ...about } as const;
    const end = isEnd ? "/meta/next_cursor" : "/products";
    if (code === "item-missing") {
      const found = { ...finding, path: end, comparedWith: 1, comparedPath: path };
      return [ofEach(missing, failed(found, without, first.page))];
    }
    // A first page that lacks the product has no place that is wrong.
    const compared = isEnd ? { comparedWith: 1, comparedPath: end } : {};
    return [ofEach(missing, failed({ ...finding, path, ...compared }, first.page, without))];
  };
  const { evidence, ...outcome } = together([
    ...lacking("item-missing", whole, other),
    ...lacking("item-unexpected", other, whole),
  ]);
  if (outcome.findings.length === 0) return passed(checkedPages(other));
  const more = [...other.pages.slice(0, 1), ...other.pages.slice(-2)];
  return { ...outcome, evidence: [...new Set([...evidence, ...more])] };
}

/** What one walk has and another one has not. */
function missingIn(another: Walk, { products }: Walk): ProductInWalk[] {
  const shown = new Set(another.products.map(({ name }) => name));
  return [...new Map(products.map((one) => [one.name, one])).values()].filter(({ name }) => !shown.has(name));
}

/** What both organizations may see is known with both keys: on the pages of both, or by id for neither. */
async function nothingHidden(context: CheckContext, first: Walk, second: Walk): Promise<Outcome> {
  const { fixtures, ask } = context;
  for (const one of [first, second]) mustEnd(one);
  for (const [own, others, list] of [
    [first, second, need(fixtures.retailers)],
    [second, first, need(fixtures.otherRetailers)],
  ] as const) {
    const { caller, category: subject } = own;
    for (const { product } of missingIn(own, others)) {
      const { product: named } = identityOf(product);
      if (named === undefined || !list.includes(named.retailer)) continue;
      // A product that is found by id and missing from the pages is hidden.
      const found = await ask(lookupOf(named, caller));
      if (found.response.status !== 200) continue;
      const about = { subject, product: named, ...byOther(caller) } as const;
      const finding = { code: "item-missing", endpoint: "category-page", ...about } as const;
      return failed(finding, found, ...own.pages.slice(-1));
    }
  }
  return passed();
}

/** Of all these products, not only of the one that a finding names: each walk of an unstable order fails with others. */
function ofEach(products: readonly ProductInWalk[], outcome: Outcome): Outcome {
  const ofProduct = ({ product }: ProductInWalk) =>
    outcome.findings.map((finding): Finding => ({ ...finding, ...identityOf(product) }));
  return { ...outcome, others: products.flatMap(ofProduct) };
}

function seenAt({ path, product, page }: ProductInWalk, count: number): SharedFields {
  return { path, ...identityOf(product), seen: { count, of: "products" }, ...byOther(page.caller) };
}

function byOther(caller: string): SharedFields {
  return caller === "otherOrg" ? { condition: "other-organization" } : {};
}

/** The failure for products that appear more than once in a walk, with two places of one. */
function repetition(made: Walk, limit: string | number | undefined = made.limit): Outcome {
  const { products, category: subject } = made;
  const places = Map.groupBy(products, ({ name }) => name);
  const repeated = [...places.values()].filter(({ length }) => length > 1);
  const [first, second] = repeated[0] ?? [];
  if (first === undefined || second === undefined) return passed(checkedPages(made));
  const evidence = [...new Set([second.page, first.page])];
  const finding = {
    code: "item-repeated",
    subject,
    ...seenAt(second, repeated.length),
    details: limit === undefined ? undefined : { limit },
    exchange: 0,
    comparedWith: evidence.indexOf(first.page),
    comparedPath: first.path,
  } as const;
  return ofEach(
    repeated.flatMap(([one]) => one ?? []),
    failed(finding, ...evidence),
  );
}

/** Of a walk that need not have ended. */
function checkedPages({ pages }: Walk): Finding {
  return { code: "checked", seen: { count: pages.length, of: "responses" } };
}
