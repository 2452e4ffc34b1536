import type { Answer, Caller, Eventually } from "../call.ts";
import { badRequest, notFound } from "../refusal.ts";
import type { Catalogue, StoredFields } from "../upstream.ts";
import { entitledRetailer } from "./entitled-retailer.ts";
import { answerProduct } from "./product-answer.ts";

/** GET /v1/products/{retailer}/{product_id}. */
export function findProduct(
  { slug, productId }: { slug: string; productId: string },
  { caller, catalogue }: { caller: Caller; catalogue: Catalogue },
): Eventually<Answer> {
  if (slug === "" || productId === "") throw badRequest("The path lacks a retailer or a product identifier.");
  const retailer = entitledRetailer(slug, caller);
  const answer = (fields: StoredFields | undefined) => {
    if (fields === undefined) throw notFound("The retailer has no product with this identifier.");
    return answerProduct(retailer, fields);
  };
  const found = catalogue.byIdentifier(retailer.id, productId);
  return found instanceof Promise ? found.then(answer) : answer(found);
}
