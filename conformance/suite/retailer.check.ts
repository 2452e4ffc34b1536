import type { Exchange } from "../client/exchange.ts";
import { byGtin, byId } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { failed, type Outcome, passed, statusOf } from "../requirements/outcome.ts";
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

/**
 * Passed when no listed slug is refused with this status, for one of its products where known, otherwise as the scope of a known
 * GTIN and with an id that it may not have. A status that all of them return concerns the slug.
 */
export async function noSlugRefused({ fixtures, shared }: CheckContext, status: number): Promise<Outcome> {
  const slugs = need(fixtures.retailers).slice(0, slugsToTry);
  // Any product id will do, also of a retailer that is not listed.
  const { productId } = fixtures.unlisted[0] ?? need(fixtures.product);
  const [gtin] = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  for (const subject of slugs) {
    const own = fixtures.products.find(({ retailer }) => retailer === subject);
    const requests =
      own !== undefined
        ? [byId(subject, own.productId)]
        : [byId(subject, productId), ...(gtin === undefined ? [] : [byGtin(gtin.gtin, subject)])];
    const exchanges: Exchange[] = [];
    for (const request of requests) exchanges.push(await shared(request));
    const [first] = exchanges;
    if (first !== undefined && exchanges.every(({ response }) => response.status === status))
      return failed({ code: "listed-retailer-refused", subject, ...statusOf(first) }, first);
  }
  return passed();
}
