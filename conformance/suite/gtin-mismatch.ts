import type { CheckContext } from "../check.ts";
import type { Exchange } from "../exchange.ts";
import { need } from "../fixtures.ts";
import { broken, type Outcome, Unjudged } from "../outcome.ts";
import { isObject } from "../products-in.ts";
import { byGtin, byId } from "../requests.ts";
import { hasStatus } from "./expectations.ts";
import { productOf } from "./product-comparison.ts";

function carriesProduct({ response }: Exchange): boolean {
  return isObject(response.json) && Object.keys(response.json).length > 0;
}

/** Pairs of a GTIN and a retailer to try before a GTIN counts as carried by every retailer. */
const pairsToTry = 6;

/**
 * A GTIN scoped to a retailer that does not have it. The retailer may really carry it too: then its own
 * product is a right answer, and another pair is tried.
 */
export async function gtinMismatch({ fixtures, ask, control }: CheckContext): Promise<Outcome> {
  const products = need(fixtures.productsByGtin);
  const slugs = need(fixtures.retailers);
  const pairs = products.flatMap((product) =>
    slugs.filter((slug) => slug !== product.retailer).map((slug) => ({ product, slug })),
  );
  if (pairs.length === 0) {
    throw new Unjudged(
      "the organization may use one retailer only, so there is no other to scope a GTIN to",
      "Use a key whose organization has two retailers.",
    );
  }
  for (const { product, slug } of pairs.slice(0, pairsToTry)) {
    const succeeds = await control(byGtin(product.gtin, product.retailer));
    const answer = await ask(byGtin(product.gtin, slug));
    const why = `GTIN ${product.gtin} was scoped to ${slug}, and its product is one of ${product.retailer}`;
    if (answer.response.status !== 200) return hasStatus(answer, 404, why, succeeds);
    const { retailer: seen, product_id: id } = productOf(answer);
    if (seen !== undefined && seen !== slug) {
      return broken(`${why}: expected 404, got a product of ${String(seen)}`, answer, succeeds);
    }
    if (!carriesProduct(answer)) {
      return broken(`${why}: expected 404, got 200 without a product of ${slug}`, answer, succeeds);
    }
    // A product need not say whose it is: then the retailer is asked whether it has one of that id.
    if (seen === undefined && typeof id === "string") {
      const own = await ask(byId(slug, id));
      if (own.response.status === 404) {
        return broken(`${why}: expected 404, got a product that ${slug} does not have`, answer, own);
      }
    }
  }
  throw new Unjudged(
    "every retailer that was tried carries the GTINs that were tried",
    "Give a category with products that only one retailer has (--category).",
  );
}
