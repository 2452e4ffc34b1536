import type { CheckContext } from "../check.ts";
import { need } from "../fixtures.ts";
import { byId } from "../requests.ts";
import { unknownProductIds } from "../stand-ins.ts";
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
export async function unknownProduct({ fixtures, shared }: CheckContext): Promise<UnknownProduct> {
  const { retailer, productId } = need(fixtures.product);
  const candidates = unknownProductIds(productId);
  for (const id of candidates) {
    const answer = await shared(byId(retailer, id));
    const exists = answer.response.status === 200 && productOf(answer).product_id === id;
    if (!exists) return { retailer, productId: id };
  }
  return { retailer, productId: `${productId}-${candidates.length}-unknown` };
}
