import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Exchange } from "../client/exchange.ts";
import { byId, byUrl, retailers } from "../client/requests.ts";
import { slugsIn } from "../discovery/browsing.ts";
import type { GtinFixture, ProductFixture } from "../discovery/fixtures.ts";
import { NotJudged, type Outcome } from "../requirements/outcome.ts";
import { productsIn, someProductsIn } from "../response/products-in.ts";
import type { CheckContext } from "../suite/check/check.ts";
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
  try {
    const subject = await retailerOfOtherAccess(context, exchanges);
    if (subject !== undefined) return new NotJudged({ code: "catalog-changed", subject }).outcome();
    const gone = await goneProduct(context, exchanges, named);
    if (gone === undefined) return undefined;
    const { retailer, productId } = gone;
    return new NotJudged({ code: "catalog-changed", product: { retailer, productId } }).outcome();
  } catch (error) {
    // Without a response, nothing explains the failure.
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
  named: readonly Identity[],
): Promise<Identity | undefined> {
  const asked = knownProducts(context).filter((product) =>
    exchanges.some((exchange) => requestsProduct(exchange, product)),
  );
  // A finding may name what was returned in place of another product, which no page ever showed, or what the first
  // organization never sees.
  const pages = context.exchanges.filter(
    ({ endpoint, caller }) => endpoint === "category-page" && caller === "primary",
  );
  const listed = pages.flatMap((page) => someProductsIn(page, context.fieldNames));
  const known = named.filter((one) =>
    listed.some(({ product }) => product.retailer === one.retailer && product.product_id === one.productId),
  );
  const once = new Map(
    [...known, ...asked].map((product) => [`${product.retailer}\n${product.productId}`, product]),
  );
  for (const product of [...once.values()].slice(0, mostToLookFor)) {
    const { response } = await context.ask(byId(product.retailer, product.productId));
    if (response.status === 404 && !(await isShown(product, context))) return product;
  }
  return undefined;
}

function knownProducts({ fixtures }: CheckContext): readonly (ProductFixture | GtinFixture)[] {
  const { products, productsByGtin, unfoundByGtin, sharedGtins } = fixtures;
  return [
    ...(productsByGtin.present ? productsByGtin.value : []),
    ...unfoundByGtin,
    ...sharedGtins,
    ...products,
  ];
}

function requestsProduct({ request }: Exchange, product: ProductFixture): boolean {
  const { retailer, productId, url, gtin } = product;
  if (request.url.endsWith(byId(retailer, productId).path)) return true;
  if (url !== undefined && request.url.endsWith(byUrl(url).path)) return true;
  if (gtin !== undefined && new URL(request.url).searchParams.get("gtin") === gtin) return true;
  return [retailer, productId].every((text) => request.body?.includes(JSON.stringify(text)) === true);
}

async function isShown({ retailer, productId }: Identity, context: CheckContext): Promise<boolean> {
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

/** A retailer in these exchanges that was granted or withdrawn since discovery, as two equal lists show. */
async function retailerOfOtherAccess(
  context: CheckContext,
  exchanges: readonly Exchange[],
): Promise<string | undefined> {
  const { fixtures, fieldNames } = context;
  const ofRetailer = Map.groupBy(knownProducts(context), ({ retailer }) => retailer);
  const isAbout = (slug: string) =>
    exchanges.some(
      (exchange) =>
        mentions(exchange, slug, fieldNames) ||
        ofRetailer.get(slug)?.some((product) => requestsProduct(exchange, product)) === true,
    );
  const lists = [
    ["primary", fixtures.retailers, fixtures.otherRetailers],
    ["otherOrg", fixtures.otherRetailers, fixtures.retailers],
  ] as const;
  for (const [caller, own, other] of lists) {
    if (!own.present) continue;
    const before = new Set(own.value);
    const [now, again] = [await listOf(caller, context), await listOf(caller, context)];
    // Lists in the wrong hands are a fault of the target, and so are lists that differ from one request to the next.
    const isWrong =
      now.isDisjointFrom(before) ||
      (other.present && isEqual(now, new Set(other.value))) ||
      !isEqual(now, again);
    const changed = isWrong ? undefined : [...now.symmetricDifference(before)].find(isAbout);
    if (changed !== undefined) return changed;
  }
  return undefined;
}

async function listOf(caller: "primary" | "otherOrg", { ask }: CheckContext): Promise<ReadonlySet<string>> {
  return new Set(slugsIn((await ask({ ...retailers(), caller })).response.json));
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.symmetricDifference(other).size === 0;
}

function mentions(exchange: Exchange, slug: string, fieldNames: FieldNames): boolean {
  const { url, body } = exchange.request;
  return (
    url.includes(encodeURIComponent(slug)) ||
    body?.includes(JSON.stringify(slug)) === true ||
    productsIn(exchange, fieldNames).some(({ product }) => product.retailer === slug) ||
    slugsIn(exchange.response.json).includes(slug)
  );
}
