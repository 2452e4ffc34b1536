import type { Exchange } from "../client/exchange.ts";
import { byId, byUrl, retailers } from "../client/requests.ts";
import type { ProductFixture } from "../discovery/fixtures.ts";
import { NotJudged, type Outcome, reasonOf } from "../requirements/outcome.ts";
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
  const { named: shown = [], others = [] } = Object.groupBy(listedProducts(context), (product) =>
    names.has(nameOf(product)) ? "named" : "others",
  );
  const concerned = [
    ...shown,
    ...others.filter((product) => exchanges.some((one) => requestsProduct(one, product))),
  ];
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

/** The products that pages showed to the first organization, with their GTINs where these are known. */
function listedProducts(context: CheckContext): readonly ProductFixture[] {
  const { products, productsByGtin, unfoundByGtin, sharedGtins } = context.fixtures;
  const withGtin = productsByGtin.present ? productsByGtin.value : [];
  const all = [...products, ...browsedProducts(context), ...unfoundByGtin, ...sharedGtins, ...withGtin];
  return [...new Map(all.map((product) => [nameOf(product), product])).values()];
}

function nameOf({ retailer, productId }: Identity): string {
  return `${retailer} / ${productId}`;
}

function requestsProduct({ request }: Exchange, product: ProductFixture): boolean {
  const { retailer, productId, url, gtin } = product;
  return (
    request.url.endsWith(byId(retailer, productId).path) ||
    (url !== undefined && request.url.endsWith(byUrl(url).path)) ||
    (gtin !== undefined && new URL(request.url).searchParams.get("gtin") === gtin) ||
    [retailer, productId].every((text) => request.body?.includes(JSON.stringify(text)) === true)
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
    const changed = isWrong
      ? undefined
      : [...now.symmetricDifference(before)].find(
          (slug) =>
            concerned.some(({ retailer }) => retailer === slug) ||
            exchanges.some((exchange) => mentions(exchange, slug)),
        );
    if (changed !== undefined) return changed;
  }
  return undefined;
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.symmetricDifference(other).size === 0;
}

function mentions({ request, response }: Exchange, slug: string): boolean {
  const texts = [request.body ?? "", JSON.stringify(response.json) ?? ""];
  return (
    request.url.includes(encodeURIComponent(slug)) ||
    texts.some((text) => text.includes(JSON.stringify(slug)))
  );
}
