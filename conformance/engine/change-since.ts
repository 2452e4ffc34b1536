import type { Exchange } from "../client/exchange.ts";
import { byId, byUrl, retailers } from "../client/requests.ts";
import { slugsIn } from "../discovery/browsing.ts";
import type { GtinFixture, ProductFixture } from "../discovery/fixtures.ts";
import { productsIn } from "../response/products-in.ts";
import { pagesOfOwnSize, walk } from "../suite/walk.ts";
import type { CheckContext } from "./check.ts";
import { NotJudged, type Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";

/** Most products of a failed attempt to look up again. */
const mostToLookFor = 10;

/**
 * What changed since discovery and explains a failure without blaming the target: a product that left the catalog, or
 * a retailer that was granted or withdrawn. Undefined if nothing did.
 * @param exchanges Those of the failed attempt.
 */
export async function changeSince(
  exchanges: readonly Exchange[],
  session: Session,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    const context = session.context([], { fresh: true, signal });
    const product = await goneProduct(context, exchanges);
    if (product !== undefined) {
      const { retailer, productId } = product;
      return new NotJudged({ code: "product-gone", product: { retailer, productId } }).outcome();
    }
    const retailer = await retailerOfOtherAccess(context, exchanges);
    return retailer === undefined
      ? undefined
      : new NotJudged({ code: "access-changed", subject: retailer }).outcome();
  } catch (error) {
    // Without a response, the failure seen twice stands.
    if (error instanceof NotJudged) return undefined;
    throw error;
  }
}

/**
 * A product that these exchanges looked up and that has left the catalog since discovery: it is no longer found by id
 * nor on category pages. It explains the failure without blaming the target. Undefined when none has left.
 */
async function goneProduct(
  context: CheckContext,
  exchanges: readonly Exchange[],
): Promise<ProductFixture | undefined> {
  const { products, productsByGtin, unfoundByGtin, sharedGtins } = context.fixtures;
  const known: readonly (ProductFixture | GtinFixture)[] = [
    ...(productsByGtin.present ? productsByGtin.value : []),
    ...unfoundByGtin,
    ...sharedGtins,
    ...products,
  ];
  const asked = known.filter((product) => exchanges.some((exchange) => asksFor(exchange, product)));
  const once = new Map(asked.map((product) => [`${product.retailer}\n${product.productId}`, product]));
  for (const product of [...once.values()].slice(0, mostToLookFor)) {
    const { response } = await context.ask(byId(product.retailer, product.productId));
    if (response.status === 404 && !(await isShown(product, context))) return product;
  }
  return undefined;
}

function asksFor({ request }: Exchange, product: ProductFixture): boolean {
  const { retailer, productId, url, gtin } = product;
  if (request.url.endsWith(byId(retailer, productId).path)) return true;
  if (url !== undefined && request.url.endsWith(byUrl(url).path)) return true;
  if (gtin !== undefined && new URL(request.url).searchParams.get("gtin") === gtin) return true;
  return [retailer, productId].every((text) => request.body?.includes(JSON.stringify(text)) === true);
}

async function isShown({ retailer, productId }: ProductFixture, context: CheckContext): Promise<boolean> {
  const shown = await context.once("browsed again", () => browseAgain(context));
  return shown.has(`${retailer} / ${productId}`);
}

async function browseAgain(context: CheckContext): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  for (const { category } of context.fixtures.categories) {
    const { products } = await walk(context, category, undefined, pagesOfOwnSize, context.ask);
    for (const product of products) shown.add(product);
  }
  return shown;
}

const organizations = ["primary", "otherOrg"] as const;

/** A retailer in these exchanges that an organization may access now and could not during discovery, or the reverse. */
async function retailerOfOtherAccess(
  context: CheckContext,
  exchanges: readonly Exchange[],
): Promise<string | undefined> {
  const { fixtures, dialect } = context;
  if (!fixtures.retailers.present || !fixtures.otherRetailers.present) return undefined;
  const before = {
    primary: new Set(fixtures.retailers.value),
    otherOrg: new Set(fixtures.otherRetailers.value),
  };
  const isAbout = (slug: string) => exchanges.some((exchange) => mentions(exchange, slug, dialect));
  const unentitled = fixtures.unentitledRetailer;
  const isAboutAccess =
    exchanges.some(({ caller, response }) => caller === "otherOrg" || response.status === 403) ||
    (unentitled.present && isAbout(unentitled.value));
  if (!isAboutAccess) return undefined;
  const lists: Record<(typeof organizations)[number], ReadonlySet<string>[]> = { primary: [], otherOrg: [] };
  for (const caller of [...organizations, ...organizations]) {
    const { response } = await context.ask({ ...retailers(), caller });
    if (response.status !== 200) return undefined;
    lists[caller].push(new Set(slugsIn(response.json)));
  }
  return organizations
    .flatMap((caller) => {
      const other = caller === "primary" ? "otherOrg" : "primary";
      const [now = new Set(), again = new Set()] = lists[caller];
      // Lists in the wrong hands are a fault of the target, and so are lists that differ from one request to the next.
      const isOwn =
        isEqual(now, again) && !isEqual(now, before[other]) && !now.isDisjointFrom(before[caller]);
      return isOwn ? [...now.symmetricDifference(before[caller])] : [];
    })
    .find(isAbout);
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.symmetricDifference(other).size === 0;
}

function mentions(exchange: Exchange, slug: string, dialect: CheckContext["dialect"]): boolean {
  const { url, body } = exchange.request;
  return (
    url.includes(encodeURIComponent(slug)) ||
    body?.includes(JSON.stringify(slug)) === true ||
    productsIn(exchange, dialect).some(({ product }) => product.retailer === slug) ||
    slugsIn(exchange.response.json).includes(slug)
  );
}
