import type { DatabaseSync } from "node:sqlite";
import type { InstantCatalogue } from "./cached-catalogue.ts";

/** The catalogue in the service's own database: every question is one indexed statement, prepared once. */
export function sqliteCatalogue(database: DatabaseSync): InstantCatalogue {
  const byIdentifier = database.prepare("select answer from product where retailer = ? and product_id = ?");
  byIdentifier.setReturnArrays(true);
  const byGtin = database.prepare(
    "select retailer, answer as text from product where gtin = ? order by id limit 1000",
  );
  const byPagePath = database.prepare(
    "select retailer, answer as text, page_host as host from product where page_path = ? order by id limit 1000",
  );
  const inCategory = database.prepare(`
    select product.retailer, product.answer as text, product.id as position
    from category_product join product on product.id = category_product.product
    where category_product.category = (select id from category where name = ?) and category_product.product > ?
    order by category_product.product limit ?`);

  function find(retailer: number, productId: string): string | undefined {
    // SQLite stores well-formed text only: anything else would be found by its replacement.
    if (!productId.isWellFormed()) return undefined;
    const row = byIdentifier.get(retailer, productId) as unknown as readonly [string] | undefined;
    return row?.[0];
  }

  return {
    byIdentifier: find,
    byIdentifiers: (items) => items.map(({ retailer, productId }) => find(retailer, productId)),
    byGtin: (gtin) => byGtin.all(gtin) as never,
    byPagePath: (path) => byPagePath.all(path) as never,
    inCategory: (category, after, limit) => inCategory.all(category, after, limit) as never,
  };
}
