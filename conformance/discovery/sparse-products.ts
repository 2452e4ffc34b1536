import type { ProductFixture } from "./fixtures.ts";

/**
 * Products that together lack as many as possible of the fields that products have, in as few as possible: what
 * a retailer did not provide is where a null or an empty text takes the place of a field (spec: "omitted").
 */
export function sparsest<T extends Pick<ProductFixture, "product">>(
  products: readonly T[],
  most: number,
): T[] {
  const fields = new Set(products.flatMap(({ product }) => Object.keys(product)));
  const lacking = products.map((fixture) => ({
    fixture,
    fields: fields.difference(new Set(Object.keys(fixture.product))),
  }));
  const chosen: T[] = [];
  let covered = new Set<string>();
  while (chosen.length < most) {
    const gains = lacking.map((one) => ({ ...one, gain: one.fields.difference(covered).size }));
    const best = gains.toSorted((a, b) => b.gain - a.gain)[0];
    if (best === undefined || best.gain === 0) break;
    chosen.push(best.fixture);
    covered = covered.union(best.fields);
  }
  return chosen;
}
