import { endpoints, type KeyHeader, keyHeaders } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { pointer } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { batch, byCategory, byGtin, byId, byUrl, type Request, retailers } from "../client/requests.ts";
import { slugsIn } from "../discovery/browsing.ts";
import { need, type ProductFixture } from "../discovery/fixtures.ts";
import { carriesGtin } from "../discovery/gtin-lookup.ts";
import { oneOfEachRetailerFirst } from "../discovery/identifiers.ts";
import { unknownSlug } from "../discovery/unknown-values.ts";
import { productsIn } from "../response/products-in.ts";
import { acrossAllRequests, type CheckContext } from "./check/check.ts";
import { browsedProducts, inOtherCase, isPathSegment, productLookups } from "./check/inputs.ts";
import { differsFrom, productOf } from "./check/product-comparison.ts";
import { type ChangedRequest, type StatusRow, section } from "./check/rows.ts";
import { notGranted, shown } from "./entitlement.ts";

/** Two rounds: the first opens the connections, on which the requests of the second arrive together. */
const atOnce = 24;
/** A batch takes longer than a lookup: behind it, further requests gather. */
const itemsOfBatch = 12;
/** Largest limit of a page that no cache can contain yet. A target may reject larger ones. */
const largestLimit = 49;

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
      rules: [
        "by-id.product/every-response",
        "batch.lookup/every-batch",
        "query.gtin/every-response",
        "authentication.entitlement/every-product",
      ],
    },
    {
      id: "service.own-response/after-refusal",
      title: "A valid request succeeds right after a similar one was refused",
      requests: 8,
      alone: true,
      bad: validAfterRefused,
      expect: 200,
      unfit(exchange, _context, { condition, product }) {
        const isOfId = condition === "after-refusal" && exchange.endpoint === "lookup-by-id";
        const difference = isOfId && product && differsFrom(product, productOf(exchange));
        return difference ? { ...difference, condition } : undefined;
      },
    },
    ...Object.entries(productLookups).map(
      ([name, { label, request }]): StatusRow => ({
        id: `service.own-response/in-turn-${name as keyof typeof productLookups}`,
        title: inTurn(label),
        requests: name === "by-id" ? 6 : 3,
        alone: true,
        bad: async (context) =>
          await lookupsInTurn(
            context,
            (product) => request(product, context),
            name === "by-id" ? Object.values(keyHeaders) : [keyHeaders.plain],
          ),
        expect: 200,
        none: { code: "judged-elsewhere", subject: "service.four-ways" },
        unfit: (exchange, context, changed) =>
          changed.condition === "in-turn"
            ? otherThanBefore(exchange, context, changed)
            : shown(exchange, context, changed),
      }),
    ),
    {
      id: "service.own-response/in-turn-retailers",
      title: inTurn(endpoints.retailers.label),
      requests: 4,
      alone: true,
      bad: ({ fixtures: { otherRetailers } }) => {
        need(otherRetailers);
        return Object.values(keyHeaders).flatMap((keyHeader) =>
          (["primary", "otherOrg"] as const).map((caller) => ({
            request: { ...retailers(), caller, keyHeader },
            expect: "any" as const,
          })),
        );
      },
      expect: 200,
      unfit: listOfOther,
    },
    {
      id: "service.own-response/in-turn-by-category",
      title: inTurn(endpoints["category-page"].label),
      requests: 5,
      send: pagesInTurn,
      how: "in turn",
      rules: ["authentication.entitlement/every-product"],
    },
  ],
  acrossAllRequests,
);

function inTurn(label: string): string {
  return `${label}: keys of two organizations, used in turn, each get their own response`;
}

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
  const foreign = products.filter(({ retailer }) => granted.includes(retailer)).slice(0, 3);
  const items = products.map(({ retailer, productId }) => ({ retailer, product_id: productId }));
  // A batch takes longer than a lookup: behind it, further requests gather.
  const batches = [items.slice(0, itemsOfBatch), items.slice(itemsOfBatch, 2 * itemsOfBatch)].flatMap(
    (some) => (names.present && some.length > 0 ? batch(some, names.value) : []),
  );
  const others: Request[] = [
    retailers(),
    ...(otherRetailers.present ? [{ ...retailers(), ...ofOther }] : []),
    ...foreign.map((one) => ({ ...byId(one.retailer, one.productId), ...ofOther })),
    ...gtins.slice(0, 3).map(({ gtin, retailer }) => byGtin(gtin, retailer)),
    ...withUrl.slice(0, 2).map(({ url }) => byUrl(url)),
  ];
  const known = products.filter(({ productId }) => isPathSegment(productId));
  const count = atOnce * effort - batches.length - others.length;
  const lookups = Array.from({ length: count }, (_, index) => known[index % known.length]).flatMap((one) =>
    one === undefined ? [] : byId(one.retailer, one.productId),
  );
  return [...batches, ...others, ...lookups];
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
    valid: Request,
  ): ChangedRequest[] => [
    { request: refused, expect: "any" },
    { request: valid, condition: "after-refusal", product: { retailer, productId } },
  ];
  const ofProduct = ({ retailer, productId }: ProductFixture) => byId(retailer, productId);
  const products = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const withGtin = products.at(-1);
  const isElsewhere = (slug: string, gtin: string) =>
    fixtures.products.some((one) => one.retailer === slug && carriesGtin(one.product, gtin, fieldNames));
  const withoutIt = slugs.find(
    (slug) => withGtin && slug !== withGtin.retailer && !isElsewhere(slug, withGtin.gtin),
  );
  return [
    ...behind({ ...ofProduct(first), caller: "nobody" }, first, ofProduct(first)),
    ...behind(byId(unknownSlug(slugs), second.productId), second, ofProduct(second)),
    ...(third ? behind(byId(third.retailer, inOtherCase(third.productId)), third, ofProduct(third)) : []),
    ...(withGtin && withoutIt !== undefined
      ? behind(byGtin(withGtin.gtin, withoutIt), withGtin, byGtin(withGtin.gtin, withGtin.retailer))
      : []),
  ];
}

/**
 * A product with the key that may see it, then with the other key and with the first again: a cache may tell organizations
 * apart by Authorization only, which caches know, or by the other header only. Nothing where no such product is found to begin
 * with.
 */
async function lookupsInTurn(
  context: CheckContext,
  requestFor: (product: ProductFixture) => Request | undefined,
  headers: readonly KeyHeader[],
): Promise<ChangedRequest[]> {
  const { fixtures, ask } = context;
  const { ownProduct, unentitledProduct: foreign } = fixtures;
  need(fixtures.otherOrgKey);
  if (!ownProduct.present) need(foreign);
  const candidates = [
    { known: ownOnly(context), entitled: "primary", other: "otherOrg" },
    { known: foreign.present ? foreign.value : undefined, entitled: "otherOrg", other: "primary" },
  ] as const;
  const steps: ChangedRequest[] = [];
  for (const { known, entitled, other } of candidates) {
    const lookup = known && requestFor(known);
    if (known === undefined || lookup === undefined || steps.length > 0) continue;
    const product = { retailer: known.retailer, productId: known.productId };
    for (const keyHeader of headers) {
      const request = { ...lookup, caller: entitled, keyHeader };
      if (!shows(await ask(request), product, context)) continue;
      steps.push(
        { ...notGranted(known, { ...request, caller: other }), expect: "any" },
        { request, condition: "in-turn", product, details: { after: other } },
      );
    }
  }
  return steps;
}

/** A product that only the first organization may see; preferably with a GTIN, otherwise one not looked up before. */
function ownOnly(context: CheckContext): ProductFixture | undefined {
  const { otherRetailers, ownProduct, productsByGtin, sharedGtins } = context.fixtures;
  if (!otherRetailers.present || !ownProduct.present) return undefined;
  const gtins = productsByGtin.present ? productsByGtin.value : [];
  const shared = new Set(sharedGtins.map(({ gtin }) => gtin));
  const isOwn = ({ retailer, url }: ProductFixture) =>
    !otherRetailers.value.includes(retailer) && url !== undefined;
  return (
    gtins.find((product) => isOwn(product) && !shared.has(product.gtin)) ??
    freshProducts(context).find(isOwn) ??
    ownProduct.value
  );
}

function shows(
  exchange: Exchange,
  { retailer, productId }: Pick<ProductFixture, "retailer" | "productId">,
  { fieldNames }: CheckContext,
): boolean {
  return productsIn(exchange, fieldNames).some(
    ({ product }) => product.retailer === retailer && product.product_id === productId,
  );
}

/** The finding that a response does not show the product that the same request got before. */
function otherThanBefore(
  exchange: Exchange,
  context: CheckContext,
  { request, ...about }: ChangedRequest,
): Finding | undefined {
  const { product, condition, details } = about;
  if (product === undefined || shows(exchange, product, context)) return undefined;
  const circumstances = { condition, product, details };
  if (exchange.endpoint === "batch") return { code: "item-missing", path: "/errors", ...circumstances };
  const parameters = new URLSearchParams(request.path.split("?")[1]);
  const [gtin, scope] = [parameters.get("gtin"), parameters.get("retailer")];
  const found = productOf(exchange);
  // Several products may have one GTIN: any of them is correct, of any retailer if none is named.
  const isOfScope = scope === null || found.retailer === scope;
  if (gtin !== null && isOfScope && carriesGtin(found, gtin, context.fieldNames)) return undefined;
  return {
    code: "other-product",
    path: pointer("product_id"),
    expected: product.productId,
    ...circumstances,
  };
}

/** The finding that a list is that of the other organization. A retailer of it may have been granted: then the own ones are there, too. */
function listOfOther(exchange: Exchange, { fixtures }: CheckContext): Finding | undefined {
  const lists = [new Set(need(fixtures.retailers)), new Set(need(fixtures.otherRetailers))] as const;
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

/**
 * A page that tells the organizations apart, with one key and with the other, in each header; then a page behind a cursor of the
 * first organization with the other key: a cursor may carry the access of the organization that got it.
 */
function pagesInTurn(context: CheckContext): Request[] {
  const { fixtures, exchanges, fieldNames } = context;
  const granted = new Set(need(fixtures.otherRetailers));
  const own = new Set(need(fixtures.retailers).filter((slug) => !granted.has(slug)));
  const known = new Set(fixtures.categories.map(({ category }) => category));
  const pages = exchanges
    .filter(({ endpoint, caller }) => endpoint === "category-page" && caller === "primary")
    .map((page) => {
      const products = productsIn(page, fieldNames);
      const { category = "", limit, cursor } = Object.fromEntries(new URL(page.request.url).searchParams);
      return { products, category, limit, cursor };
    })
    .filter(({ category }) => known.has(category))
    .filter(({ products }) => products.some(({ product }) => own.has(String(product.retailer))));
  const behindCursor = pages.find(({ cursor }) => cursor !== undefined);
  const page = pages.find(({ cursor }) => cursor === undefined) ?? behindCursor;
  // If both organizations see the same products, pages in the wrong hands look right.
  if (page === undefined) need(fixtures.ownProduct);
  const { category, cursor, products } = page ?? { ...need(fixtures.category), cursor: undefined };
  const limit = String(Math.min(2 * products.length + 1, largestLimit));
  return [
    ...Object.values(keyHeaders).flatMap((keyHeader) =>
      (["primary", "otherOrg"] as const).map((caller) => ({
        ...byCategory(category, { limit, cursor }),
        caller,
        keyHeader,
      })),
    ),
    ...[behindCursor ?? []].flat().map(({ category, limit, cursor }) => ({
      ...byCategory(category, { limit, cursor }),
      caller: "otherOrg" as const,
    })),
  ];
}
