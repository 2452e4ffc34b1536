import { type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { batch, byCategory, byGtin, byId, byUrl, type Request, retailers } from "../client/requests.ts";
import { need, type ProductFixture } from "../discovery/fixtures.ts";
import { oneOfEachRetailerFirst } from "../discovery/identifiers.ts";
import { unknownSlug } from "../discovery/unknown-values.ts";
import { carriesGtin } from "../response/gtin.ts";
import { productsIn } from "../response/products-in.ts";
import { slugsIn } from "../response/readers.ts";
import { acrossAllRequests, type CheckContext } from "./check/check.ts";
import { browsedProducts, inOtherCase, isPathSegment, itemOf, productLookups } from "./check/inputs.ts";
import { type ChangedRequest, section } from "./check/rows.ts";
import { lookupsOf, notGranted, withoutIt } from "./entitlement.ts";

/** Two rounds: the first opens the connections, on which the requests of the second arrive together. */
const atOnce = 22;
/** A batch takes longer than a lookup: behind it, further requests gather. */
const itemsOfBatch = 12;
/** A page size that no other check uses, so that no cache can contain the page yet. */
const unusedLimit = 11;

/** They say that a response belongs to another request or to another organization. */
const rules = [
  "by-id.product/every-response",
  "batch.lookup/every-batch",
  "query.gtin/every-response",
  "authentication.entitlement/every-product",
] as const;

/** Spec, What the service does: access is scoped per organization. A cache or a mixed-up connection may break that. */
export default section(
  "service",
  [
    {
      id: "service.own-response/at-once",
      title: "Concurrent requests each get the response to their own request",
      requests: atOnce,
      send: differentRequests,
      how: "together",
      rules,
    },
    {
      id: "service.own-response/after-refusal",
      title: "A valid request succeeds right after a similar one was refused",
      requests: 8,
      alone: true,
      bad: validAfterRefused,
      expect: 200,
      rules,
    },
    {
      id: "service.own-response/in-turn",
      title: "Keys of two organizations, used in turn on every path, each get their own response",
      requests: 3 * productLookups.length + 4 + 4,
      alone: true,
      bad: inTurn,
      expect: 200,
      unfit: (exchange, context, changed) =>
        changed.condition === "in-turn"
          ? missingItem(exchange, context, changed)
          : listOfOther(exchange, context),
      rules,
    },
  ],
  acrossAllRequests,
);

/** Lookups of different products on every lookup path, batches, and lists, with the keys of both organizations where there are two. */
function differentRequests(context: CheckContext): Request[] {
  const { fixtures, effort } = context;
  const { productsByGtin, otherRetailers, batch: names, withUrl } = fixtures;
  need(fixtures.product);
  // Products that no request looked up before: by the way, they show whether a lookup returns another product.
  const products = oneOfEachRetailerFirst([...new Set([...freshProducts(context), ...fixtures.products])]);
  const gtins = productsByGtin.present ? productsByGtin.value : [];
  const ofOther = { caller: "otherOrg" } as const;
  const granted = otherRetailers.present ? otherRetailers.value : [];
  // With most fields, most shows of what one organization gets and the other does not.
  const ofBoth = products
    .filter(({ retailer, productId }) => granted.includes(retailer) && isPathSegment(productId))
    .toSorted((one, other) => fieldsOf(other) - fieldsOf(one))
    .slice(0, 2);
  const items = products.map(itemOf);
  const batches = [items.slice(0, itemsOfBatch), items.slice(itemsOfBatch, 2 * itemsOfBatch)].flatMap(
    (some) => (names.present && some.length > 0 ? batch(some, names.value) : []),
  );
  const others: Request[] = [
    retailers(),
    ...(otherRetailers.present ? [{ ...retailers(), ...ofOther }] : []),
    ...ofBoth.map((one) => byId(one.retailer, one.productId)),
    ...ofBoth.map((one) => ({ ...byId(one.retailer, one.productId), ...ofOther })),
    ...gtins.slice(0, 2).map(({ gtin, retailer }) => byGtin(gtin, retailer)),
    ...withUrl.slice(0, 1).map(({ url }) => byUrl(url)),
  ];
  const count = atOnce * effort - batches.length - others.length;
  // Each is looked up twice, so that a failure that is told as 404 shows.
  const known = products.filter(({ productId }) => isPathSegment(productId)).slice(0, Math.ceil(count / 2));
  const lookups = Array.from({ length: count }, (_, index) => known[index % known.length]).flatMap((one) =>
    one === undefined ? [] : byId(one.retailer, one.productId),
  );
  return [...batches, ...others, ...lookups];
}

function fieldsOf({ product }: ProductFixture): number {
  return Object.keys(product).length;
}

/** Products that no request has looked up by id in this run, so that no cache can contain them; one of each retailer first. */
function freshProducts(context: CheckContext): ProductFixture[] {
  const asked = new Set(context.exchanges.map(({ request }) => request.url));
  return oneOfEachRetailerFirst(browsedProducts(context)).filter(
    ({ retailer, productId }) => !asked.has(`${context.target.baseUrl}${byId(retailer, productId).path}`),
  );
}

/**
 * Refused requests, each with a valid one behind it that differs in one thing: the key, the retailer's slug, the case of the
 * id, or the retailer that a GTIN is scoped to. A cache that ignores this thing returns the refusal again.
 */
function validAfterRefused(context: CheckContext): ChangedRequest[] {
  const { fixtures, fieldNames } = context;
  const known = need(fixtures.product);
  const slugs = need(fixtures.retailers);
  const fresh = freshProducts(context);
  const [first = known, second = known] = fresh;
  const hasCase = (one: ProductFixture) =>
    one !== first && one !== second && /^[!-~]*[A-Za-z][!-~]*$/.test(one.productId);
  const third = fresh.find(hasCase) ?? browsedProducts(context).find(hasCase);
  const behind = (
    refused: Request,
    { retailer, productId }: ProductFixture,
    valid: Request = byId(retailer, productId),
  ): ChangedRequest[] => [
    { request: refused, expect: "any" },
    { request: valid, condition: "after-refusal", product: { retailer, productId } },
  ];
  const withGtin = fixtures.productsByGtin.present ? fixtures.productsByGtin.value.at(-1) : undefined;
  const isElsewhere = (slug: string, gtin: string) =>
    fixtures.products.some((one) => one.retailer === slug && carriesGtin(one.product, gtin, fieldNames));
  const withoutIt = slugs.find(
    (slug) => withGtin && slug !== withGtin.retailer && !isElsewhere(slug, withGtin.gtin),
  );
  return [
    ...behind({ ...byId(first.retailer, first.productId), caller: "nobody" }, first),
    ...behind(byId(unknownSlug(slugs), second.productId), second),
    ...(third ? behind(byId(third.retailer, inOtherCase(third.productId)), third) : []),
    ...(withGtin && withoutIt !== undefined
      ? behind(byGtin(withGtin.gtin, withoutIt), withGtin, byGtin(withGtin.gtin, withGtin.retailer))
      : []),
  ];
}

/**
 * A product that only one organization may see, with its key, with the other one and again, in X-Api-Key, since caches know what
 * Authorization means. Then pages in the same way, and lists in each header.
 */
async function inTurn(context: CheckContext): Promise<ChangedRequest[]> {
  const { fixtures, fieldNames, ask } = context;
  const { ownProduct, unentitledProduct } = fixtures;
  need(fixtures.otherOrgKey);
  if (!ownProduct.present) need(unentitledProduct);
  const [entitled, other] = ownProduct.present
    ? (["primary", "otherOrg"] as const)
    : (["otherOrg", "primary"] as const);
  const steps: ChangedRequest[] = [];
  for (const { product, request: lookup } of lookupsOf(entitled, context)) {
    const request = { ...lookup, keyHeader: keyHeaders.plain };
    // What is not found to begin with is judged by service.four-ways.
    if (productsIn(await ask(request), fieldNames).length === 0) continue;
    const { retailer, productId } = product;
    steps.push(
      { ...notGranted(product, { ...request, caller: other }), expect: withoutIt },
      { request, condition: "in-turn", product: { retailer, productId }, details: { after: other } },
    );
  }
  const others = [...byBothKeys(retailers(), Object.values(keyHeaders)), ...(await pagesInTurn(context))];
  return [...steps, ...others.map((request) => ({ request, expect: "any" as const }))];
}

/** A request with the keys of both organizations in turn, in each of these headers. */
function byBothKeys(request: Request, headers: readonly KeyHeader[]): Request[] {
  return headers.flatMap((keyHeader) =>
    (["primary", "otherOrg"] as const).map((caller) => ({ ...request, caller, keyHeader })),
  );
}

/**
 * A page that tells the organizations apart, and one behind its cursor, which may carry the access of the organization that got it.
 * None where the other organization alone gets more than its list names: authentication.entitlement judges that.
 */
async function pagesInTurn({ fixtures, fieldNames, ask }: CheckContext): Promise<Request[]> {
  const { categories, otherRetailers } = fixtures;
  const granted = otherRetailers.present ? otherRetailers.value : [];
  const isGranted = ({ retailer }: { readonly retailer?: unknown }) => granted.includes(String(retailer));
  const own = categories.find(({ products }) => !products.slice(0, unusedLimit).every(isGranted));
  if (own === undefined) return [];
  const { category, nextCursor: cursor } = own;
  const alone = { ...byCategory(category, { limit: String(unusedLimit + 1) }), caller: "otherOrg" } as const;
  if (!productsIn(await ask(alone), fieldNames).every(({ product }) => isGranted(product))) return [];
  const behind = { ...byCategory(category, { cursor }), caller: "otherOrg" } as const;
  const first = byCategory(category, { limit: String(unusedLimit) });
  return [...byBothKeys(first, [keyHeaders.plain]), ...(cursor === "" ? [] : [behind])];
}

/** The finding that a batch does not have the product that the same batch had before. */
function missingItem(
  exchange: Exchange,
  { fieldNames }: CheckContext,
  { request: _, ...about }: ChangedRequest,
): Finding | undefined {
  const isMissing = exchange.endpoint === "batch" && productsIn(exchange, fieldNames).length === 0;
  return isMissing ? { code: "item-missing", path: "/errors", ...about } : undefined;
}

/** The finding that a list is that of the other organization. A retailer of it may have been granted: then the own ones are there, too. */
function listOfOther(exchange: Exchange, { fixtures }: CheckContext): Finding | undefined {
  if (!fixtures.retailers.present || !fixtures.otherRetailers.present) return undefined;
  const lists = [new Set(fixtures.retailers.value), new Set(fixtures.otherRetailers.value)] as const;
  const [own, others] = exchange.caller === "primary" ? lists : ([lists[1], lists[0]] as const);
  const slugs = slugsIn(exchange.response.json);
  const foreign = slugs.find((slug) => others.has(slug) && !own.has(slug));
  if (foreign === undefined || slugs.some((slug) => own.has(slug) && !others.has(slug))) return undefined;
  return {
    code: "retailer-of-other-organization",
    subject: foreign,
    path: pointer("retailers", slugs.indexOf(foreign)),
    details: { caller: exchange.caller },
  };
}
