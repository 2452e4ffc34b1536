import type { DatabaseSync } from "node:sqlite";

/** A value now, or the promise of one. */
export type Eventually<T> = T | Promise<T>;

/**
 * A product's allow-listed fields but `retailer` and `retailer_name`: the bytes of a JSON object without its
 * opening brace, sent as they were stored.
 */
export type StoredFields = Buffer;

export interface StoredProduct {
  readonly retailer: number;
  readonly fields: StoredFields;
}

/** A product of a page, with its position in the category. */
interface PlacedProduct extends StoredProduct {
  readonly position: number;
}

export interface Identifier {
  readonly retailer: number;
  readonly productId: string;
}

/** The internal catalog; it may respond late, or fail. */
export interface Catalog {
  byIdentifier(retailer: number, productId: string): Eventually<StoredFields | undefined>;
  /** One entry for each item, in the same order. */
  byIdentifiers(items: readonly Identifier[]): Eventually<readonly (StoredFields | undefined)[]>;
  /** The products with this GTIN, at any retailer, oldest first. */
  byGtin(gtin: number): Eventually<readonly StoredProduct[]>;
  /** The products whose page has this path, at any host. */
  byPagePath(path: string): Eventually<readonly (StoredProduct & { readonly host: string })[]>;
  /** Up to `limit` products of a category, at any retailer, after a position. */
  inCategory(category: string, after: number, limit: number): Eventually<readonly PlacedProduct[]>;
}

/** A catalog whose lookups are synchronous. */
type LocalCatalog = {
  [M in keyof Catalog]: (...parameters: Parameters<Catalog[M]>) => Awaited<ReturnType<Catalog[M]>>;
};

/** The bytes as SQLite keeps them, after the opening brace. */
const fields = "cast(substr(answer, 2) as blob) as fields";

/** The catalog in the service's own database: every lookup is one indexed statement, prepared once. */
export function sqliteCatalog(database: DatabaseSync): LocalCatalog {
  const byIdentifier = database.prepare(
    `select ${fields} from product where retailer = ? and product_id = ?`,
  );
  byIdentifier.setReturnArrays(true);
  const byGtin = database.prepare(
    `select retailer, ${fields} from product where gtin = ? order by id limit 1000`,
  );
  const byPagePath = database.prepare(
    `select retailer, ${fields}, page_host as host from product where page_path = ? order by id limit 1000`,
  );
  const inCategory = database.prepare(`
    select retailer, ${fields}, product.id as position
    from category_product join product on product.id = category_product.product
    where category_product.category = (select id from category where name = ?) and category_product.product > ?
    order by category_product.product limit ?`);

  function find(retailer: number, productId: string): StoredFields | undefined {
    // SQLite stores only well-formed text and would look for a replacement of anything else.
    if (!productId.isWellFormed()) return undefined;
    const row = byIdentifier.get(retailer, productId) as unknown as readonly [Uint8Array] | undefined;
    return row === undefined ? undefined : bufferOver(row[0]);
  }

  return {
    byIdentifier: find,
    byIdentifiers: (items) => items.map(({ retailer, productId }) => find(retailer, productId)),
    byGtin: (gtin) => withBuffers(byGtin.all(gtin)),
    byPagePath: (path) => withBuffers(byPagePath.all(path)),
    inCategory: (category, after, limit) => withBuffers(inCategory.all(category, after, limit)),
  };
}

const bufferOver = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

/** The rows with a Buffer in place of the plain bytes. */
function withBuffers<T>(rows: readonly Record<string, unknown>[]): T[] {
  return rows.map((row) => ({ ...row, fields: bufferOver(row.fields as Uint8Array) }) as T);
}
