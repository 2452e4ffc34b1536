// When a walk through a category goes round and would never end. The suite and the load judge it with the same function.

// A product may appear twice when the catalog changes during a walk. If all appear three times, the walk is a cycle.
const timesAround = 3;
const longestRound = 10;
/** After so many pages in a row with a known cursor and no new product, a walk does not advance: one page may be filtered. */
const pagesWithoutNews = 3;
/** Most products that are remembered. */
const longestMemory = 20_000;

export function createRounds() {
  const cursors = new Set<string>();
  const known = new Set<string>();
  let [isAgain, withoutNews, total] = [false, 0, 0];
  return {
    /** Whether the last cursor was that of an earlier page, as where a service keeps the place of a walk behind one cursor. */
    get isAgain() {
      return isAgain;
    },
    /** Adds a page that is not the last one, with the names of its products. Returns why the walk would never end, if it would. */
    add(cursor: string, products: readonly string[]): "repeated cursor" | "repeated products" | undefined {
      const before = known.size;
      const isFull = before >= longestMemory;
      if (!isFull) {
        total += products.length;
        for (let place = 0; place < products.length; place += 1) known.add(products[place] ?? "");
      }
      if (total > longestRound + timesAround * known.size) return "repeated products";
      isAgain = cursors.has(cursor);
      withoutNews = isAgain && known.size === before && !isFull ? withoutNews + 1 : 0;
      cursors.add(cursor);
      return withoutNews === pagesWithoutNews ? "repeated cursor" : undefined;
    },
  };
}
