import type { Finding } from "../../schemas/contracts/finding.ts";
import type { SharedFields } from "../../schemas/contracts/finding-fields.ts";
import type { Exchange } from "../client/exchange.ts";
import { byCategory, byId } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { failed, type Outcome, passed, statusOf } from "../requirements/outcome.ts";
import { actual } from "../response/body-findings.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import { nextCursor } from "../response/readers.ts";
import type { Check, CheckContext } from "./check/check.ts";
import { section } from "./check/rows.ts";
import {
  largePage,
  longestWalk,
  mustEnd,
  type PlaceInWalk,
  placesInWalk,
  smallerLimit,
  type Walk,
  walk,
  wholeWalk,
  wholeWalkOfOther,
} from "./walk.ts";

/** Limits of consecutive pages; the last one is repeated. */
const changingLimits = [3, 5, largePage] as const;
/** Most categories to try for one that fits one page. */
const categoriesToTry = 3;
/** Most pages of one product to walk for the other organization. */
const pagesOfOne = 6;

/** Spec, Product list page. Passive rules judge the fields of a page: rules/page-responses.ts. */
export default section("page", [
  {
    id: "page.last-cursor/walk-ends",
    title: "Following next_cursor ends at an empty cursor",
    requests: longestWalk,
    run: walkEnds,
  },
  {
    id: "query.paging/no-repeats",
    title: "No product appears twice in a category",
    requests: longestWalk,
    async run(context) {
      const whole = await wholeWalk(context);
      return repetition(whole, context) ?? passed(walkEnded(whole));
    },
  },
  walkedTwice(
    "same-products-in-smaller-pages",
    "In smaller pages, a category has the same products, without repeats or gaps",
    async (context) => {
      const whole = await wholeWalk(context);
      return [[whole, smallerLimit(whole)]];
    },
  ),
  walkedTwice(
    "same-products-in-large-pages",
    "In large pages, a category has the same products, without repeats or gaps",
    async (context) => {
      const whole = await wholeWalk(context);
      const made = await walkOfOnePage(context);
      if (made === undefined) return [[whole, largePage]];
      // What is lost at the end of every walk of several pages; then a last page that is exactly full.
      const { length } = made.products;
      const limits = made.category === whole.category ? [length] : [Math.ceil(length / 2), length];
      return [[whole, largePage], ...limits.map((limit) => [made, limit] as const)];
    },
  ),
  walkedTwice(
    "limit-changes",
    "With another limit, a cursor continues where the previous page ended",
    async (context) => [[await wholeWalk(context), changingLimits]],
  ),
  walkedTwice(
    "small-page-goes-on",
    "A page of one product has a cursor if the category has more",
    async (context) => {
      const own = [[await wholeWalk(context), 1, 1]] as const;
      if (!context.fixtures.otherOrgKey.present) return own;
      // Filtering leaves a page of one empty where its product is one that the other organization may not see.
      return [...own, [await wholeWalkOfOther(context), 1, pagesOfOne]];
    },
  ),
  {
    id: "query.paging/other-organization",
    title: "The other organization sees the same products in any pages, and each sees what both may use",
    requests: 30,
    run: pagesOfOther,
  },
  {
    id: "query.limit/small-limits",
    title: "A page requested with a limit respects that limit",
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
  const { pages, products, end, category } = whole;
  // The last page shows how the walk ended, so it comes first.
  const [last, before] = pages.toReversed();
  const evidence = [last, before].filter((page) => page !== undefined);
  const walked = { subject: category, seen: { count: pages.length, of: "pages" } } as const;
  if (end === "empty cursor") return passed({ code: "walk-ended", ...walked }, ...evidence);
  if (end === "no page" && last !== undefined)
    return failed({ code: "cursor-rejected", ...walked, ...statusOf(last) }, ...evidence);
  mustEnd(whole);
  const repeats =
    end === "repeated cursor"
      ? {
          path: "/meta/next_cursor",
          ...actual(nextCursor(last?.response.json)),
          details: { repeats: "cursor" } as const,
        }
      : { details: { repeats: "products", products: new Set(products).size } as const };
  return failed({ code: "paging-never-ends", ...walked, ...repeats }, ...evidence);
}

/** Walks of categories, each with the page size, or those of consecutive pages, in which it is made again, and how far. */
type WalksAgain = readonly (readonly [Walk, limit: number | readonly number[], longest?: number])[];

function walkedTwice(
  name: string,
  title: string,
  walks: (context: CheckContext) => Promise<WalksAgain>,
): Check {
  return {
    id: `query.paging/${name}`,
    title,
    requests: 14,
    run: async (context) => await sameProducts(context, await walks(context)),
  };
}

/** A category with several products that fits one page. */
async function walkOfOnePage(context: CheckContext): Promise<Walk | undefined> {
  const { category: walked } = await wholeWalk(context);
  const others = context.fixtures.categories.map(({ category }) => category);
  for (const category of [...new Set([walked, ...others])].slice(0, categoriesToTry)) {
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
    const other = await walk(context, category, { limit, longest, caller });
    const isRefused = other.pages.at(-1)?.response.status === 400;
    if (Math.max(...[limit].flat()) >= largePage && isRefused) continue;
    if (!isWhole && other.end !== "empty cursor") continue;
    mustEnd(other);
    outcome = compareWalks(whole, other, { limit: [limit].flat().join(", ") }, context);
    if (outcome.kind !== "pass") break;
  }
  return outcome;
}

/** What one walk repeats, or has and the other one has not. */
function compareWalks(
  whole: Walk,
  other: Walk,
  details: { readonly limit: string },
  context: CheckContext,
): Outcome {
  const repeated = repetition(other, context);
  if (repeated !== undefined) return repeated;
  const [before, after] = [new Set(whole.products), new Set(other.products)];
  // Evidence for a missing product is the page of the other walk that has it.
  const evidence: Exchange[] = [];
  const shown = (code: "item-missing" | "item-unexpected", { pages }: Walk, names: ReadonlySet<string>) =>
    [...names].slice(0, 1).flatMap((name): Finding[] => {
      const [place] = placesInWalk(pages, name, context.fieldNames);
      if (place === undefined) return [];
      if (!evidence.includes(place.page)) evidence.push(place.page);
      const exchange = evidence.indexOf(place.page);
      return [{ code, subject: whole.category, details, ...seenAt(place, names.size), exchange }];
    });
  const findings = [
    ...shown("item-missing", whole, before.difference(after)),
    ...shown("item-unexpected", other, after.difference(before)),
  ];
  const more = other.pages.slice(-2).filter((page) => !evidence.includes(page));
  return findings.length === 0 ? passed(walkEnded(other)) : failed(findings, ...evidence, ...more);
}

async function pagesOfOther(context: CheckContext): Promise<Outcome> {
  const whole = await wholeWalkOfOther(context);
  const repeated = repetition(whole, context);
  if (repeated !== undefined) return repeated;
  const outcome = await sameProducts(context, [
    [whole, smallerLimit(whole)],
    [whole, largePage],
  ]);
  return outcome.kind === "pass" ? await nothingHidden(context, await wholeWalk(context), whole) : outcome;
}

/** What both organizations may see is known with both keys: it is on the pages of both, or found by id by neither. */
async function nothingHidden(context: CheckContext, first: Walk, second: Walk): Promise<Outcome> {
  const { fixtures, fieldNames, ask } = context;
  for (const one of [first, second]) mustEnd(one);
  for (const [own, others, list] of [
    [first, second, need(fixtures.retailers)],
    [second, first, need(fixtures.otherRetailers)],
  ] as const) {
    const { caller, category: subject } = own;
    const shown = new Set(own.products);
    for (const { product } of others.pages.flatMap((page) => productsIn(page, fieldNames))) {
      const { retailer, product_id: id } = product;
      if (typeof retailer !== "string" || typeof id !== "string" || !list.includes(retailer)) continue;
      if (shown.has(`${retailer} / ${id}`)) continue;
      // A product that is found by id and missing from the pages is hidden.
      const found = await ask({ ...byId(retailer, id), caller });
      if (found.response.status !== 200) continue;
      const about = { subject, product: { retailer, productId: id }, ...byOther(caller) } as const;
      const finding = { code: "item-missing", endpoint: "category-page", ...about } as const;
      return failed(finding, found, ...own.pages.slice(-1));
    }
  }
  return passed();
}

function seenAt({ path, product, page }: PlaceInWalk, count: number): SharedFields {
  return { path, ...identityOf(product), seen: { count, of: "products" }, ...byOther(page.caller) };
}

function byOther(caller: Exchange["caller"]): SharedFields {
  return caller === "otherOrg" ? { condition: "other-organization" } : {};
}

/** The failure for products that appear more than once in a walk, with two places of one; undefined without any. */
function repetition({ products, pages, category, limit }: Walk, context: CheckContext): Outcome | undefined {
  const seen = new Set<string>();
  const names = [...new Set(products.filter((product) => seen.size === seen.add(product).size))];
  const [name] = names;
  if (name === undefined) return undefined;
  const [first, second] = placesInWalk(pages, name, context.fieldNames) as [PlaceInWalk, PlaceInWalk];
  const evidence = [...new Set([second.page, first.page])];
  return failed(
    {
      code: "item-repeated",
      subject: category,
      ...seenAt(second, names.length),
      details: limit === undefined ? undefined : { limit },
      exchange: 0,
      comparedWith: evidence.indexOf(first.page),
      comparedPath: first.path,
    },
    ...evidence,
  );
}

function walkEnded({ category, pages, products }: Walk): Finding {
  return {
    code: "walk-ended",
    subject: category,
    seen: { count: pages.length, of: "pages" },
    details: { products: products.length },
  };
}
