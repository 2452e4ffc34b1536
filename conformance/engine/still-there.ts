import type { Exchange } from "../client/exchange.ts";
import { byId, byUrl, retailers } from "../client/requests.ts";
import type { ProductFixture } from "../discovery/fixtures.ts";
import { NotJudged, type Outcome, reasonOf } from "../requirements/outcome.ts";
import { carriesGtin } from "../response/gtin.ts";
import { slugsIn } from "../response/readers.ts";
import type { CheckContext } from "../suite/check/check.ts";
import { browsedProducts } from "../suite/check/inputs.ts";
import { pagesOfOwnSize, walk } from "../suite/walk.ts";

type Identity = Pick<ProductFixture, "retailer" | "productId">;

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
    // Without a response, nothing explains the failure.
    reasonOf(error);
    return undefined;
  }
}

/** The products of the catalog that a failure is about: those that findings name, then those asked for. */
function concernedBy(
  exchanges: readonly Exchange[],
  named: readonly Identity[],
  context: CheckContext,
): ProductFixture[] {
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
  const shown = [...context.fixtures.products, ...browsedProducts(context)];
  const { first = [], then = [] } = Object.groupBy(
    new Map(shown.map((one) => [nameOf(one), one])).values(),
    (product) => (names.has(nameOf(product)) ? "first" : isAskedFor(product) ? "then" : "others"),
  );
  return [...first, ...then];
}

function nameOf({ retailer, productId }: Identity): string {
  return `${retailer} / ${productId}`;
}

/** One of these products that is no longer found by id nor on category pages. */
async function goneProduct(
  context: CheckContext,
  products: readonly Identity[],
): Promise<Outcome | undefined> {
  for (const { retailer, productId } of products) {
    const exchange = await context.ask(byId(retailer, productId));
    if (exchange.response.status !== 404) continue;
    const pages = context.fixtures.categories.map(({ category }) =>
      context.once(`walk of ${category}`, () => walk(context, category, { longest: pagesOfOwnSize })),
    );
    const shown = (await Promise.all(pages)).flatMap(({ products }) => products);
    const product = { retailer, productId };
    if (shown.some(({ name }) => name === nameOf(product))) continue;
    return new NotJudged({ code: "catalog-changed", product }, { exchange }).outcome();
  }
  return undefined;
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
    return new NotJudged({ code: "catalog-changed", subject }, { exchange }).outcome();
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
