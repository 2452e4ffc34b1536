import type { Catalogue } from "../upstream.ts";

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
  let young = new Map<string, string>();
  let old = new Map<string, string>();

  function forgetWhenChanged(): void {
    const now = version();
    if (now === seen) return;
    seen = now;
    young = new Map();
    old = new Map();
  }

  function find(retailer: number, productId: string): string | undefined {
    const name = `${retailer} ${productId}`;
    const kept = young.get(name);
    if (kept !== undefined) return kept;
    const found = old.get(name) ?? catalogue.byIdentifier(retailer, productId);
    if (found !== undefined) keep(name, found);
    return found;
  }

  function keep(name: string, text: string): void {
    if (young.size >= generationSize) {
      old = young;
      young = new Map();
    }
    young.set(name, text);
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

/** A catalogue on this machine: it answers by return. */
export type InstantCatalogue = {
  [M in keyof Catalogue]: (...asked: Parameters<Catalogue[M]>) => Awaited<ReturnType<Catalogue[M]>>;
};
