import type { Exchange } from "../client/exchange.ts";
import { byId, byUrl, retailers } from "../client/requests.ts";
import type { ProductFixture } from "../discovery/fixtures.ts";
import { NotJudged, type Outcome, reasonOf } from "../requirements/outcome.ts";
import { carriesGtin } from "../response/gtin.ts";
import { slugsIn } from "../response/readers.ts";
import type { CheckContext } from "../suite/check/check.ts";
import { browsedProducts } from "../suite/check/inputs.ts";
import { pagesOfOwnSize, walk } from "../suite/walk.ts";
import type { Session } from "./session.ts";

type Identity = Pick<ProductFixture, "retailer" | "productId">;

/** Most products of a failed attempt to look up again. */
const mostToLookFor = 10;

/**
 * Why a failed attempt does not count: a retailer was granted or withdrawn since discovery, or a product left the catalog.
 * Undefined if all is still there.
 * @param exchanges those of the failed attempt
 * @param named the products that its findings are about
 */
export async function changeSince(
  exchanges: readonly Exchange[],
  session: Session,
  signal: AbortSignal,
  named: readonly Identity[],
): Promise<Outcome | undefined> {
  const context = session.context([], { fresh: true, signal });
  // A finding may name what was returned in place of another product, which no page ever showed: that has not left.
  const names = new Set(named.map(nameOf));
  const shown = new Map(
    [...context.fixtures.products, ...browsedProducts(context)].map((one) => [nameOf(one), one]),
  );
  const isNamed = (product: ProductFixture) => names.has(nameOf(product));
  const asked = exchanges.map(({ request: { url, body } }) => ({
    url,
    body,
    gtin: new URL(url).searchParams.get("gtin"),
  }));
  const concerned = [...shown.values()]
    .filter((product) => isNamed(product) || isAskedFor(product, asked, context))
    .toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)));
  try {
    const subject = await changedRetailer(context, exchanges, concerned);
    if (subject !== undefined) return new NotJudged({ code: "catalog-changed", subject }).outcome();
    const product = await goneProduct(context, concerned.slice(0, mostToLookFor));
    return product && new NotJudged({ code: "catalog-changed", product }).outcome();
  } catch (error) {
    // Without a response, nothing explains the failure.
    reasonOf(error);
    return undefined;
  }
}

function nameOf({ retailer, productId }: Identity): string {
  return `${retailer} / ${productId}`;
}

/** Whether any of these requests is for the product. */
function isAskedFor(
  { retailer, productId, url: page, product }: ProductFixture,
  asked: readonly {
    readonly url: string;
    readonly body?: string | undefined;
    readonly gtin: string | null;
  }[],
  { fieldNames }: CheckContext,
): boolean {
  const paths = [byId(retailer, productId).path, ...(page === undefined ? [] : [byUrl(page).path])];
  const texts = [retailer, productId].map((text) => JSON.stringify(text));
  return asked.some(
    ({ url, body, gtin }) =>
      paths.some((path) => url.endsWith(path)) ||
      (gtin !== null && carriesGtin(product, gtin, fieldNames)) ||
      texts.every((text) => body?.includes(text) === true),
  );
}

/** One of these products that is no longer found by id nor on category pages. */
async function goneProduct(
  context: CheckContext,
  products: readonly Identity[],
): Promise<Identity | undefined> {
  for (const { retailer, productId } of products) {
    const { response } = await context.ask(byId(retailer, productId));
    if (response.status !== 404) continue;
    const pages = context.fixtures.categories.map(({ category }) =>
      context.once(`walk of ${category}`, () => walk(context, category, { longest: pagesOfOwnSize })),
    );
    const shown = (await Promise.all(pages)).flatMap((one) => one.products);
    if (!shown.includes(nameOf({ retailer, productId }))) return { retailer, productId };
  }
  return undefined;
}

/** A retailer of these exchanges or products that was granted or withdrawn since discovery, as two equal lists show. */
async function changedRetailer(
  { ask, fixtures }: CheckContext,
  exchanges: readonly Exchange[],
  concerned: readonly Identity[],
): Promise<string | undefined> {
  const list = async (caller: "primary" | "otherOrg") =>
    new Set(slugsIn((await ask({ ...retailers(), caller })).response.json));
  const { retailers: first, otherRetailers: second } = fixtures;
  for (const [caller, own, other] of [
    ["primary", first, second],
    ["otherOrg", second, first],
  ] as const) {
    if (!own.present) continue;
    const before = new Set(own.value);
    const [now, again] = [await list(caller), await list(caller)];
    // Lists in the wrong hands are a fault of the target, and so are lists that differ from one request to the next.
    const isWrong =
      now.isDisjointFrom(before) ||
      (other.present && isEqual(now, new Set(other.value))) ||
      !isEqual(now, again);
    const isConcerned = (slug: string) =>
      concerned.some(({ retailer }) => retailer === slug) || exchanges.some((one) => mentions(one, slug));
    const changed = isWrong ? undefined : [...now.symmetricDifference(before)].find(isConcerned);
    if (changed !== undefined) return changed;
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
