import type { Finding } from "../../schemas/contracts/finding.ts";
import type { SharedFields } from "../../schemas/contracts/finding-fields.ts";
import { failed, type Outcome, passed, statusOf } from "../client/outcome.ts";
import { byCategory, byId } from "../client/requests.ts";
import { nextCursor } from "../discovery/browsing.ts";
import { need } from "../discovery/fixtures.ts";
import { actual } from "../response/body-findings.ts";
import { identityOf, productsIn } from "../response/products-in.ts";
import { overLimit } from "../rules/page-responses.ts";
import type { Check, CheckContext } from "./check/check.ts";
import { hasStatus } from "./check/expectations.ts";
import { section } from "./check/rows.ts";
import {
  largePage,
  longestWalk,
  noCursor,
  type PlaceInWalk,
  placesInWalk,
  smallerLimit,
  tooLong,
  type Walk,
  walk,
  walkCut,
  wholeWalk,
} from "./walk.ts";

/** Most products to look up by id, of those that a walk no longer returns. */
const goneToLookUp = 3;
/** Most pages of the other organization to compare. */
const pagesOfOther = 4;
/** Most categories to try for one that fits one page. */
const categoriesToTry = 3;

/**
 * Page sizes besides the target's own: a small one with many pages, an odd one that shifts the page boundaries, and a
 * large one that the target may clamp.
 */
const otherSizes: Readonly<Record<string, (whole: Walk) => number>> = {
  smaller: smallerLimit,
  uneven: (whole) => 2 * smallerLimit(whole) + 1,
  large: () => largePage,
};

/** Spec, Product list page. Passive rules judge the fields of a page: rules/page-responses.ts. */
export default section("page", [
  {
    id: "page.last-cursor/walk-ends",
    title: "Following next_cursor ends at an empty cursor",
    requests: longestWalk,
    async run(context) {
      const { pages, products, end, category } = await wholeWalk(context);
      // The last page shows how the walk ended, so it comes first.
      const [last, before] = pages.toReversed();
      const evidence = [last, before].filter((page) => page !== undefined);
      const walked = {
        subject: category,
        seen: { count: pages.length, of: "pages" },
      } as const;
      switch (end) {
        case "empty cursor":
          return passed({ code: "walk-ended", ...walked }, ...evidence);
        case "repeated cursor":
          return failed(
            {
              code: "paging-never-ends",
              ...walked,
              path: "/meta/next_cursor",
              ...actual(nextCursor(last?.response.json)),
              details: { repeats: "cursor" },
            },
            ...evidence,
          );
        case "no page":
          return failed(
            { code: "cursor-rejected", ...walked, ...(last === undefined ? {} : statusOf(last)) },
            ...evidence,
          );
        case "repeated products":
          return failed(
            {
              code: "paging-never-ends",
              ...walked,
              details: { repeats: "products", products: new Set(products).size },
            },
            ...evidence,
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
    title: "No product appears twice in a category",
    requests: longestWalk,
    async run(context) {
      const whole = await wholeWalk(context);
      return (await repetition(whole, context)) ?? passed(walkEnded(whole));
    },
  },
  ...Object.entries(otherSizes).map(
    ([name, sizeFor]): Check => ({
      id: `query.paging/same-products-in-${name}-pages`,
      title: `In ${name} pages, a category has the same products, without repeats or gaps`,
      requests: 14,
      async run(context) {
        const outcome = await sameProducts(context, sizeFor);
        if (name !== "large" || outcome.kind !== "pass") return outcome;
        const made = await walkOfOnePage(context);
        if (made === undefined) return outcome;
        const { length } = made.products;
        // What is lost at the end of every walk of several pages; then a last page that is exactly full.
        const isWalked = made.category === (await wholeWalk(context)).category;
        for (const limit of isWalked ? [length] : [Math.ceil(length / 2), length]) {
          const other = await sameProducts(context, () => limit, made);
          if (other.kind !== "pass") return other;
        }
        return outcome;
      },
    }),
  ),
  {
    id: "query.paging/limit-changes",
    title: "With another limit, a cursor continues where the previous page ended",
    requests: 6,
    run: otherLimits,
  },
  {
    id: "query.paging/small-page-goes-on",
    title: "A page of one product has a cursor if the category has more",
    requests: 2,
    async run(context) {
      const { category, categories, otherOrgKey, otherRetailers } = context.fixtures;
      const usual = need(category).category;
      const first = await smallPage(context, usual, "primary");
      if (first.kind !== "pass" || !otherOrgKey.present) return first;
      // Filtering leaves the smallest page empty where it begins with a product that the other organization may not see.
      const granted = otherRetailers.present ? otherRetailers.value : [];
      const filtered = categories.find(({ products: [first] }) => first && !granted.includes(first.retailer));
      return await smallPage(context, filtered?.category ?? usual, "otherOrg");
    },
  },
  {
    id: "query.paging/nothing-hidden",
    title: "The first organization sees every product of a shared retailer that the other one sees",
    requests: 6,
    async run(context) {
      const { fixtures, fieldNames, ask, shared } = context;
      need(fixtures.otherOrgKey);
      const whole = await wholeWalk(context);
      if (whole.end === "bound") throw tooLong(whole.category);
      if (whole.end === "no page") throw walkCut(whole);
      const asOther: CheckContext["ask"] = (request) => shared({ ...request, caller: "otherOrg" });
      const { pages } = await walk(context, whole.category, undefined, pagesOfOther, asOther);
      const own = new Set(need(fixtures.retailers));
      const shown = new Set(whole.products);
      for (const { product } of pages.flatMap((page) => productsIn(page, fieldNames))) {
        const { retailer, product_id: id } = product;
        if (typeof retailer !== "string" || typeof id !== "string" || !own.has(retailer)) continue;
        if (shown.has(`${retailer} / ${id}`)) continue;
        // The catalog may have changed. A product that is found by id now and still missing from the pages is hidden.
        const found = await ask(byId(retailer, id));
        if (found.response.status !== 200) continue;
        const again = await walk(context, whole.category, whole.limit, longestWalk, ask);
        if (again.products.includes(`${retailer} / ${id}`)) continue;
        return failed(
          {
            code: "item-missing",
            endpoint: "category-page",
            subject: whole.category,
            product: { retailer, productId: id },
          },
          found,
          ...again.pages.slice(-1),
        );
      }
      return passed();
    },
  },
  ...[1, 3].map(
    (limit): Check => ({
      id: `query.limit/${limit}`,
      title: `A page requested with limit=${limit} respects that limit`,
      requests: 1,
      async run({ fixtures, fieldNames, shared }: CheckContext) {
        const { category } = need(fixtures.category);
        const parameters = { category, limit: String(limit) };
        const page = await shared(byCategory(category, { limit: parameters.limit }));
        // The largest limit is not shown; a single product is within each.
        const allowed = limit > 1 ? [200, 400] : [200];
        const status = hasStatus(page, allowed, { condition: "parameters", details: { parameters } });
        const { length } = productsIn(page, fieldNames);
        return status.kind !== "pass" || length <= limit ? status : failed(overLimit(limit, length), page);
      },
    }),
  ),
]);

/** A category with several products that fits one page. */
async function walkOfOnePage(context: CheckContext): Promise<Walk | undefined> {
  const { category: walked } = await wholeWalk(context);
  const others = context.fixtures.categories.map(({ category }) => category);
  for (const category of [...new Set([walked, ...others])].slice(0, categoriesToTry)) {
    const made = await walk(context, category, largePage, 1);
    if (made.end === "empty cursor" && made.products.length > 1) return made;
  }
  return undefined;
}

/** Walks a category in pages of another size and compares it with the walk in the target's own page size. */
async function sameProducts(
  context: CheckContext,
  sizeFor: (whole: Walk) => number,
  known?: Walk,
): Promise<Outcome> {
  const whole = known ?? (await wholeWalk(context));
  if (whole.end === "bound") throw tooLong(whole.category);
  if (whole.end === "no cursor") throw noCursor(whole.category);
  if (whole.end === "no page") throw walkCut(whole);
  let limit = sizeFor(whole);
  let other = await walk(context, whole.category, limit, longestWalk);
  // There may be more pages than planned, when filtering leaves some of them short or empty.
  if (other.end === "bound") {
    limit *= 4;
    other = await walk(context, whole.category, limit, longestWalk);
  }
  if (other.end === "bound") throw tooLong(whole.category);
  if (other.end === "no cursor") throw noCursor(whole.category);
  const [first] = other.pages;
  if (limit >= largePage && first?.response.status === 400)
    return passed({ code: "answered", expected: [200, 400], actual: 400 }, first);
  if (other.end === "no page") throw walkCut(other);
  const repeated = await repetition(other, context);
  if (repeated !== undefined) return repeated;
  const { category } = whole;
  const walked = walkEnded(other);
  if (new Set(whole.products).symmetricDifference(new Set(other.products)).size === 0) return passed(walked);
  // The catalog may change between walks. A product counts as left out only if it was there before and after, and as
  // added only if it was there neither before nor after.
  const again = await walk(context, whole.category, whole.limit, longestWalk, context.ask);
  const [before, between, after] = [whole, other, again].map(({ products }) => new Set(products)) as [
    Set<string>,
    Set<string>,
    Set<string>,
  ];
  const leftOut = [...before.intersection(after).difference(between)];
  const added = [...between.difference(before.union(after))];
  if (leftOut.length + added.length === 0) return passed(walked);
  const anew = await walk(context, category, limit, longestWalk, context.ask);
  const betweenAnew = new Set(anew.products);
  const differsAnew = [
    ...before.intersection(after).difference(betweenAnew),
    ...betweenAnew.difference(before.union(after)),
  ];
  if (!(await isSystematic([...leftOut, ...added], differsAnew, [whole, other, again, anew], context)))
    return passed(walked);
  // Evidence for a missing product is the page of the other walk that has it.
  const [missing] = placesInWalk(whole.pages, leftOut[0] ?? "", context.fieldNames);
  const [unexpected] = placesInWalk(other.pages, added[0] ?? "", context.fieldNames);
  const evidence = [missing, unexpected].flatMap((place) => place?.page ?? []);
  const common = { subject: category, details: { limit } } as const;
  return failed(
    [
      ...(missing === undefined
        ? []
        : [{ ...common, code: "item-missing" as const, ...seenAt(missing, leftOut.length) }]),
      ...(unexpected === undefined
        ? []
        : [
            {
              ...common,
              code: "item-unexpected" as const,
              ...seenAt(unexpected, added.length),
              exchange: evidence.length - 1,
            },
          ]),
    ],
    ...evidence,
    ...other.pages.slice(-2).filter((page) => !evidence.includes(page)),
  );
}

/**
 * A walk may begin with the smallest page. All requests are also those of other checks; what differs is asked in turn, since the
 * catalog may change.
 */
async function smallPage(
  { fieldNames, shared, ask }: CheckContext,
  category: string,
  caller: "primary" | "otherOrg",
): Promise<Outcome> {
  const limit = 1;
  const requests = [
    { ...byCategory(category, { limit: String(limit) }), caller },
    { ...byCategory(category), caller },
  ] as const;
  const read = async (send: CheckContext["ask"]) => {
    const small = await send(requests[0]);
    const isLast = small.response.status === 200 && nextCursor(small.response.json) === "";
    if (!isLast) return { small, usual: small, left: [] };
    const usual = await send(requests[1]);
    const shown = new Set(
      productsIn(small, fieldNames).map(({ product }) => JSON.stringify(identityOf(product))),
    );
    const left = productsIn(usual, fieldNames).filter(
      ({ product }) =>
        identityOf(product).product !== undefined && !shown.has(JSON.stringify(identityOf(product))),
    );
    return { small, usual, left };
  };
  const first = await read(shared);
  if (first.left.length === 0) return passed(undefined, first.small);
  const { small, usual, left } = await read(ask);
  const [missing] = left;
  if (missing === undefined) return passed(undefined, small);
  return failed(
    {
      code: "item-missing",
      subject: category,
      details: { limit },
      ...seenAt({ page: usual, ...missing }, left.length),
      path: "/meta/next_cursor",
      exchange: 0,
      comparedWith: 1,
      comparedPath: missing.path,
    },
    small,
    usual,
  );
}

/** Limits of consecutive pages; the last one is repeated. */
const changingLimits = [3, 5, 2, largePage] as const;

/**
 * Walks a category with a different limit for each page. The target may reject that, but must not repeat or leave out
 * products.
 */
async function otherLimits(context: CheckContext): Promise<Outcome> {
  const whole = await wholeWalk(context);
  if (whole.end !== "empty cursor")
    throw whole.end === "bound"
      ? tooLong(whole.category)
      : whole.end === "no page"
        ? walkCut(whole)
        : noCursor(whole.category);
  const changing = (request: Parameters<CheckContext["ask"]>[0], page: number) => {
    const limit = String(changingLimits[Math.min(page, changingLimits.length - 1)]);
    const cursor = new URLSearchParams(request.path.split("?")[1]).get("cursor");
    return byCategory(whole.category, { limit, cursor: cursor ?? undefined });
  };
  const once = async (sendFirst = context.ask) => {
    let page = 0;
    return await walk(context, whole.category, undefined, longestWalk, (request) =>
      (page === 0 ? sendFirst : context.ask)(changing(request, page++)),
    );
  };
  const other = await once(context.shared);
  const last = other.pages.at(-1);
  if (last?.response.status === 400) return passed({ code: "answered", actual: 400 }, last);
  if (other.end === "no page") throw walkCut(other);
  if (other.end === "bound") throw tooLong(whole.category);
  const repeated = await repetition(other, context, once);
  if (repeated !== undefined) return repeated;
  const before = new Set(whole.products);
  const leftOut = before.difference(new Set(other.products));
  const walked = { subject: whole.category, seen: { count: other.pages.length, of: "pages" } } as const;
  if (leftOut.size === 0) return passed({ code: "walk-ended", ...walked });
  // The catalog may change between walks: a product counts as left out only if it is there now.
  const again = await walk(context, whole.category, whole.limit, longestWalk, context.ask);
  const stillThere = leftOut.intersection(new Set(again.products));
  const [missing] = placesInWalk(whole.pages, [...stillThere][0] ?? "", context.fieldNames);
  if (missing === undefined) return passed({ code: "walk-ended", ...walked });
  const anew = await once();
  const leftOutAnew = before.intersection(new Set(again.products)).difference(new Set(anew.products));
  if (!(await isSystematic([...stillThere], [...leftOutAnew], [whole, other, again, anew], context)))
    return passed({ code: "walk-ended", ...walked });
  const count = stillThere.size;
  return failed(
    {
      code: "item-missing",
      subject: whole.category,
      ...seenAt(missing, count),
      details: { limit: changingLimits.slice(0, -1).join(", ") },
    },
    missing.page,
    ...other.pages.slice(-2),
  );
}

function seenAt({ path, product }: PlaceInWalk, count: number): SharedFields {
  return { path, ...identityOf(product), seen: { count, of: "products" } };
}

/**
 * The failure for products that appear more than once in a walk, and again when it is repeated; it shows two places of
 * the first one. Undefined when there are none, or when a change of the catalog explains them.
 *
 * @param repeat makes the same walk again
 */
async function repetition(
  made: Walk,
  context: CheckContext,
  repeat = (): Promise<Walk> => walk(context, made.category, made.limit, longestWalk, context.ask),
): Promise<Outcome | undefined> {
  const names = repeatedIn(made.products);
  if (names.length === 0) return undefined;
  const anew = await repeat();
  if (!(await isSystematic(names, repeatedIn(anew.products), [made, anew], context))) return undefined;
  const { pages, category, limit } = made;
  const [first, second] = placesInWalk(pages, names[0] ?? "", context.fieldNames) as [
    PlaceInWalk,
    PlaceInWalk,
  ];
  const onTwoPages = first.page !== second.page;
  const finding: Finding = {
    code: "item-repeated",
    subject: category,
    ...seenAt(second, names.length),
    details: limit === undefined ? undefined : { limit },
    comparedWith: onTwoPages ? 1 : 0,
    comparedPath: first.path,
  };
  return failed(finding, second.page, ...(onTwoPages ? [first.page] : []));
}

/**
 * Whether products that are repeated or missing in a walk, and others in the same walk made anew, show a fault. A
 * product that enters or leaves the catalog during a walk moves the others to another page: then some product is
 * repeated or missing once, but not the same one in both walks.
 *
 * @param walks all walks so far; the last one was made last
 */
async function isSystematic(
  names: readonly string[],
  namesAnew: readonly string[],
  walks: readonly Walk[],
  context: CheckContext,
): Promise<boolean> {
  if (namesAnew.some((name) => names.includes(name))) return true;
  return namesAnew.length > 0 && !(await haveLeft(walks, context));
}

/** Whether a product that an earlier walk returned has left the catalog: it is not found by its id either. */
async function haveLeft(walks: readonly Walk[], { ask, fieldNames }: CheckContext): Promise<boolean> {
  const last = new Set(walks.at(-1)?.products);
  const gone = walks.flatMap(({ pages, products }) =>
    products.flatMap((name) => (last.has(name) ? [] : placesInWalk(pages, name, fieldNames).slice(0, 1))),
  );
  for (const { product } of gone.slice(0, goneToLookUp)) {
    const { response } = await ask(byId(String(product.retailer), String(product.product_id)));
    if (response.status === 404) return true;
  }
  return false;
}

function walkEnded({ category, pages, products }: Walk): Finding {
  return {
    code: "walk-ended",
    subject: category,
    seen: { count: pages.length, of: "pages" },
    details: { products: products.length },
  };
}

/** The products that occur more than once. */
function repeatedIn(products: readonly string[]): string[] {
  const seen = new Set<string>();
  return [...new Set(products.filter((product) => seen.size === seen.add(product).size))];
}
