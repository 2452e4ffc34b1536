import type { Answer, Caller } from "../call.ts";
import { badRequest, notFound } from "../refusal.ts";
import { productText } from "../store/public-product.ts";
import type { Catalogue } from "../upstream.ts";
import { entitledRetailer } from "./entitled-retailer.ts";

/** GET /v1/products/{retailer}/{product_id}. */
export async function findProduct(
  { slug, productId }: { slug: string; productId: string },
  { caller, catalogue }: { caller: Caller; catalogue: Catalogue },
): Promise<Answer> {
  if (slug === "" || productId === "") throw badRequest("The path lacks a retailer or a product identifier.");
  const retailer = entitledRetailer(slug, caller);
  const found = catalogue.byIdentifier(retailer.id, productId);
  const stored = found instanceof Promise ? await found : found;
  if (stored === undefined) throw notFound("The retailer has no product with this identifier.");
  return { status: 200, headers: {}, body: productText(retailer, stored) };
}
