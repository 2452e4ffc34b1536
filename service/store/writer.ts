import type { DatabaseSync } from "node:sqlite";
import type { CatalogueLine, ProductLine, RetailerLine } from "../catalogue/line.ts";
import { gtinNumber } from "../query/gtin.ts";
import { pageAddress } from "../query/product-url.ts";
import { publicText } from "./public-product.ts";

/** Puts catalogue lines into the database: new ones are added, known ones (by slug, by identifier) replaced. */
export interface CatalogueWriter {
  /** @throws UnknownRetailer for a product of a retailer that is not there. */
  write(line: CatalogueLine): void;
}

/** A product line names a retailer that neither the file nor the database has. */
export class UnknownRetailer extends Error {
  override readonly name = "UnknownRetailer";
}

export function createWriter(database: DatabaseSync): CatalogueWriter {
  const retailers = new Map<string, number>();
  const categories = new Map<string, number>();
  const upsertRetailer = database.prepare(
    `insert into retailer (slug, name) values (?, ?)
     on conflict (slug) do update set name = excluded.name returning id`,
  );
  const retailerId = database.prepare("select id from retailer where slug = ?");
  const forgetDomains = database.prepare("delete from retailer_domain where retailer = ?");
  const addDomain = database.prepare("insert into retailer_domain (domain, retailer) values (?, ?)");
  const upsertCategory = database.prepare(
    "insert into category (name) values (?) on conflict (name) do update set name = excluded.name returning id",
  );
  const addProduct = database.prepare(
    `insert into product (gtin, page_host, page_path, categories, answer, internal, retailer, product_id)
     values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (retailer, product_id) do nothing`,
  );
  const oldProduct = database.prepare(
    "select id, categories from product where retailer = ? and product_id = ?",
  );
  const changeProduct = database.prepare(
    `update product set gtin = ?, page_host = ?, page_path = ?, categories = ?, answer = ?, internal = ?
     where id = ?`,
  );
  const enter = database.prepare("insert into category_product (category, product) values (?, ?)");
  const leave = database.prepare("delete from category_product where category = ? and product = ?");

  function writeRetailer({ slug, name, domains = [] }: RetailerLine): void {
    const id = Number(upsertRetailer.get(slug, name)?.id);
    retailers.set(slug, id);
    forgetDomains.run(id);
    for (const domain of new Set(domains.map(plainDomain))) addDomain.run(domain, id);
  }

  function knownRetailer(slug: string): number {
    const known = retailers.get(slug) ?? retailerId.get(slug)?.id;
    if (known === undefined) throw new UnknownRetailer(`there is no retailer "${slug}"`);
    retailers.set(slug, Number(known));
    return Number(known);
  }

  function categoryId(name: string): number {
    const id = categories.get(name) ?? Number(upsertCategory.get(name)?.id);
    categories.set(name, id);
    return id;
  }

  function writeProduct(line: ProductLine): void {
    const retailer = knownRetailer(line.retailer);
    const gtin = typeof line.gtin === "string" ? gtinNumber(line.gtin) : undefined;
    const page = typeof line.product_url === "string" ? pageAddress(line.product_url) : undefined;
    const ids = [...new Set(line.categories ?? [])].map(categoryId);
    const columns = [
      gtin ?? null,
      page?.host ?? null,
      page?.path ?? null,
      JSON.stringify(ids),
      publicText(line),
      line.internal === undefined ? null : JSON.stringify(line.internal),
    ] as const;
    const added = addProduct.run(...columns, retailer, line.product_id);
    if (added.changes === 1) {
      for (const id of ids) enter.run(id, added.lastInsertRowid);
      return;
    }
    const old = oldProduct.get(retailer, line.product_id);
    const product = Number(old?.id);
    const oldIds: number[] = JSON.parse(String(old?.categories));
    changeProduct.run(...columns, product);
    for (const id of oldIds) if (!ids.includes(id)) leave.run(id, product);
    for (const id of ids) if (!oldIds.includes(id)) enter.run(id, product);
  }

  return {
    write: (line) => (line.kind === "retailer" ? writeRetailer(line) : writeProduct(line)),
  };
}

/** `www.` makes no difference between hosts, nor does case. */
function plainDomain(domain: string): string {
  return domain.toLowerCase().replace(/^www\./, "");
}
