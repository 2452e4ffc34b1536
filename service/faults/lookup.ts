import { onRespond, queryOf, respondOr, withQuery } from "../answer-changes.ts";
import { Refusal } from "../refusal.ts";
import { faultsOf } from "./fault.ts";

export const lookupFaults = faultsOf("GET /v1/products (query-driven)", [
  [
    "gtin-other-retailer",
    "gtin.scoped-to-retailer",
    "When `retailer` is given and the product resolves to a different retailer, the response is 404, not a result from the other retailer.",
    onRespond((call, inner) =>
      respondOr(inner, call, (error) => {
        const scoped = queryOf(call).has("gtin") && queryOf(call).has("retailer");
        if (!scoped || !(error instanceof Refusal) || error.status !== 404) throw error;
        return inner(withQuery(call, { retailer: undefined }));
      }),
    ),
  ],
]);
