import { valuesAt } from "../../schemas/field-paths.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { byGtin, type Request } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import { isGtin } from "../response/gtin.ts";
import { browseIfPossible, isBrowsed, noProductIn, type UnbrowsableCategory } from "./browsing.ts";
import {
  absent,
  attempt,
  type CategoryFixture,
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

const nothingMore = absent({ code: "no-foreign-retailer" });

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
  if (!lists.other.present) return { unentitledRetailer: lists.other, unentitledProduct: lists.other };
  const foreign = lists.other.value.filter((slug) => !lists.own.includes(slug));
  const [first] = foreign;
  if (first === undefined) return { unentitledRetailer: nothingMore, unentitledProduct: nothingMore };
  const isForeign = ({ retailer }: ProductFixture) => foreign.includes(retailer);
  let secondBest: ProductFixture | undefined;
  let categoriesLeft = categoriesToTry;
  const pages: (CategoryFixture | UnbrowsableCategory)[] = [];
  for (const category of target.categories) {
    const page = await browseIfPossible(client, category, "otherOrg", isForeign);
    pages.push(page);
    const products = isBrowsed(page) ? page.products.filter(isForeign) : [];
    // A product with GTIN and URL serves every check; any other serves most.
    const bestFirst = products.toSorted((a, b) => usefulness(b, gtinPath) - usefulness(a, gtinPath));
    const [best] = bestFirst;
    if (best === undefined) continue;
    const found = await foundByGtin(client, bestFirst.slice(0, productsToTry), gtinPath);
    const product = found?.product ?? best;
    if (found?.isAlone === true || gtinPath === undefined) return entitlementOf(product);
    if (secondBest === undefined || (secondBest.gtin === undefined && product.gtin !== undefined))
      secondBest = product;
    if (--categoriesLeft === 0) break;
  }
  if (secondBest !== undefined) return entitlementOf(secondBest);
  const isProductSeen = pages.some((page) => isBrowsed(page) && page.products.length > 0);
  return {
    unentitledRetailer: present(first),
    // If the other organization sees no products at all, that is the cause to report.
    unentitledProduct: isProductSeen
      ? absent({
          code: "no-foreign-product",
          details: { retailers: foreign, categories: [...target.categories] },
        })
      : noProductIn(pages),
  };
}

const entitlementOf = (product: ProductFixture): Entitlement => ({
  unentitledRetailer: present(product.retailer),
  unentitledProduct: present(product),
});

interface FoundByGtin {
  /** With its GTIN, or with the status of that lookup. */
  readonly product: ProductFixture;
  /** Whether no retailer of the primary key has this GTIN. Otherwise the GTIN may lead to that retailer's product. */
  readonly isAlone: boolean;
}

async function foundByGtin(
  client: PoliteClient,
  products: readonly ProductFixture[],
  gtinPath: string | undefined,
): Promise<FoundByGtin | undefined> {
  let shared: FoundByGtin | undefined;
  let notFound: FoundByGtin | undefined;
  for (const product of products) {
    const gtin = gtinOf(product, gtinPath);
    if (gtin === undefined) continue;
    const status = await statusIfJudged(client, { ...byGtin(gtin, product.retailer), caller: "otherOrg" });
    if (status === undefined) continue;
    if (status !== 200) {
      notFound ??= { product: { ...product, gtinStatus: status }, isAlone: false };
      continue;
    }
    const own = await statusIfJudged(client, byGtin(gtin));
    const isAlone = own !== undefined && own !== 200;
    const found = { product: { ...product, gtin }, isAlone };
    if (isAlone) return found;
    shared ??= found;
  }
  return shared ?? notFound;
}

/** The status of a response; undefined where an outage or a limit let none be had. */
async function statusIfJudged(client: PoliteClient, request: Request): Promise<number | undefined> {
  return await attempt(
    async () => (await client.ask(request)).response.status,
    () => undefined,
  );
}

/**
 * The GTIN by which the other organization finds a product.
 *
 * @throws NotJudged when the product has none, or is not found by it
 */
export function needGtin({ retailer, gtin, gtinStatus }: ProductFixture): string {
  if (gtinStatus === undefined) return needPart(gtin, noProductWith("gtin", retailer));
  return needPart(gtin, {
    code: "nothing-found-by",
    endpoint: "lookup-by-gtin",
    subject: "otherOrg",
    actual: gtinStatus,
    details: { retailer },
  });
}

function gtinOf({ product }: ProductFixture, path: string | undefined): string | undefined {
  return path === undefined ? undefined : valuesAt(product, path).find(isGtin);
}

function usefulness(product: ProductFixture, gtinPath: string | undefined): number {
  return Number(product.url !== undefined) + 2 * Number(gtinOf(product, gtinPath) !== undefined);
}
