import { itemName } from "../../schemas/accounts.ts";
import type { Exchange } from "../client/exchange.ts";
import { byId, byUrl, retailers } from "../client/requests.ts";
import type { Identity, ProductFixture } from "../discovery/fixtures.ts";
import { NotJudged, type Outcome, reasonOf } from "../requirements/outcome.ts";
import { carriesGtin } from "../response/products-in.ts";
import { slugsIn } from "../response/readers.ts";
import type { CheckContext } from "../suite/check/check.ts";
import { browsedProducts, itemOf, lookupOf } from "../suite/check/inputs.ts";
import { pagesOfOwnSize, walk } from "../suite/walk.ts";

/** A product, and whose pages showed it. */
type Shown = ProductFixture & { readonly caller: "primary" | "otherOrg" };

const mostToLookFor = 10;

/**
 * Why a failed attempt does not count: access changed since discovery, or a product left. Undefined if
 * neither.
 * @param exchanges those of the failed attempt
 * @param named the products that its findings are about
 */
export async function changeSince(
  exchanges: readonly Exchange[],
  context: CheckContext,
  named: readonly Identity[],
): Promise<Outcome | undefined> {
  const concerned = concernedBy(exchanges, named, context);
  try {
    return (
      (await changedRetailer(context, exchanges, concerned)) ??
      (await goneProduct(context, concerned.slice(0, mostToLookFor)))
    );
  } catch (error) {
    const reason = reasonOf(error);
    // Without a response, nothing explains the failure. With none left to ask for, it may well have left.
    return reason.code === "budget-spent" ? new NotJudged(reason).outcome() : undefined;
  }
}

/** The products of the catalog that a failure is about: those that findings name, then those asked for. */
function concernedBy(
  exchanges: readonly Exchange[],
  named: readonly Identity[],
  context: CheckContext,
): Shown[] {
  const urls = exchanges.map(({ request }) => request.url);
  const bodies = exchanges.flatMap(({ request }) => request.body ?? []);
  const gtins = urls.flatMap((url) => new URL(url).searchParams.getAll("gtin"));
  const isAskedFor = ({ retailer, productId, url: page, product }: ProductFixture) => {
    const paths = [byId(retailer, productId).path, ...(page === undefined ? [] : [byUrl(page).path])];
    const item = [retailer, productId].map((text) => JSON.stringify(text));
    return (
      urls.some((url) => paths.some((path) => url.endsWith(path))) ||
      gtins.some((gtin) => carriesGtin(product, gtin, context.fieldNames)) ||
      bodies.some((body) => item.every((text) => body.includes(text)))
    );
  };
  // A finding may name what was returned instead, which no page ever showed: that has not left.
  const names = new Set(named.map(nameOf));
  const shown = new Map([...shownTo("otherOrg", context), ...shownTo("primary", context)]);
  const { first = [], then = [] } = Object.groupBy(shown.values(), (product) =>
    names.has(nameOf(product)) ? "first" : isAskedFor(product) ? "then" : "others",
  );
  return [...first, ...then];
}

/** By name, the products that pages have shown so far with a key. */
function shownTo(caller: Shown["caller"], context: CheckContext): Map<string, Shown> {
  const own = caller === "primary" ? context.fixtures.products : [];
  return new Map(
    [...own, ...browsedProducts(context, caller)].map((one) => [nameOf(one), { ...one, caller }]),
  );
}

function nameOf(product: Identity): string {
  return itemName(itemOf(product)) ?? "";
}

/** One of these products that is no longer found by id nor on category pages. */
async function goneProduct(context: CheckContext, products: readonly Shown[]): Promise<Outcome | undefined> {
  for (const { retailer, productId, caller } of products) {
    const product = { retailer, productId };
    const exchange = await context.ask(lookupOf(product, caller));
    if (exchange.response.status !== 404) continue;
    // What an earlier walk missed need not be looked for again: a walk is dear where many products leave.
    const name = `left the pages of ${caller}`;
    const isGone =
      (await context.cached<ReadonlySet<string>>(name))?.has(nameOf(product)) ||
      (await context.once(name, () => leftPages(caller, context))).has(nameOf(product));
    if (isGone) return new NotJudged({ code: "catalog-changed", product }, exchange).outcome();
  }
  return undefined;
}

/** The names of products that pages showed with this key, and show no more. */
async function leftPages(caller: Shown["caller"], context: CheckContext): Promise<ReadonlySet<string>> {
  const names = new Set(shownTo(caller, context).keys());
  // A first page that checks share may be older.
  const anew = { ...context, shared: context.ask };
  const walks = context.fixtures.categories.map(({ category }) =>
    walk(anew, category, { longest: pagesOfOwnSize, caller }),
  );
  const shown = (await Promise.all(walks)).flatMap(({ products }) => products);
  return names.difference(new Set(shown.map(({ name }) => name)));
}

/** A retailer that was granted or withdrawn since discovery, as two equal lists show. */
async function changedRetailer(
  { ask, fixtures: { retailers: first, otherRetailers: second } }: CheckContext,
  exchanges: readonly Exchange[],
  concerned: readonly Identity[],
): Promise<Outcome | undefined> {
  const isConcerned = (slug: string) =>
    concerned.some(({ retailer }) => retailer === slug) || exchanges.some((one) => mentions(one, slug));
  for (const [caller, own, other] of [
    ["primary", first, second],
    ["otherOrg", second, first],
  ] as const) {
    if (!own.present) continue;
    const list = async () => {
      const exchange = await ask({ ...retailers(), caller });
      return { exchange, slugs: new Set(slugsIn(exchange.response.json)) };
    };
    const [{ exchange, slugs: now }, { slugs: again }] = [await list(), await list()];
    // Lists in the wrong hands, or that differ from one request to the next, are a fault of the target.
    const isWrong =
      now.isDisjointFrom(new Set(own.value)) ||
      (other.present && isEqual(now, new Set(other.value))) ||
      !isEqual(now, again);
    const subject = [...now.symmetricDifference(new Set(own.value))].find(isConcerned);
    if (isWrong || subject === undefined) continue;
    return new NotJudged({ code: "catalog-changed", subject }, exchange).outcome();
  }
  return undefined;
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.symmetricDifference(other).size === 0;
}

function mentions({ request, response }: Exchange, slug: string): boolean {
  const texts = `${request.body} ${JSON.stringify(response.json)}`;
  return request.url.includes(encodeURIComponent(slug)) || texts.includes(JSON.stringify(slug));
}
