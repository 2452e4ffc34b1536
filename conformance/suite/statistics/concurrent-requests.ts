import { itemNotSent } from "../../../schemas/accounts.ts";
import type { FieldNames } from "../../../schemas/contracts/field-names.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { pointer } from "../../../schemas/json.ts";
import type { Exchange } from "../../client/exchange.ts";
import { batch, byGtin, byId, byUrl, type Request, retailers } from "../../client/requests.ts";
import { slugsIn } from "../../discovery/browsing.ts";
import { type GtinFixture, need, type ProductFixture, type UrlFixture } from "../../discovery/fixtures.ts";
import { carriesGtin, isOfAnotherRetailer } from "../../discovery/gtin-lookup.ts";
import { oneOfEachRetailerFirst } from "../../discovery/identifiers.ts";
import { productsIn } from "../../response/products-in.ts";
import type { CheckContext } from "../check/check.ts";
import { freshProducts, isPathSegment } from "../check/inputs.ts";
import { differsFrom, productOf } from "../check/product-comparison.ts";

/** A fast service has several of them under way at the same time only if many arrive at once. */
const atOnce = 18;
/** The first opens the connections, on which those of the second arrive together. */
const rounds = 2;
/** How far each round moves on in the list of requests. */
const stepOfRound = 5;
/** A batch takes longer than a lookup: behind it, further requests gather. */
const itemsOfBatch = 12;

/** Requests sent in a run of usual effort. */
export const concurrentRequests = atOnce * rounds;

/** A response to another request than the one that was sent. */
export interface WrongResponse {
  readonly exchange: Exchange;
  readonly finding: Finding;
}

/** A request, and how to recognize a response that belongs to another one. */
interface ExpectedResponse {
  readonly request: Request;
  /** The finding on a successful response to another request; undefined when it may be the right one. */
  readonly mismatch: (exchange: Exchange) => Finding | undefined;
}

/**
 * Sends different concurrent requests, once for all checks of a run, and returns the responses that belong to
 * other requests.
 */
export async function wrongResponses(context: CheckContext): Promise<WrongResponse[]> {
  return await context.once("concurrent requests", async () => {
    const { first, others } = expectations(context);
    const wrong: WrongResponse[] = [];
    for (let round = 0; round < rounds * context.effort; round++) {
      const chosen = [...first, ...turned(others, round * stepOfRound, atOnce - first.length)];
      const exchanges = await context.askTogether(chosen.map(({ request }) => request));
      exchanges.forEach((exchange, index) => {
        const finding = exchange.response.status === 200 ? chosen[index]?.mismatch(exchange) : undefined;
        if (finding !== undefined) wrong.push({ exchange, finding });
      });
    }
    return wrong;
  });
}

/** Lookups of different products on every lookup path, with the keys of both organizations where there are two. */
function expectations(context: CheckContext): {
  readonly first: readonly ExpectedResponse[];
  readonly others: readonly ExpectedResponse[];
} {
  const { fixtures } = context;
  need(fixtures.product);
  // Products that no request looked up before: by the way, they show whether a lookup returns another product.
  const fresh = freshProducts(context);
  const products = oneOfEachRetailerFirst([...new Set([...fresh, ...fixtures.products])]).slice(
    0,
    2 * atOnce,
  );
  const gtins = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const own = need(fixtures.retailers);
  const others = fixtures.otherRetailers.present ? fixtures.otherRetailers.value : [];
  const lookups = interleaved([
    products
      .filter(({ productId }) => isPathSegment(productId))
      .map((product) => expectProduct(product, byId(product.retailer, product.productId))),
    withOtherKey(context, products, own),
    [
      ...gtins.slice(0, 3).map((product) => expectGtin(product, context.fieldNames)),
      { request: retailers(), mismatch: (exchange) => listedOf(exchange, own, others) },
      ...fixtures.withUrl.slice(0, 2).map(expectPage),
    ],
  ]);
  return { first: batches(context, products), others: lookups };
}

function withOtherKey(
  { fixtures: { otherRetailers } }: CheckContext,
  products: readonly ProductFixture[],
  own: readonly string[],
): ExpectedResponse[] {
  if (!otherRetailers.present) return [];
  const { value: others } = otherRetailers;
  return [
    {
      request: { ...retailers(), caller: "otherOrg" },
      mismatch: (exchange) => listedOf(exchange, others, own),
    },
    ...products
      .filter(({ retailer }) => others.includes(retailer))
      .slice(0, 3)
      .map((product) =>
        expectProduct(product, { ...byId(product.retailer, product.productId), caller: "otherOrg" }),
      ),
  ];
}

function batches(
  { fixtures, fieldNames }: CheckContext,
  products: readonly ProductFixture[],
): ExpectedResponse[] {
  const { batch: names } = fixtures;
  if (!names.present) return [];
  return [0, itemsOfBatch]
    .map((start) => products.slice(start, start + itemsOfBatch))
    .filter(({ length }) => length > 0)
    .map((chosen) => ({
      request: batch(
        chosen.map(({ retailer, productId }) => ({ retailer, product_id: productId })),
        names.value,
      ),
      mismatch(exchange) {
        const foreign = productsIn(exchange, fieldNames).find(
          ({ product: { product_id: id } }) =>
            id !== undefined && !chosen.some(({ productId }) => productId === id),
        );
        return foreign && itemNotSent(foreign.path, foreign.product);
      },
    }));
}

function expectProduct(fixture: ProductFixture, request: Request): ExpectedResponse {
  return {
    request,
    mismatch(exchange) {
      const difference = differsFrom(fixture, productOf(exchange));
      return difference && { ...difference, condition: "at-once" };
    },
  };
}

// Several products may have one page: any of them is correct.
function expectPage(fixture: UrlFixture): ExpectedResponse {
  const { request, mismatch } = expectProduct(fixture, byUrl(fixture.url));
  return {
    request,
    mismatch: (exchange) =>
      productOf(exchange).product_url === fixture.url ? undefined : mismatch(exchange),
  };
}

// A retailer may have several products with one GTIN: any of them is correct.
function expectGtin(fixture: GtinFixture, fieldNames: FieldNames): ExpectedResponse {
  const { request, mismatch } = expectProduct(fixture, byGtin(fixture.gtin, fixture.retailer));
  return {
    request,
    mismatch(exchange) {
      const product = productOf(exchange);
      const isOfRetailer = !isOfAnotherRetailer(product, fixture);
      return isOfRetailer && carriesGtin(product, fixture.gtin, fieldNames) ? undefined : mismatch(exchange);
    },
  };
}

function listedOf(
  { response }: Exchange,
  granted: readonly string[],
  notGranted: readonly string[],
): Finding | undefined {
  const slugs = slugsIn(response.json);
  const foreign = slugs.find((slug) => notGranted.includes(slug) && !granted.includes(slug));
  return foreign === undefined
    ? undefined
    : {
        code: "retailer-of-other-organization",
        subject: foreign,
        path: pointer("retailers", slugs.indexOf(foreign)),
      };
}

function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

/** So many of the list from this index on, again and again from its beginning. */
function turned<T>(list: readonly T[], start: number, count: number): T[] {
  return Array.from({ length: count }, (_, at) => start + at).flatMap((at) => list[at % list.length] ?? []);
}
