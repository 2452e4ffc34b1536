import { product } from "./product.ts";
import { array, count, filled, openObject, string } from "./schema.ts";

/** Spec, Retailer. `domains` is always there and may be empty. */
const retailer = openObject({ slug: filled(), "name?": filled(), domains: array(filled()) });

/** Spec, GET /v1/retailers, response 200. */
export const retailers = openObject({ retailers: array(retailer) });

/** Spec, Product list page. `next_cursor` is empty at the end, never missing. */
export const productList = openObject({
  products: array(product),
  meta: openObject({ next_cursor: string(), count: count() }),
});

/** Spec, Batch result, which does not name the list of found products: discovery finds it. */
export const batchResult = openObject({
  errors: array(openObject({ retailer: string(), product_id: string() })),
  meta: openObject({ total: count(), found: count(), not_found: count(), other_errors: count() }),
});

/** Spec, Error body. Clients branch on `code`; the wording of `message` may change. */
export const errorBody = openObject({ error: openObject({ code: filled(), message: string() }) });
