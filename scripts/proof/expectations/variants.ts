import type { Unjudgeable } from "../trial.ts";

const noUrl: Unjudgeable = ["no product seen carries a product_url", "with a product_url is known"];
const noGtin: Unjudgeable = ["no product seen carries a GTIN", "with a GTIN is known"];

/**
 * What may leave a check inconclusive under a variant: part of the reason that it must give. A variant that is not
 * named here must leave nothing unjudged.
 */
export const unjudgeableUnder: Readonly<Record<string, Unjudgeable>> = {
  "no-product-url": noUrl,
  "no-gtin": noGtin,
  "sparse-products": [...noUrl, ...noGtin],
};
