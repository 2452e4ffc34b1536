import type { CheckContext } from "../check.ts";
import { need } from "../fixtures.ts";
import type { BatchItem } from "../requests.ts";
import { unknownProduct } from "./unknown-product.ts";

/** Known products as items; at least one. */
export function knownItems({ fixtures }: CheckContext, count: number): BatchItem[] {
  const first = need(fixtures.product);
  const others = fixtures.products.filter(
    ({ retailer, productId }) => retailer !== first.retailer || productId !== first.productId,
  );
  return [first, ...others]
    .slice(0, count)
    .map(({ retailer, productId }) => ({ retailer, product_id: productId }));
}

/** An item of a known retailer that no product has. */
export async function missingItem(context: CheckContext): Promise<BatchItem> {
  const { retailer, productId } = await unknownProduct(context);
  return { retailer, product_id: productId };
}

/** One known item and otherwise distinct made-up ones: a service may take equal items for one. */
export function manyItems(context: CheckContext, count: number): BatchItem[] {
  const [known] = knownItems(context, 1);
  if (known === undefined) return [];
  const madeUp = Array.from({ length: count - 1 }, (_, index) => ({
    retailer: known.retailer,
    product_id: `${known.product_id.slice(0, Math.floor(known.product_id.length / 2))}${String(index).padStart(4, "0")}`,
  }));
  return [known, ...madeUp];
}
