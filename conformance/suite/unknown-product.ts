import { byId } from "../client/requests.ts";
import { need } from "../discovery/fixtures.ts";
import { unknownProductIds } from "../discovery/stand-ins.ts";
import type { CheckContext } from "../engine/check.ts";
import { productOf } from "./product-comparison.ts";

/** An id that a known retailer has no product of. */
export interface UnknownProduct {
  readonly retailer: string;
  readonly productId: string;
}

/**
 * An id of the form of a known product's that does not itself lead to a product: a made-up one may belong to
 * something by chance, and then the answer is that very product. What else the target answers to it is judged
 * by by-id.unknown-product.
 */
export async function unknownProduct(context: CheckContext): Promise<UnknownProduct> {
  const [first] = await unknownProducts(context, 1);
  const { retailer, productId } = need(context.fixtures.product);
  return first ?? { retailer, productId: `${productId}-unknown` };
}

/** As unknownProduct, several that are distinct. */
export async function unknownProducts(
  { fixtures, shared }: CheckContext,
  count: number,
): Promise<UnknownProduct[]> {
  const { retailer, productId } = need(fixtures.product);
  const found: UnknownProduct[] = [];
  const madeUp = Array.from({ length: count }, (_, index) => `${productId}-${index}-unknown`);
  for (const id of new Set([...unknownProductIds(productId), ...madeUp])) {
    if (found.length === count) break;
    const answer = await shared(byId(retailer, id));
    const exists = answer.response.status === 200 && productOf(answer).product_id === id;
    if (!exists) found.push({ retailer, productId: id });
  }
  return found;
}
