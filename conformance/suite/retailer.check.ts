import type { Exchange } from "../client/exchange.ts";
import { failed, type Outcome, passed, statusOf } from "../client/outcome.ts";
import { byGtin, byId } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import type { CheckContext } from "./check/check.ts";
import { section } from "./check/rows.ts";

/** Most slugs to try of a service with hundreds. */
export const slugsToTry = 8;

/** Spec, Retailer. Passive rules judge the fields of the entries: rules/retailer-responses.ts. */
export default section("retailer", [
  {
    id: "retailer.slug/accepted",
    title: "Every listed slug is accepted and never rejected as unknown",
    requests: slugsToTry,
    run: async (context) => await noSlugRefused(context, 400),
  },
]);

/** The responses to requests with a listed slug. */
interface SlugResponse {
  readonly slug: string;
  readonly exchanges: readonly Exchange[];
}

/**
 * Sends requests with each listed slug: for one of its products where known, otherwise as the scope of a known GTIN
 * and with an id that it may not have. A status that all of them return concerns the slug.
 */
async function lookUpEachSlug(context: CheckContext): Promise<SlugResponse[]> {
  const { fixtures, shared } = context;
  const slugs = need(fixtures.retailers).slice(0, slugsToTry);
  // Any product id will do, also of a retailer that is not listed.
  const { productId } = fixtures.unlisted[0] ?? need(fixtures.product);
  const [gtin] = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const results: SlugResponse[] = [];
  for (const slug of slugs) {
    const own = fixtures.products.find(({ retailer }) => retailer === slug);
    const requests =
      own !== undefined
        ? [byId(slug, own.productId)]
        : [byId(slug, productId), ...(gtin === undefined ? [] : [byGtin(gtin.gtin, slug)])];
    const exchanges: Exchange[] = [];
    for (const request of requests) exchanges.push(await shared(request));
    results.push({ slug, exchanges });
  }
  return results;
}

/** Passed when no listed slug is refused with this status in all requests. */
export async function noSlugRefused(context: CheckContext, status: number): Promise<Outcome> {
  for (const { slug, exchanges } of await lookUpEachSlug(context)) {
    const [first] = exchanges;
    if (first !== undefined && exchanges.every(({ response }) => response.status === status)) {
      return failed({ code: "listed-retailer-refused", subject: slug, ...statusOf(first) }, first);
    }
  }
  return passed();
}
