import type { Discovery } from "../../conformance/discovery/discover.ts";
import { unknownProductIds, unknownSlug } from "../../conformance/discovery/stand-ins.ts";
import type { Redaction } from "../../schemas/redaction.ts";
import type { LoadFixtures } from "../../schemas/types.ts";

/**
 * What the load scenarios may ask for, from the same discovery as the checks. Products that no GTIN or URL finds carry
 * none; what holds a key is left out, since these go into files.
 */
export function loadFixturesOf({ fixtures, dialect }: Discovery, { redact }: Redaction): LoadFixtures {
  const holdsNoKey = (value: unknown): boolean => {
    const text = JSON.stringify(value);
    return redact(text) === text;
  };
  const gtins = new Map(
    (fixtures.productsByGtin.present ? fixtures.productsByGtin.value : []).map(({ product, gtin }) => [
      product,
      gtin,
    ]),
  );
  const urlsWork = fixtures.productByUrl.present;
  const retailers = fixtures.retailers.present ? fixtures.retailers.value : [];
  const sample = fixtures.product.present ? fixtures.product.value.productId : "0000000000";
  return {
    schemaVersion: 1,
    products: fixtures.product.present
      ? fixtures.products
          .map(({ retailer, productId, url, product }) => {
            const gtin = gtins.get(product);
            return {
              retailer,
              product_id: productId,
              ...(url === undefined || !urlsWork ? {} : { url }),
              ...(gtin === undefined ? {} : { gtin }),
            };
          })
          .filter(holdsNoKey)
      : [],
    categories: fixtures.categories.map(({ category }) => category).filter(holdsNoKey),
    unknownRetailer: unknownSlug(retailers),
    unknownProductId: unknownProductIds(sample)[0] ?? "0",
    ...(fixtures.unentitledRetailer.present ? { unentitledRetailer: fixtures.unentitledRetailer.value } : {}),
    dialect: { ...dialect },
  };
}
