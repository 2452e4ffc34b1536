/** A value now, or the promise of one. */
export type Eventually<T> = T | Promise<T>;

/**
 * The allow-listed fields of a product, except `retailer` and `retailer_name`: the bytes of a JSON object without the
 * opening brace. They are sent as they were stored, without parsing or decoding.
 */
export type StoredFields = Buffer;

export interface StoredProduct {
  readonly retailer: number;
  readonly fields: StoredFields;
}

/** A product of a page, with its position in the category. */
export interface PlacedProduct extends StoredProduct {
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
