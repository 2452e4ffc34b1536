import { itemName } from "../../../schemas/accounts.ts";
import { type EndpointId, endpoints } from "../../../schemas/api.ts";
import { headersOf } from "../../../schemas/connection.ts";
import type { Exchange } from "../../client/exchange.ts";
import {
  type BatchItem,
  batch,
  byCategory,
  byGtin,
  byId,
  byUrl,
  type Request,
  retailers,
} from "../../client/requests.ts";
import type { Caller } from "../../client/target.ts";
import { fixtureOf } from "../../discovery/browsing.ts";
import { type Fixtures, type Identity, need, orNone, type ProductFixture } from "../../discovery/fixtures.ts";
import { covering, kindsOf, oneOfEachRetailerFirst, sparsest } from "../../discovery/identifiers.ts";
import { unknownProductIds } from "../../discovery/unknown-values.ts";
import { carriesGtin, productsIn } from "../../response/products-in.ts";
import { countersOf, isSameItem, productOf } from "../../response/readers.ts";
import type { CheckContext } from "./check.ts";

// Inputs of checks: requests that succeed, batch items, and products that do not exist.

// One of each retailer, where possible.
const itemsInBatch = 5;
/** Most times that a batch with upstream errors is sent. */
const batchAttempts = 4;

/** Items of a batch without the same field: so many tell what a lookup path puts there from chance. */
const timesWithout = 3;

export function lookupOf({ retailer, productId }: Identity, caller: Caller = "primary"): Request {
  return { ...byId(retailer, productId), caller };
}

/** A request of each endpoint that succeeds with the primary key. */
export const succeeding = {
  retailers: () => retailers(),
  "lookup-by-id": ({ fixtures }) => lookupOf(need(fixtures.product)),
  "lookup-by-url": ({ fixtures }) => byUrl(need(fixtures.productByUrl).url),
  "lookup-by-gtin": ({ fixtures }) => byGtin(need(fixtures.productsByGtin)[0].gtin),
  "category-page": ({ fixtures }) => byCategory(need(fixtures.category).category),
  batch: (context) => batch(knownItems(context, itemsInBatch), need(context.fixtures.batch)),
} as const satisfies Record<EndpointId, (context: CheckContext) => Request>;

/** The ways to look up one product; undefined where the product or the service lacks what it takes. */
export const productLookups: readonly ((
  product: ProductFixture,
  fixtures: Fixtures,
) => Request | undefined)[] = [
  (product) => lookupOf(product),
  ({ url }) => (url === undefined ? undefined : byUrl(url)),
  ({ gtin, retailer }) => (gtin === undefined ? undefined : byGtin(gtin, retailer)),
  ({ gtin }) => (gtin === undefined ? undefined : byGtin(gtin)),
  (product, { batch: names }) => (names.present ? batch([itemOf(product)], names.value) : undefined),
];

/** Names of the headers of the config, in lower case: a gateway may need them as they are. */
export function configuredHeaders({ target }: CheckContext): string[] {
  return Object.keys(headersOf(target.connection)).map((name) => name.toLowerCase());
}

/** For checks of each endpoint: its label, a request that succeeds, the stable ending of the check's id. */
export const eachEndpoint = (Object.keys(succeeding) as EndpointId[]).map((endpoint) => ({
  ending: endpoint.replace("lookup-", "").replace("category-page", "by-category"),
  label: endpoints[endpoint].label,
  request: succeeding[endpoint],
}));

/**
 * A product that is refused to the first organization; to the other one, if the first has all its retailers.
 * @throws NotJudged
 */
export function forbiddenProduct({ fixtures }: CheckContext) {
  const { unentitledProduct: foreign, ownProduct, productsByGtin, otherRetailers } = fixtures;
  if (!isGrantedAll(fixtures) || !ownProduct.present)
    return { product: need(foreign), grantedTo: "otherOrg", refusedTo: "primary" } as const;
  const granted = need(otherRetailers);
  const own = orNone(productsByGtin).find(({ retailer }) => !granted.includes(retailer));
  return { product: own ?? ownProduct.value, grantedTo: "primary", refusedTo: "otherOrg" } as const;
}

/** Whether the first organization has all retailers of the other one: none is known to be refused to it. */
export function isGrantedAll({ unentitledProduct: foreign }: CheckContext["fixtures"]): boolean {
  return !foreign.present && foreign.missing.code === "no-foreign-retailer";
}

export function itemOf({ retailer, productId }: Identity): BatchItem {
  return { retailer, product_id: productId };
}

/** At least one and at most `count` known products as batch items, one of each retailer first. */
export function knownItems({ fixtures }: CheckContext, count: number): [BatchItem, ...BatchItem[]] {
  return itemsFrom(need(fixtures.product), oneOfEachRetailerFirst(fixtures.products), count);
}

function itemsFrom(
  known: ProductFixture,
  others: readonly ProductFixture[],
  count: number,
): [BatchItem, ...BatchItem[]] {
  const first = itemOf(known);
  const more = others.map(itemOf).filter((item) => !isSameItem(item, first));
  return [first, ...more.slice(0, count - 1)];
}

type Browsing = "primary" | "otherOrg";
type Products = readonly ProductFixture[];

/** As `browsedProducts`, and what fails with a product is tried again with it. */
export function choosableProducts(context: CheckContext, by: Browsing = "primary"): Products {
  const chosen = context.choices.get(by) ?? browsedProducts(context, by);
  context.choices.set(by, chosen);
  return chosen;
}

/** Of the category pages with a key so far, in discovery and in checks. */
export function browsedProducts(context: CheckContext, by: Browsing = "primary"): Products {
  const { exchanges, fixtures, fieldNames } = context;
  const pages = exchanges.filter(({ endpoint, caller }) => endpoint === "category-page" && caller === by);
  const { products, retailers, otherRetailers } = fixtures;
  const list = by === "primary" ? retailers : otherRetailers;
  const browsed = pages.flatMap((page) =>
    productsIn(page, fieldNames).flatMap(({ product }) => fixtureOf(product) ?? []),
  );
  const listed = new Set(orNone(list));
  const all = [...(by === "primary" ? products : []), ...browsed].filter(
    ({ retailer, productId }) => (!list.present || listed.has(retailer)) && isPathSegment(productId),
  );
  return [...new Map(all.map((one) => [itemName(itemOf(one)), one] as const)).values()];
}

/** A small selection that covers every retailer and every kind of id, up to a number. */
export function ofEveryKind(products: readonly ProductFixture[], most: number): ProductFixture[] {
  return covering(products, (one) => kindsOf(one, "product_id", one.productId), most);
}

/**
 * Up to `count` distinct products as batch items: one of every kind, some without each field, others from all
 * over the pages of the run, since the first pages of a sorted category are alike.
 */
export function variedItems(context: CheckContext, count: number): [BatchItem, ...BatchItem[]] {
  const all = choosableProducts(context);
  const step = Math.max(1, all.length / count);
  const spread = Array.from({ length: count }, (_, place) => all[Math.floor(place * step)]);
  // One of every kind, and some without each field.
  const telling = new Set([...ofEveryKind(all, all.length), ...lackingEachField(all)]);
  const varied = telling.union(new Set(spread.filter((one) => one !== undefined)));
  return itemsFrom(need(context.fixtures.product), [...varied], count);
}

/** Products that lack each field that others have, several times over, as far as there are so many. */
function lackingEachField(products: readonly ProductFixture[]): Set<ProductFixture> {
  const chosen = new Set<ProductFixture>();
  for (let time = 0; time < timesWithout; time++) {
    const left = products.filter((one) => !chosen.has(one));
    for (const one of sparsest(left, left.length)) chosen.add(one);
  }
  return chosen;
}

/** Whether a retailer is known to have a product with this GTIN. */
export function hasGtin({ fixtures, fieldNames }: CheckContext, slug: string, gtin: string): boolean {
  return fixtures.products.some(
    ({ retailer, product }) => retailer === slug && carriesGtin(product, gtin, fieldNames),
  );
}

/** Whether a text can be sent as a path segment: URLs are normalized, so `.` and `..` cannot. */
export function isPathSegment(text: string): boolean {
  return text !== "." && text !== "..";
}

/**
 * A batch of products that exist. With items as upstream errors, it is sent again, as a single lookup with
 * 502 or 504 is; other requests are sent once.
 * @param sendFirst sends it for the first time
 */
export async function sendBatch(
  request: Request,
  ask: CheckContext["ask"],
  sendFirst: CheckContext["ask"] = ask,
): Promise<Exchange> {
  let exchange = await sendFirst(request);
  for (let left = batchAttempts - 1; left > 0 && hasOtherErrors(exchange); left--)
    exchange = await ask(request);
  return exchange;
}

function hasOtherErrors(exchange: Exchange): boolean {
  return exchange.endpoint === "batch" && Number(countersOf(exchange).other_errors) > 0;
}

/** Known items, filled up with distinct made-up ones: a service may merge equal items. */
export function manyItems(known: readonly [BatchItem, ...BatchItem[]], count: number): BatchItem[] {
  const [{ retailer, product_id: id }] = known;
  const characters = [...id];
  const prefix = characters.slice(0, Math.floor(characters.length / 2)).join("");
  const taken = new Set(known.map(({ product_id }) => product_id));
  const madeUp = Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, "0")}`)
    .filter((productId) => !taken.has(productId))
    .slice(0, count - known.length);
  // Known items at both ends: a service may lose what exceeds a smaller limit of its own.
  const [last, ...others] = known.toReversed() as [BatchItem, ...BatchItem[]];
  return [...others.toReversed(), ...madeUp.map((productId) => ({ retailer, product_id: productId })), last];
}

/** A product id in the form of a known one that belongs to no product. */
export async function unknownProduct(context: CheckContext): Promise<Identity> {
  const [first] = await unknownProducts(context, 1);
  const { retailer, productId } = need(context.fixtures.product);
  return first ?? { retailer, productId: `${productId}-unknown` };
}

/**
 * Distinct ids in the form of a known one that belong to no product. Each is looked up first, since it may by
 * chance; by-id.unknown-product judges other responses.
 */
export async function unknownProducts(
  { fixtures, shared }: CheckContext,
  count: number,
): Promise<Identity[]> {
  const { retailer, productId: known } = need(fixtures.product);
  const found: Identity[] = [];
  // Where ids are numbers from 1 on, all of this length may exist; a number with more digits is still one.
  const longer = Array.from({ length: count }, (_, index) => `${known}${9973 - index}`);
  for (const productId of [...unknownProductIds(known), ...longer]) {
    if (found.length === count) break;
    const exchange = await shared(byId(retailer, productId));
    const exists = exchange.response.status === 200 && productOf(exchange).product_id === productId;
    if (!exists) found.push({ retailer, productId });
  }
  return found;
}
