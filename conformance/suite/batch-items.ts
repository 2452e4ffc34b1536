import type { BatchItem } from "../client/requests.ts";
import { oneOfEachRetailerFirst } from "../discovery/choose-products.ts";
import { need } from "../discovery/fixtures.ts";
import type { CheckContext } from "../engine/check.ts";
import { unknownProduct, unknownProducts } from "./unknown-product.ts";

/** Known products as items, up to a number, of each retailer first; at least one. */
export function knownItems({ fixtures }: CheckContext, count: number): [BatchItem, ...BatchItem[]] {
  const { retailer, productId } = need(fixtures.product);
  const first = { retailer, product_id: productId };
  const others = oneOfEachRetailerFirst(fixtures.products)
    .map((product) => ({ retailer: product.retailer, product_id: product.productId }))
    .filter((item) => item.retailer !== retailer || item.product_id !== productId);
  return [first, ...others.slice(0, count - 1)];
}

/** An item of a known retailer that no product has. */
export async function missingItem(context: CheckContext): Promise<BatchItem> {
  const { retailer, productId } = await unknownProduct(context);
  return { retailer, product_id: productId };
}

/** Several items of a known retailer that no product has; distinct. */
export async function missingItems(context: CheckContext, count: number): Promise<BatchItem[]> {
  const unknown = await unknownProducts(context, count);
  return unknown.map(({ retailer, productId }) => ({ retailer, product_id: productId }));
}

/** Known items as far as they go, and then distinct made-up ones: a service may take equal items for one. */
export function manyItems(context: CheckContext, count: number): BatchItem[] {
  const known = knownItems(context, count);
  const [{ retailer, product_id: id }] = known;
  const prefix = id.slice(0, Math.floor(id.length / 2));
  const madeUp = Array.from({ length: count - known.length }, (_, index) => ({
    retailer,
    product_id: `${prefix}${String(index).padStart(4, "0")}`,
  }));
  return [...known, ...madeUp];
}
