import type { Exchange } from "../../client/exchange.ts";
import { failed, type Outcome, passed } from "../../client/outcome.ts";
import { byGtin, byId, type Request } from "../../client/requests.ts";
import { need, type ProductFixture } from "../../discovery/fixtures.ts";
import { carriesGtin } from "../../discovery/gtin-lookup.ts";
import { oneOfEachRetailerFirst } from "../../discovery/identifiers.ts";
import { unknownSlug } from "../../discovery/unknown-values.ts";
import type { CheckContext } from "../check/check.ts";
import { hasStatus } from "../check/expectations.ts";
import { browsedProducts, freshProducts, inOtherCase } from "../check/inputs.ts";
import { differsFrom, productOf } from "../check/product-comparison.ts";

/** Retailers to scope a GTIN to until one does not have it. */
const slugsToTry = 3;

/** Most requests that `refusalDoesNotStick` sends. */
export const refusalRequests = 12;

/**
 * Refuses a request and then sends a valid one that differs in one thing: the key, the retailer's slug, the case of the
 * id, or the retailer that a GTIN is scoped to. A cache that ignores this thing returns the refusal again. Products that
 * no request looked up before are preferred, since the cache cannot contain them yet.
 */
export async function refusalDoesNotStick(context: CheckContext): Promise<Outcome> {
  const known = need(context.fixtures.product);
  const fresh = oneOfEachRetailerFirst(freshProducts(context));
  const [first = known, second = known] = fresh;
  const hasCase = (one: ProductFixture) =>
    one !== first && one !== second && /^[!-~]*[A-Za-z][!-~]*$/.test(one.productId);
  const third = fresh.find(hasCase) ?? browsedProducts(context).find(hasCase);
  const withoutKey = await afterMissingKey(context, first);
  if (withoutKey.kind !== "pass") return withoutKey;
  const slug = unknownSlug(need(context.fixtures.retailers));
  const otherSlug = await afterRefusalOf(byId(slug, second.productId), context, second);
  if (otherSlug.kind !== "pass") return otherSlug;
  if (third !== undefined) {
    const { retailer, productId } = third;
    const otherCase = await afterRefusalOf(byId(retailer, inOtherCase(productId)), context, third);
    if (otherCase.kind !== "pass") return otherCase;
  }
  return await afterOtherScope(context);
}

/** Without a key, with a key, and without one again: neither response may be that of the request before. */
async function afterMissingKey(context: CheckContext, product: ProductFixture): Promise<Outcome> {
  const request = { ...byId(product.retailer, product.productId), caller: "nobody" } as const;
  const refusal = await context.ask(request);
  const found = await findsAfter(refusal, context, product);
  // A first response other than 401 has no request before it that explains it.
  if (found.kind !== "pass" || refusal.response.status !== 401) return found;
  const again = await context.ask(request);
  return hasStatus(again, 401, { condition: "no-key" }, ...found.evidence.slice(0, 1));
}

async function afterRefusalOf(
  request: Request,
  context: CheckContext,
  product: ProductFixture,
): Promise<Outcome> {
  return await findsAfter(await context.ask(request), context, product);
}

/** Whether the product is found by id right after a refusal. */
async function findsAfter(
  refusal: Exchange,
  { ask }: CheckContext,
  product: ProductFixture,
): Promise<Outcome> {
  const { retailer, productId } = product;
  const response = await ask(byId(retailer, productId));
  const circumstances = { condition: "after-refusal", product: { retailer, productId } } as const;
  const status = hasStatus(response, 200, circumstances, refusal);
  if (status.kind !== "pass") return status;
  const difference = differsFrom(product, productOf(response));
  return difference === undefined ? status : failed({ ...difference, ...circumstances }, response, refusal);
}

/** Whether a GTIN is found at its retailer right after another retailer did not have it. */
async function afterOtherScope({ fixtures, fieldNames, ask }: CheckContext): Promise<Outcome> {
  if (!fixtures.productsByGtin.present) return passed();
  const { value: products } = fixtures.productsByGtin;
  const { retailer, productId, gtin } = products.at(-1) ?? products[0];
  const hasGtin = (slug: string) =>
    slug === retailer ||
    fixtures.products.some((one) => one.retailer === slug && carriesGtin(one.product, gtin, fieldNames));
  const others = need(fixtures.retailers).filter((slug) => !hasGtin(slug));
  for (const slug of others.slice(0, slugsToTry)) {
    const refusal = await ask(byGtin(gtin, slug));
    if (refusal.response.status !== 404) continue;
    const scoped = await ask(byGtin(gtin, retailer));
    return hasStatus(scoped, 200, { condition: "after-refusal", product: { retailer, productId } }, refusal);
  }
  return passed();
}
