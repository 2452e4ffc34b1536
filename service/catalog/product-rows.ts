import type { DatabaseSync } from "node:sqlite";
import { gtinNumber, pageAddress } from "./identifiers.ts";

const text = { type: ["string", "null"] } as const;

/**
 * The external allow-list (spec, What the service does), in the order of fields in responses, and what an
 * import accepts for each. `retailer` and `retailer_name` come first and are not stored with the product.
 */
export const allowedFields = {
  product_id: { type: "string", minLength: 1 },
  title: text,
  brand: text,
  description: text,
  category: text,
  price: { type: ["number", "null"], minimum: 0 },
  currency: text,
  availability: text,
  product_url: text,
  images: { type: ["array", "null"], items: { type: "string", minLength: 1 } },
  gtin: text,
  mpn: text,
  color: text,
  size: text,
  last_updated: { ...text, pattern: "^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z)?$" },
} as const;

type ProductField = keyof typeof allowedFields;
const fieldNames = Object.keys(allowedFields) as ProductField[];

/** A retailer, as a catalog file or the generator gives it. */
export interface RetailerLine {
  readonly kind: "retailer";
  readonly slug: string;
  readonly name: string;
  /** Host names; omitted or empty while none is configured. */
  readonly domains?: readonly string[];
}

/** Public fields, the categories that it is browsed in, and internal data that is never returned. */
export type ProductLine = {
  readonly kind: "product";
  readonly retailer: string;
  readonly product_id: string;
  readonly categories?: readonly string[];
  readonly internal?: Readonly<Record<string, unknown>>;
} & { readonly [F in Exclude<ProductField, "product_id">]?: unknown };

export type CatalogLine = RetailerLine | ProductLine;

/** What is wrong with a line. */
export class LineError extends Error {
  override readonly name = "LineError";
}

/**
 * Makes a function that adds a line to a new database, with statements that are prepared once; a known
 * retailer (by slug) or product (by identifier) is replaced. It throws LineError.
 */
export function createWriter(database: DatabaseSync): (line: CatalogLine) => void {
  const retailers = new Map<string, number>();
  const categories = new Map<string, number>();
  const upsertRetailer = database.prepare(
    `insert into retailer (slug, name) values (?, ?)
     on conflict (slug) do update set name = excluded.name returning id`,
  );
  const deleteDomains = database.prepare("delete from retailer_domain where retailer = ?");
  const addDomain = database.prepare(
    "insert into retailer_domain (domain, retailer) values (?, ?) on conflict do nothing",
  );
  const addCategory = database.prepare("insert into category (name) values (?) returning id");
  const deleteProduct = database.prepare("delete from product where retailer = ? and product_id = ?");
  const addProduct = database.prepare(
    `insert into product (retailer, product_id, gtin, page_host, page_path, answer, internal)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const addToCategory = database.prepare("insert into category_product (category, product) values (?, ?)");

  function writeRetailer({ slug, name, domains = [] }: RetailerLine): void {
    const id = Number(upsertRetailer.get(slug, name)?.id);
    retailers.set(slug, id);
    deleteDomains.run(id);
    for (const domain of new Set(domains.map(plainDomain)))
      if (addDomain.run(domain, id).changes === 0)
        throw new LineError(`\`domains\` has ${domain}, which is another retailer's`);
  }

  function knownRetailer(slug: string): number {
    const known = retailers.get(slug);
    if (known === undefined) throw new LineError(`there is no retailer "${slug}"`);
    return known;
  }

  function categoryId(name: string): number {
    const id = categories.get(name) ?? Number(addCategory.get(name)?.id);
    categories.set(name, id);
    return id;
  }

  function writeProduct(line: ProductLine): void {
    const retailer = knownRetailer(line.retailer);
    const gtin = typeof line.gtin === "string" ? gtinNumber(line.gtin) : undefined;
    const page = typeof line.product_url === "string" ? pageAddress(line.product_url) : undefined;
    deleteProduct.run(retailer, line.product_id);
    const { lastInsertRowid } = addProduct.run(
      retailer,
      line.product_id,
      gtin ?? null,
      page?.host ?? null,
      page?.path ?? null,
      publicText(line),
      line.internal === undefined ? null : JSON.stringify(line.internal),
    );
    for (const id of new Set((line.categories ?? []).map(categoryId))) addToCategory.run(id, lastInsertRowid);
  }

  return (line) => (line.kind === "retailer" ? writeRetailer(line) : writeProduct(line));
}

/** Fields that have a value (spec: "never returned as null or as an empty string"), as JSON. */
function publicText(product: ProductLine): string {
  const kept: Partial<Record<ProductField, unknown>> = {};
  for (const name of fieldNames) {
    const value = product[name];
    if (!isEmpty(value)) kept[name] = value;
  }
  return JSON.stringify(kept);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  return Array.isArray(value) && value.length === 0;
}

/** As the host of a page is written, with which it is compared. */
function plainDomain(domain: string): string {
  const address = pageAddress(`https://${domain}`);
  if (address === undefined) throw new LineError(`\`domains\` has ${domain}, which is no host name`);
  return address.host;
}
