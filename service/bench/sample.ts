import { generateCatalogue } from "../catalogue/generate.ts";
import { generatedRetailers } from "../catalogue/generator-data.ts";
import type { ProductLine } from "../catalogue/write.ts";

const usable = new Set<string>(
  generatedRetailers.filter(({ audience }) => audience !== "second").map(({ slug }) => slug),
);

/** Products of a generated catalogue that the first organization may use, spread evenly over all of it. */
export function sampleCatalogue(products: number, seed: number, size: number): ProductLine[] {
  const step = Math.max(1, Math.floor(products / size / 2));
  const sample: ProductLine[] = [];
  let number = 0;
  for (const line of generateCatalogue(products, seed)) {
    if (line.kind !== "product" || number++ % step !== 0) continue;
    if (usable.has(line.retailer) && !/^\.+$/.test(line.product_id)) sample.push(line);
  }
  return sample;
}
