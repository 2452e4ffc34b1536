import { keyHeaders } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import {
  batch,
  byCategory,
  byGtin,
  byId,
  byUrl,
  inOtherCase,
  type Request,
  retailers,
} from "../client/requests.ts";
import { type Fixtures, need, orNone, type ProductFixture } from "../discovery/fixtures.ts";
import { oneOfEachRetailerFirst } from "../discovery/identifiers.ts";
import { unknownSlug } from "../discovery/unknown-values.ts";
import { productsIn } from "../response/products-in.ts";
import { nextCursor, slugsIn } from "../response/readers.ts";
import { acrossAllRequests, type CheckContext } from "./check/check.ts";
import {
  choosableProducts,
  hasGtin,
  isPathSegment,
  itemOf,
  lookupOf,
  productLookups,
} from "./check/inputs.ts";
import { type ChangedRequest, section } from "./check/rows.ts";
import { lookupsOf, notGranted, withoutIt } from "./entitlement.ts";

const productsToTry = 10;

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

/** Spec, What the service does: access is per organization. A cache or mixed-up connection may break that. */
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
      title: "A valid request succeeds right after one that is almost the same",
      requests: 8,
      alone: true,
      bad: validAfterRefused,
      expect: 200,
      // Another refusal than the one before is no repetition of it.
      unless: ({ response }, { exchanges }) => response.status !== exchanges.at(-2)?.response.status,
      rules,
    },
    {
      id: "service.own-response/in-turn",
      title: "Keys of two organizations, used in turn on every path, each get their own response",
      requests: 4 * productLookups.length + 4 + 5,
      alone: true,
      bad: inTurn,
      expect: 200,
      // Another success is nothing of another organization.
      unless: ({ response: { status } }) => status > 200 && status < 300,
      unfit(exchange, context, { request: _, ...about }) {
        // Nothing was mixed up here, but whose the key is stays unclear.
        if (about.condition === "refused-before") need(context.fixtures.ownProduct);
        if (about.condition !== "in-turn") return listOfOther(exchange, context);
        // The same batch had it before.
        const isMissing =
          exchange.endpoint === "batch" && productsIn(exchange, context.fieldNames).length === 0;
        return isMissing ? { code: "item-missing", path: "/errors", ...about } : undefined;
      },
      rules,
    },
  ],
  acrossAllRequests,
);

/** Lookups on every path, batches and lists, of different products, with the keys of both organizations. */
function differentRequests(context: CheckContext): Request[] {
  const { fixtures } = context;
  const { batch: names, otherRetailers } = fixtures;
  need(fixtures.product);
  // Fresh products also show whether a lookup returns another product.
  const all = new Set([
    ...freshProducts(context),
    ...fixtures.products.filter(isListedIn(fixtures.retailers)),
  ]);
  const products = oneOfEachRetailerFirst([...all].filter(({ productId }) => isPathSegment(productId)));
  // With most fields, most shows of what one organization gets and the other does not.
  const ofBoth = products
    .filter(isListedIn(otherRetailers))
    .toSorted((one, other) => fieldsOf(other) - fieldsOf(one))
    .slice(0, 2);
  const others: Request[] = [
    ...[0, itemsOfBatch].flatMap((from) => {
      const items = products.slice(from, from + itemsOfBatch).map(itemOf);
      return names.present && items.length > 0 ? batch(items, names.value) : [];
    }),
    retailers(),
    ...(otherRetailers.present ? [{ ...retailers(), caller: "otherOrg" } as const] : []),
    ...ofBoth.flatMap((one) => [lookupOf(one), lookupOf(one, "otherOrg")]),
    ...orNone(fixtures.productsByGtin)
      .filter(isListedIn(fixtures.retailers))
      .slice(0, 2)
      .map(({ gtin, retailer }) => byGtin(gtin, retailer)),
    ...fixtures.withUrl
      .filter(isListedIn(fixtures.retailers))
      .slice(0, 1)
      .map(({ url }) => byUrl(url)),
  ];
  const count = atOnce - others.length;
  // Each is looked up twice, so that a failure that is told as 404 shows.
  const lookups = products.slice(0, Math.ceil(count / 2)).map((one) => lookupOf(one));
  const repeated = Array.from({ length: count }, (_, index) => lookups[index % lookups.length] ?? []);
  return [...others, ...repeated.flat()];
}

/**
 * Whether a list of retailers names that of a product. To get one that the own list lacks is no sign of a
 * mix-up (authentication.entitlement).
 */
function isListedIn(list: Fixtures["retailers" | "otherRetailers"]) {
  const slugs = orNone(list);
  return ({ retailer }: { readonly retailer?: unknown }): boolean => slugs.includes(String(retailer));
}

function fieldsOf({ product }: ProductFixture): number {
  return Object.keys(product).length;
}

/** Products not looked up by id in this run, so that no cache has them; one of each retailer first. */
function freshProducts(context: CheckContext): ProductFixture[] {
  const isAsked = askedIn(context);
  const listed = choosableProducts(context).filter(isListedIn(context.fixtures.retailers));
  return oneOfEachRetailerFirst(listed.filter((one) => !isAsked(lookupOf(one))));
}

/** Tells what was asked for in this run so far, with any key. */
function askedIn({ exchanges, target }: CheckContext): (request: Request) => boolean {
  const asked = new Set(exchanges.map(({ request: { url, body } }) => `${url} ${body}`));
  return ({ path, body }) => asked.has(`${target.baseUrl}${path} ${body}`);
}

/**
 * Refused requests, each before a valid one that differs in the key, the retailer's slug, the case of the id,
 * or the retailer that a GTIN is scoped to. A cache that ignores this returns the refusal again.
 */
function validAfterRefused(context: CheckContext): ChangedRequest[] {
  const { fixtures } = context;
  const known = need(fixtures.product);
  const slugs = need(fixtures.retailers);
  const fresh = freshProducts(context);
  const [first = known, second = known] = fresh;
  const third = [...fresh, ...choosableProducts(context)].find(
    (one) => one !== first && one !== second && /^[\w-]*[A-Za-z][\w-]*$/.test(one.productId),
  );
  const behind = (refused: Request, product: ProductFixture, valid = lookupOf(product)): ChangedRequest[] => [
    { request: refused, expect: "any" },
    { request: valid, condition: "after-refusal", product },
  ];
  const ofGtin = orNone(fixtures.productsByGtin)
    .slice(-1)
    .flatMap((one) => {
      const slug = slugs.find((other) => other !== one.retailer && !hasGtin(context, other, one.gtin));
      return slug === undefined ? [] : behind(byGtin(one.gtin, slug), one, byGtin(one.gtin, one.retailer));
    });
  return [
    ...behind(lookupOf(first, "nobody"), first),
    ...behind(byId(unknownSlug(slugs), second.productId), second),
    ...(third ? behind(byId(third.retailer, inOtherCase(third.productId)), third) : []),
    ...ofGtin,
  ];
}

/**
 * A product that only one organization may see, with its key, the other one's and again, in X-Api-Key, since
 * caches know what Authorization means. Then pages in the same way, and lists in each header. Where the other
 * one gets what nobody asked for before, nothing is mixed up (authentication.entitlement).
 */
async function inTurn(context: CheckContext): Promise<ChangedRequest[]> {
  const { fixtures, fieldNames, ask } = context;
  const { ownProduct, unentitledProduct } = fixtures;
  const inDoubt = need(fixtures.otherOrgKey).role === "asNamed" ? [] : await refusedBefore(context);
  if (inDoubt.length > 0) return inDoubt;
  if (!ownProduct.present) need(unentitledProduct);
  const [entitled, other] = ownProduct.present
    ? (["primary", "otherOrg"] as const)
    : (["otherOrg", "primary"] as const);
  const steps: ChangedRequest[] = [];
  const isAsked = askedIn(context);
  for (const { product, request: lookup, others } of lookupsOf(entitled, context)) {
    const request = { ...lookup, keyHeader: keyHeaders.plain };
    // What is not found to begin with is judged by service.four-ways.
    if (productsIn(await ask(request), fieldNames).length === 0) continue;
    const fresh = others.findLast((one) => !isAsked(one.request));
    const alone = fresh && (await ask({ ...fresh.request, keyHeader: keyHeaders.plain, caller: other }));
    const got = alone === undefined ? [] : productsIn(alone, fieldNames);
    if (got.some((one) => one.product.retailer === fresh?.product.retailer)) continue;
    steps.push(
      { ...notGranted(product, { ...request, caller: other }), expect: withoutIt },
      { request, condition: "in-turn", product, details: { after: other } },
    );
  }
  const lists = Object.values(keyHeaders).flatMap((keyHeader) => byBothKeys({ ...retailers(), keyHeader }));
  const others = [...lists, ...(await pagesInTurn(context))];
  return [...steps, ...others.map((request) => ({ request, expect: "any" as const }))];
}

/** Whoever has the second key: what it was refused stays refused when the first key asked for it. */
async function refusedBefore(context: CheckContext): Promise<ChangedRequest[]> {
  for (const product of freshProducts(context).slice(0, productsToTry)) {
    const request = lookupOf(product, "otherOrg");
    if ((await context.ask(request)).response.status !== 403) continue;
    const after = { after: "otherOrg" } as const;
    return [
      { request: lookupOf(product), condition: "in-turn", product, details: after, expect: [200, 404] },
      { request, condition: "refused-before", product, expect: 403 },
    ];
  }
  return [];
}

function byBothKeys(request: Request): Request[] {
  return [request, { ...request, caller: "otherOrg" }];
}

/**
 * A page that tells the organizations apart, and one behind its cursor, which may carry the access of who got
 * it. None where an organization alone gets more than its list names, on the first page, or the other one on that
 * behind its own cursor (authentication.entitlement).
 */
async function pagesInTurn({ fixtures, fieldNames, ask }: CheckContext): Promise<Request[]> {
  const isGranted = isListedIn(fixtures.otherRetailers);
  const own = fixtures.categories.find(({ products }) => !products.slice(0, unusedLimit).every(isGranted));
  if (own === undefined || !own.products.every(isListedIn(fixtures.retailers))) return [];
  const page = (limit?: number, cursor?: string) =>
    byCategory(own.category, { limit: limit?.toString(), cursor });
  let cursor: string | undefined;
  for (const _ of ["first", "second"]) {
    const alone = await ask({ ...page(unusedLimit + 1, cursor), caller: "otherOrg" });
    if (!productsIn(alone, fieldNames).every(({ product }) => isGranted(product))) return [];
    cursor = nextCursor(alone.response.json) || undefined;
    if (cursor === undefined) break;
  }
  const behind = { ...page(undefined, own.nextCursor), caller: "otherOrg" } as const;
  const first = { ...page(unusedLimit), keyHeader: keyHeaders.plain };
  return [...byBothKeys(first), ...(own.nextCursor === "" ? [] : [behind])];
}

/** For the other organization's list. If one of its retailers is granted meanwhile, the own ones show too. */
function listOfOther({ caller, response }: Exchange, { fixtures }: CheckContext): Finding | undefined {
  if (!fixtures.retailers.present || !fixtures.otherRetailers.present) return undefined;
  const lists = [new Set(fixtures.retailers.value), new Set(fixtures.otherRetailers.value)] as const;
  const [own, others] = caller === "primary" ? lists : ([lists[1], lists[0]] as const);
  const slugs = slugsIn(response.json);
  const subject = slugs.find((slug) => others.has(slug) && !own.has(slug));
  if (subject === undefined || slugs.some((slug) => own.has(slug) && !others.has(slug))) return undefined;
  const path = pointer("retailers", slugs.indexOf(subject));
  return { code: "retailer-of-other-organization", subject, path, details: { caller } };
}
