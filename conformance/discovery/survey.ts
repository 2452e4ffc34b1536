import type { FieldNames } from "../../schemas/contracts/product.ts";
import { jsonType } from "../../schemas/json.ts";
import { placesIn } from "../../schemas/product-values.ts";
import type { Exchange } from "../client/exchange.ts";
import { productsIn } from "../response/products-in.ts";

/** Most field paths to count, overall and for each retailer: field names may be data. */
const mostPaths = 400;
const mostRetailers = 200;

/**
 * Statistics about the contract with the primary key. Other keys see other products, and a run may lack them.
 *
 * A product that appears several times counts once, with all fields it ever had. A field that is null or
 * empty counts as missing: it must be omitted, and once it is, the contract has not changed.
 */
export function surveyOf(exchanges: readonly Exchange[], fieldNames: FieldNames) {
  const surveyed = new Map<string, { readonly retailer: unknown; readonly paths: Set<string> }>();
  const types = new Map<string, Map<string, Set<string>>>();
  const texts = new Set<string>();
  for (const exchange of exchanges.filter(({ caller }) => caller === "primary"))
    for (const { product } of productsIn(exchange, fieldNames)) {
      const { retailer, product_id: id } = product;
      const text = JSON.stringify(product);
      // Most products appear again as they were.
      if (texts.size === texts.add(text).size) continue;
      const identity = typeof id === "string" ? JSON.stringify([retailer, id]) : text;
      const { paths } = surveyed.get(identity) ?? { paths: new Set<string>() };
      surveyed.set(identity, { retailer, paths });
      for (const { path, value } of placesIn(product)) {
        if (value === null) continue;
        const type = jsonType(value);
        const known = types.get(path) ?? new Map<string, Set<string>>();
        if (known.size > 0 || types.size < mostPaths)
          types.set(path, known.set(type, (known.get(type) ?? new Set()).add(identity)));
        if (typeof value !== "object" && value !== "") paths.add(path);
      }
    }
  const products = [...surveyed.values()];
  const ofRetailers = [...Map.groupBy(products, ({ retailer }) => retailer)].filter(
    ([retailer]) => typeof retailer === "string" && retailer !== "",
  );
  return {
    /** Number of different products that have each field path. */
    fields: countsOf(products),
    fieldsByRetailer: Object.fromEntries(
      ofRetailers
        .slice(0, mostRetailers)
        .map(([slug, own]) => [String(slug), { products: own.length, fields: countsOf(own) }]),
    ),
    productsByType: Object.fromEntries(
      [...types].map(([path, seen]) => [
        path,
        Object.fromEntries([...seen].map(([type, { size }]) => [type, size])),
      ]),
    ),
  };
}

function countsOf(products: readonly { readonly paths: ReadonlySet<string> }[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const path of products.flatMap(({ paths }) => [...paths])) {
    const count = counts.get(path);
    if (count !== undefined || counts.size < mostPaths) counts.set(path, (count ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
