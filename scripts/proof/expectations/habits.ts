import type { Unjudgeable } from "../trial.ts";

const noUrl = "no product carries a URL that could be asked for";
const noGtin = "no product carries a GTIN that could be asked for";

const byUrl: Unjudgeable = {
  "service.four-ways": noUrl,
  "product.same-shape/by-url": noUrl,
  "query.url": noUrl,
  "query.url-not-found": noUrl,
  "query.exclusive-identifiers": noUrl,
  "query.category-alone/category-and-url": noUrl,
  "query.invalid-parameter/no-parameter": noUrl,
  "query.invalid-parameter/empty-url": noUrl,
  "authentication.required/by-url": noUrl,
  "authentication.equivalent/by-url": noUrl,
  "authentication.entitlement/by-url": noUrl,
};

const byGtin: Unjudgeable = {
  "service.four-ways": noGtin,
  "product.same-shape/by-gtin": noGtin,
  "query.gtin": noGtin,
  "query.gtin-not-found": noGtin,
  "query.gtin-match": noGtin,
  "query.gtin-mismatch": noGtin,
  "query.exclusive-identifiers": noGtin,
  "query.category-alone/category-and-gtin": noGtin,
  "query.invalid-parameter/retailer-alone": noGtin,
  "query.invalid-parameter/empty-gtin": noGtin,
  "query.invalid-parameter/gtin-letters": noGtin,
  "authentication.required/by-gtin": noGtin,
  "authentication.equivalent/by-gtin": noGtin,
  "authentication.entitlement/by-gtin": noGtin,
  "errors.unknown-retailer/by-gtin": noGtin,
  "errors.unentitled-retailer/by-gtin": noGtin,
};

/** What may stay inconclusive under a habit. A habit that is not named here must leave nothing unjudged. */
export const unjudgeableUnder: Readonly<Record<string, Unjudgeable>> = {
  "no-product-url": byUrl,
  "no-gtin": byGtin,
  "sparse-products": { ...byUrl, ...byGtin },
};
