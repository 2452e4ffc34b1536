// When a walk through a category would never end. The suite and the load judge it with the same function.

// A product may appear twice when the catalog changes during a walk. All three times is a cycle.
const timesAround = 3;
const longestRound = 10;
/** Pages in a row with a known cursor and no new product that end a walk: one page may be filtered. */
const pagesWithoutNews = 3;
/** Most products that are remembered. */
const longestMemory = 20_000;

export function createRounds() {
  const cursors = new Set<string>();
  const known = new Set<string>();
  let [withoutNews, total] = [0, 0];
  return {
    /** Adds a page that is not the last, by its products. Returns why the walk would never end, if so. */
    add(cursor: string, products: readonly string[]): "repeated cursor" | "repeated products" | undefined {
      const before = known.size;
      const isFull = before >= longestMemory;
      if (!isFull) {
        total += products.length;
        for (let place = 0; place < products.length; place += 1) known.add(products[place] ?? "");
      }
      if (total > longestRound + timesAround * known.size) return "repeated products";
      withoutNews = cursors.has(cursor) && known.size === before && !isFull ? withoutNews + 1 : 0;
      cursors.add(cursor);
      return withoutNews === pagesWithoutNews ? "repeated cursor" : undefined;
    },
  };
}
