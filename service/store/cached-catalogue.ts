import type { Catalogue, StoredFields } from "../upstream.ts";

/** Products kept in each of the two generations. */
const generationSize = 10_000;

/**
 * Keeps the products that were asked for by identifier in memory until the database changes. When a generation is
 * full the one before is dropped, so that what is asked for often stays.
 * @param catalogue one that answers at once.
 * @param version changes whenever another connection has changed the database.
 */
export function cachedCatalogue(catalogue: InstantCatalogue, version: () => number): InstantCatalogue {
  let seen = version();
  let young = new Generation();
  let old = new Generation();

  function forgetWhenChanged(): void {
    const now = version();
    if (now === seen) return;
    seen = now;
    young = new Generation();
    old = new Generation();
  }

  function find(retailer: number, productId: string): StoredFields | undefined {
    const kept = young.get(retailer, productId);
    if (kept !== undefined) return kept;
    const found = old.get(retailer, productId) ?? catalogue.byIdentifier(retailer, productId);
    if (found !== undefined) keep(retailer, productId, found);
    return found;
  }

  function keep(retailer: number, productId: string, fields: StoredFields): void {
    if (young.size >= generationSize) {
      old = young;
      young = new Generation();
    }
    young.set(retailer, productId, fields);
  }

  return {
    ...catalogue,
    byIdentifier(retailer, productId) {
      forgetWhenChanged();
      return find(retailer, productId);
    },
    byIdentifiers(items) {
      forgetWhenChanged();
      return items.map(({ retailer, productId }) => find(retailer, productId));
    },
  };
}

/** Products by retailer and identifier: two maps in a row are quicker than one of joined names. */
class Generation {
  readonly #retailers = new Map<number, Map<string, StoredFields>>();
  size = 0;

  get(retailer: number, productId: string): StoredFields | undefined {
    return this.#retailers.get(retailer)?.get(productId);
  }

  /** Keeps a product that is not there yet. */
  set(retailer: number, productId: string, fields: StoredFields): void {
    const products = this.#retailers.get(retailer);
    if (products === undefined) this.#retailers.set(retailer, new Map([[productId, fields]]));
    else products.set(productId, fields);
    this.size++;
  }
}

/** A catalogue on this machine: it answers by return. */
export type InstantCatalogue = {
  [M in keyof Catalogue]: (...asked: Parameters<Catalogue[M]>) => Awaited<ReturnType<Catalogue[M]>>;
};
