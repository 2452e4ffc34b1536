import type { Retailer } from "../access.ts";
import type { Answer, Caller, Eventually } from "../call.ts";
import { badRequest, notFound } from "../refusal.ts";
import { productText } from "../store/public-product.ts";
import type { Catalogue } from "../upstream.ts";
import { entitledRetailer } from "./entitled-retailer.ts";

/** GET /v1/products/{retailer}/{product_id}. */
export function findProduct(
  { slug, productId }: { slug: string; productId: string },
  { caller, catalogue }: { caller: Caller; catalogue: Catalogue },
): Eventually<Answer> {
  if (slug === "" || productId === "") throw badRequest("The path lacks a retailer or a product identifier.");
  const retailer = entitledRetailer(slug, caller);
  const found = catalogue.byIdentifier(retailer.id, productId);
  return found instanceof Promise
    ? found.then((stored) => answerStored(retailer, stored))
    : answerStored(retailer, found);
}

function answerStored(retailer: Retailer, stored: string | undefined): Answer {
  if (stored === undefined) throw notFound("The retailer has no product with this identifier.");
  return { status: 200, headers: noHeaders, body: productText(retailer, stored) };
}

const noHeaders = {};
