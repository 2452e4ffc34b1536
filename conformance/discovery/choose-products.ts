import type { ProductFixture } from "./fixtures.ts";

/**
 * As few products as possible that together lack as many fields as possible: a service may put null or an empty
 * string in place of a field that the retailer did not provide (spec: "omitted").
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

/** The same products with one of each retailer first, so that a prefix covers all retailers. */
export function oneOfEachRetailerFirst<T extends Pick<ProductFixture, "retailer">>(
  products: readonly T[],
): T[] {
  const seen = new Set<string>();
  const firsts = products.filter(({ retailer }) => !seen.has(retailer) && seen.add(retailer));
  return [...firsts, ...products.filter((product) => !firsts.includes(product))];
}
