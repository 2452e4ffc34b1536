import type { Asking } from "../asking.ts";
import {
  absent,
  type Fixture,
  noCategory,
  noOtherOrgKey,
  type ProductFixture,
  present,
} from "../fixtures.ts";
import { isGtin } from "../gtin.ts";
import { byGtin } from "../requests.ts";
import type { Target } from "../target.ts";
import { browseIfPossible } from "./browsing.ts";
import { valuesAt } from "./field-paths.ts";

/** Retailers and products that the primary key must not reach. */
export interface Entitlement {
  readonly unentitledRetailer: Fixture<string>;
  readonly unentitledProduct: Fixture<ProductFixture>;
}

const productsToTry = 4;

const nothingMore = absent(
  "the other organization has no retailer that the primary key's organization has not",
  "Use a key of an organization that has a retailer which yours has not (SHELFCHECK_OTHER_ORG_API_KEY).",
);

/**
 * Finds, with the other organization's key, a retailer that exists and is not granted to the primary key, and
 * a product of it (spec, Authentication: "a valid key not entitled to the request").
 */
export async function findUnentitled(
  asking: Asking,
  target: Target,
  lists: { readonly own: readonly string[]; readonly other: readonly string[] },
  gtinPath: string | undefined,
): Promise<Entitlement> {
  if (target.keys.otherOrg === undefined) {
    return { unentitledRetailer: noOtherOrgKey, unentitledProduct: noOtherOrgKey };
  }
  const foreign = lists.other.filter((slug) => !lists.own.includes(slug));
  const [first] = foreign;
  if (first === undefined) return { unentitledRetailer: nothingMore, unentitledProduct: nothingMore };
  for (const category of target.categories) {
    const isForeign = ({ retailer }: ProductFixture) => foreign.includes(retailer);
    const page = await browseIfPossible(asking, category, "otherOrg", isForeign);
    const products = page?.products.filter(isForeign) ?? [];
    // One with a GTIN and a URL serves every check; any other serves most.
    const bestFirst = products.toSorted((a, b) => usefulness(b, gtinPath) - usefulness(a, gtinPath));
    const [best] = bestFirst;
    if (best !== undefined) {
      const chosen = (await firstFoundByGtin(asking, bestFirst.slice(0, productsToTry), gtinPath)) ?? best;
      return { unentitledRetailer: present(chosen.retailer), unentitledProduct: present(chosen) };
    }
  }
  if (target.categories.length === 0) {
    return { unentitledRetailer: present(first), unentitledProduct: noCategory };
  }
  return {
    unentitledRetailer: present(first),
    unentitledProduct: absent(
      `no product of a retailer that is not granted (${foreign.join(", ")}) shows in the given categories`,
      "Give a category that such a retailer has products in (--category).",
    ),
  };
}

// A GTIN that several retailers carry may lead to another of them, even when it is scoped.
async function firstFoundByGtin(
  asking: Asking,
  products: readonly ProductFixture[],
  gtinPath: string | undefined,
): Promise<ProductFixture | undefined> {
  for (const product of products) {
    const gtin = gtinOf(product, gtinPath);
    if (gtin === undefined) continue;
    const { response } = await asking.ask({ ...byGtin(gtin, product.retailer), caller: "otherOrg" });
    if (response.status === 200) return { ...product, gtin };
  }
  return undefined;
}

function gtinOf({ product }: ProductFixture, path: string | undefined): string | undefined {
  return path === undefined ? undefined : valuesAt(product, path).find(isGtin);
}

function usefulness(product: ProductFixture, gtinPath: string | undefined): number {
  return Number(product.url !== undefined) + 2 * Number(gtinOf(product, gtinPath) !== undefined);
}
