import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";

/** Fixtures of a made-up target, for tests: `count` products, all with URL and GTIN. */
export function sampleFixtures(count = 100): LoadFixtures {
  return {
    schemaVersion: 1,
    products: Array.from({ length: count }, (_, place) => ({
      retailer: `retailer-${place % 3}`,
      product_id: `id/${place} %`,
      url: `https://shop.example/${place}?a=1&b=2`,
      gtin: String(4_000_000_000_000 + place),
    })),
    categories: ["home & garden", "shoes"],
    unknownRetailer: "no-such-retailer",
    unknownProductId: "no-such-product",
    unentitledRetailer: "closed-shop",
    dialect: { batchRequestField: "items", batchFoundField: "found", batchFoundProduct: "" },
  };
}
