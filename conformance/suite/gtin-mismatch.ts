import type { Exchange } from "../client/exchange.ts";
import { byGtin, byId } from "../client/requests.ts";
import { type GtinFixture, need } from "../discovery/fixtures.ts";
import type { CheckContext } from "../engine/check.ts";
import { failed, NotJudged, type Outcome } from "../engine/outcome.ts";
import { isObject } from "../response/products-in.ts";
import { hasStatus } from "./expectations.ts";
import { productOf } from "./product-comparison.ts";

/** Retailers to scope to, and GTINs of other retailers to try with each. */
const retailersToTry = 8;
const gtinsToTry = 3;

/**
 * GTINs scoped to retailers that do not have them; each retailer in turn, since a scope may be ignored for
 * one of them only. A retailer may really carry the GTIN too: then its own product is a right answer, and
 * another GTIN is tried.
 */
export async function gtinMismatch(context: CheckContext): Promise<Outcome> {
  const products = need(context.fixtures.productsByGtin);
  const refusing: string[] = [];
  for (const slug of need(context.fixtures.retailers).slice(0, retailersToTry)) {
    for (const product of products.filter(({ retailer }) => retailer !== slug).slice(0, gtinsToTry)) {
      const outcome = await scopedTo(slug, product, context);
      if (outcome === "its own product") continue;
      if (outcome.kind !== "pass") return outcome;
      refusing.push(slug);
      break;
    }
  }
  if (refusing.length > 0) return { kind: "pass", note: `404 for ${refusing.join(", ")}` };
  throw new NotJudged(
    "no listed retailer is known that lacks a known GTIN",
    "Use a key whose organization has two retailers, and a category with products that only one of them has.",
  );
}

async function scopedTo(
  slug: string,
  { gtin, retailer }: GtinFixture,
  { ask, control }: CheckContext,
): Promise<Outcome | "its own product"> {
  const succeeds = await control(byGtin(gtin, retailer));
  const answer = await ask(byGtin(gtin, slug));
  const why = `GTIN ${gtin} was scoped to ${slug}, and its product is one of ${retailer}`;
  if (answer.response.status !== 200) return hasStatus(answer, 404, why, succeeds);
  const { retailer: seen, product_id: id } = productOf(answer);
  if (seen !== undefined && seen !== slug) {
    return failed(`${why}: expected 404, got a product of ${String(seen)}`, answer, succeeds);
  }
  // What is not JSON is service.json's business.
  if (answer.response.json !== undefined && !carriesProduct(answer)) {
    return failed(`${why}: expected 404, got 200 without a product`, answer, succeeds);
  }
  // A product need not say whose it is: then the retailer is asked whether it has one of that id.
  if (seen === undefined && typeof id === "string") {
    const own = await ask(byId(slug, id));
    if (own.response.status === 404) {
      return failed(`${why}: expected 404, got a product that ${slug} does not have`, answer, own);
    }
  }
  return "its own product";
}

function carriesProduct({ response }: Exchange): boolean {
  return isObject(response.json) && Object.keys(response.json).length > 0;
}
