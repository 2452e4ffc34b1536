import type { LoadFixtures } from "../../schemas/contracts/load-fixtures.ts";

/** Fixtures of a made-up target, for plans, which know no other, and for tests: `count` products, all with URL and GTIN. */
export function sampleFixtures(count = 100): LoadFixtures {
  return {
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
    tenants: (["primary", "otherOrg"] as const).map((key, place) => ({
      key,
      retailers: ["retailer-0", `retailer-${place + 1}`],
      products: Array.from({ length: 20 }, (_, at) => ({
        retailer: `retailer-${at % 2 === 0 ? 0 : place + 1}`,
        product_id: `id/${at} %`,
        url: `https://shop.example/${at}?tenant=${place}`,
        gtin: String(5_000_000_000_000 + at),
      })),
    })),
    dialect: { batchRequestField: "items", batchFoundField: "found", batchFoundProduct: "" },
  };
}
