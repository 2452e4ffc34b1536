import { valuesAt } from "../../schemas/field-paths.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { byGtin, type Request } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import { isGtin } from "../response/gtin.ts";
import { browse, isBrowsed, noProductIn, type TriedCategory } from "./browsing.ts";
import {
  absent,
  attempt,
  type Fixture,
  needPart,
  noProductWith,
  type ProductFixture,
  present,
} from "./fixtures.ts";

/** A retailer and a product that the primary key may not access. */
export interface Entitlement {
  readonly unentitledRetailer: Fixture<string>;
  readonly unentitledProduct: Fixture<ProductFixture>;
}

const productsToTry = 4;
const categoriesToTry = 3;

/**
 * Uses the other organization's key to find a retailer that is not granted to the primary key, and one of its
 * products (spec, Authentication: "a valid key not entitled to the request").
 */
export async function findUnentitled(
  client: PoliteClient,
  target: Target,
  lists: { readonly own: readonly string[]; readonly other: Fixture<readonly string[]> },
  gtinPath: string | undefined,
): Promise<Entitlement> {
  const { own, other } = lists;
  if (!other.present) return { unentitledRetailer: other, unentitledProduct: other };
  const foreign = other.value.filter((slug) => !own.includes(slug));
  const [first] = foreign;
  const nothingMore = absent({ code: "no-foreign-retailer" });
  if (first === undefined) return { unentitledRetailer: nothingMore, unentitledProduct: nothingMore };
  const isForeign = ({ retailer }: ProductFixture) => foreign.includes(retailer);
  const pages: TriedCategory[] = [];
  const products: ProductFixture[] = [];
  let categoriesLeft = categoriesToTry;
  for (const category of target.categories) {
    const page = await browse(client, category, "otherOrg", isForeign);
    pages.push(page);
    const seen = isBrowsed(page) ? page.products.filter(isForeign) : [];
    products.push(...seen);
    // A product with GTIN and URL serves every check; any other serves most.
    if (seen.length > 0 && --categoriesLeft === 0) break;
    if (products.some((one) => usefulness(one, gtinPath) === mostUseful)) break;
  }
  const bestFirst = products.toSorted((a, b) => usefulness(b, gtinPath) - usefulness(a, gtinPath));
  const [best] = bestFirst;
  if (best !== undefined) {
    const product = (await foundByGtin(client, bestFirst.slice(0, productsToTry), gtinPath)) ?? best;
    return { unentitledRetailer: present(product.retailer), unentitledProduct: present(product) };
  }
  // If the other organization sees no products at all, that is the cause to report.
  const isProductSeen = pages.some((page) => isBrowsed(page) && page.products.length > 0);
  const details = { retailers: foreign, categories: [...target.categories] };
  return {
    unentitledRetailer: present(first),
    unentitledProduct: isProductSeen ? absent({ code: "no-foreign-product", details }) : noProductIn(pages),
  };
}

/**
 * The first product that its organization finds by its GTIN, with it. Preferably no retailer of the primary key has the GTIN:
 * otherwise it may lead to that retailer's product.
 */
async function foundByGtin(
  client: PoliteClient,
  products: readonly ProductFixture[],
  gtinPath: string | undefined,
): Promise<ProductFixture | undefined> {
  let shared: ProductFixture | undefined;
  for (const product of products) {
    const gtin = gtinOf(product, gtinPath);
    if (gtin === undefined) continue;
    if (!(await isFound(client, { ...byGtin(gtin, product.retailer), caller: "otherOrg" }))) continue;
    if (!(await isFound(client, byGtin(gtin)))) return { ...product, gtin };
    shared ??= { ...product, gtin };
  }
  return shared;
}

async function isFound(client: PoliteClient, request: Request): Promise<boolean> {
  return await attempt(
    async () => (await client.ask(request)).response.status === 200,
    () => false,
  );
}

/** The GTIN by which the other organization finds a product. @throws NotJudged when it finds it by none */
export function needGtin({ retailer, gtin }: ProductFixture): string {
  return needPart(gtin, noProductWith("gtin", retailer));
}

function gtinOf({ product }: ProductFixture, path: string | undefined): string | undefined {
  return path === undefined ? undefined : valuesAt(product, path).find(isGtin);
}

/** Of a product with a page URL and a GTIN. */
const mostUseful = 3;

function usefulness(product: ProductFixture, gtinPath: string | undefined): number {
  return Number(product.url !== undefined) + 2 * Number(gtinOf(product, gtinPath) !== undefined);
}
