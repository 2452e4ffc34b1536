import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Exchange } from "../client/exchange.ts";
import { NotJudged, type Outcome } from "../client/outcome.ts";
import { byId, byUrl, retailers } from "../client/requests.ts";
import { slugsIn } from "../discovery/browsing.ts";
import type { GtinFixture, ProductFixture } from "../discovery/fixtures.ts";
import { productsIn } from "../response/products-in.ts";
import type { CheckContext } from "../suite/check/check.ts";
import { pagesOfOwnSize, walk } from "../suite/walk.ts";
import type { Session } from "./session.ts";

/** Most products of a failed attempt to look up again. */
const mostToLookFor = 10;

/**
 * What changed since discovery and explains a failure without blaming the target: a retailer that was granted or
 * withdrawn, or a product that left the catalog. Undefined if nothing did.
 * @param exchanges Those of the failed attempt.
 */
export async function changeSince(
  exchanges: readonly Exchange[],
  session: Session,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  return (
    (await accessChangeSince(exchanges, session, signal)) ??
    (await unlessNoResponse(async () => {
      const product = await goneProduct(session.context([], { fresh: true, signal }), exchanges);
      if (product === undefined) return undefined;
      const { retailer, productId } = product;
      return new NotJudged({ code: "product-gone", product: { retailer, productId } }).outcome();
    }))
  );
}

/**
 * Like changeSince, for retailers alone. A retailer may be disabled for a second, so this is called right after the
 * failed attempt.
 */
export async function accessChangeSince(
  exchanges: readonly Exchange[],
  session: Session,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  return await unlessNoResponse(async () => {
    const context = session.context([], { fresh: true, signal });
    const retailer = await retailerOfOtherAccess(context, exchanges);
    return retailer === undefined
      ? undefined
      : new NotJudged({ code: "access-changed", subject: retailer }).outcome();
  });
}

/** Without a response, nothing explains the failure. */
async function unlessNoResponse(find: () => Promise<Outcome | undefined>): Promise<Outcome | undefined> {
  try {
    return await find();
  } catch (error) {
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
  const asked = knownProducts(context).filter((product) =>
    exchanges.some((exchange) => requestsProduct(exchange, product)),
  );
  const once = new Map(asked.map((product) => [`${product.retailer}\n${product.productId}`, product]));
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
/** Times to request a list of retailers, which must be the same each time. */
const listsToCompare = 2;
/** A retailer that is withdrawn and granted again changes twice. One that changes more often is in stale lists. */
const mostChanges = 2;

/**
 * A retailer in these exchanges whose access has changed since discovery. One that was withdrawn or disabled explains
 * every failure with its products; one that was granted only failures about access.
 */
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
  const unentitled = fixtures.unentitledRetailer;
  const isAboutAccess =
    exchanges.some(({ caller, response }) => caller === "otherOrg" || response.status === 403) ||
    (unentitled.present && isAbout(unentitled.value));
  const since = Math.min(...exchanges.map(({ number }) => number));
  for (const caller of isAboutAccess ? organizations : (["primary"] as const)) {
    const change = await changeOfAccess(caller, context, since);
    const explaining = [...(change?.withdrawn ?? []), ...(isAboutAccess ? (change?.granted ?? []) : [])];
    const retailer = explaining.find(isAbout);
    if (retailer !== undefined) return retailer;
  }
  return undefined;
}

/**
 * The retailers that an organization got and lost since discovery, by its lists of now and by those that any check
 * received since an exchange. Undefined if the lists do not show that reliably.
 * @param since Number of the exchange.
 */
async function changeOfAccess(
  caller: (typeof organizations)[number],
  { fixtures, ask, exchanges }: CheckContext,
  since: number,
): Promise<Record<"granted" | "withdrawn", ReadonlySet<string>> | undefined> {
  const listOf = { primary: fixtures.retailers, otherOrg: fixtures.otherRetailers };
  const [own, other] = [listOf[caller], listOf[caller === "primary" ? "otherOrg" : "primary"]];
  if (!own.present) return undefined;
  const before = new Set(own.value);
  const lists: ReadonlySet<string>[] = [];
  for (let count = 0; count < listsToCompare; count++) {
    const { response } = await ask({ ...retailers(), caller });
    if (response.status !== 200) return undefined;
    lists.push(new Set(slugsIn(response.json)));
  }
  const [now = before] = lists;
  // Lists in the wrong hands are a fault of the target, and so are lists that differ from one request to the next.
  const isWrong = (list: ReadonlySet<string>) =>
    (other.present && isEqual(list, new Set(other.value))) || list.isDisjointFrom(before);
  if (isWrong(now) || !lists.every((list) => isEqual(now, list))) return undefined;
  const all = exchanges
    .filter((one) => one.endpoint === "retailers" && one.caller === caller && one.response.status === 200)
    .map(({ number, response }) => ({ number, list: new Set(slugsIn(response.json)) }));
  const isStable = (slug: string) => changesOf(all.map(({ list }) => list.has(slug))) <= mostChanges;
  const recent = all.filter(({ number, list }) => number >= since && !isWrong(list)).map(({ list }) => list);
  const slugs = (difference: (list: ReadonlySet<string>) => ReadonlySet<string>) =>
    new Set(recent.flatMap((list) => [...difference(list)]).filter(isStable));
  return {
    granted: slugs((list) => list.difference(before)),
    withdrawn: slugs((list) => before.difference(list)),
  };
}

/** How often a value differs from the one before it. */
function changesOf(values: readonly boolean[]): number {
  return values.filter((value, index) => index > 0 && value !== values[index - 1]).length;
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
