import { Counter, Trend } from "k6/metrics";

/** What walks through categories add to the metrics of all scripts. */
export const walkMetrics = {
  /** Pages of one walk to the end. */
  chainPages: new Trend("chain_pages"),
  /** Milliseconds of one walk to the end: the sum of its requests, without pauses. */
  chainDuration: new Trend("chain_duration", true),
  /** Walks that came to the end. */
  walksEnded: new Counter("walks_ended"),
  /** Walks that the end of the run cut. */
  walksCut: new Counter("walks_cut"),
  /** Products on pages, and those of them that the same walk had already shown. */
  productsWalked: new Counter("products_walked"),
  productsRepeated: new Counter("products_repeated"),
  /** Cursors that came twice in one walk, which would never end. */
  cursorsRepeated: new Counter("cursors_repeated"),
};
