import { valuesAt } from "../../schemas/product-values.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { byGtin, type Request } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import { isGtin } from "../response/products-in.ts";
import { browse, isBrowsed, noProductIn, type TriedCategory } from "./browsing.ts";
import { absent, attempt, type Fixtures, type ProductFixture, present } from "./fixtures.ts";

const productsToTry = 4;
const categoriesToTry = 3;

/**
 * Uses the other organization's key to find a retailer that is not granted to the primary key, and one of its
 * products (spec, Authentication: "a valid key not entitled to the request").
 */
export async function findUnentitled(
  client: PoliteClient,
  target: Target,
  own: readonly string[],
  other: Fixtures["otherRetailers"],
  gtinPath: string | undefined,
): Promise<Pick<Fixtures, "unentitledRetailer" | "unentitledProduct">> {
  if (!other.present) return { unentitledRetailer: other, unentitledProduct: other };
  const foreign = other.value.filter((slug) => !own.includes(slug));
  const [first] = foreign;
  const nothingMore = absent({ code: "no-foreign-retailer" });
  if (first === undefined) return { unentitledRetailer: nothingMore, unentitledProduct: nothingMore };
  const isForeign = ({ retailer }: ProductFixture) => foreign.includes(retailer);
  const pages: TriedCategory[] = [];
  const products: ProductFixture[] = [];
  let categoriesLeft = categoriesToTry;
  for await (const page of browse(client, target.categories, "otherOrg", isForeign)) {
    pages.push(page);
    const seen = (isBrowsed(page) ? page.products : []).filter(isForeign);
    products.push(...seen.map((one) => ({ ...one, ...gtinOf(one, gtinPath) })));
    // A product with GTIN and URL serves every check; any other serves most.
    if (products.some(({ gtin, url }) => gtin !== undefined && url !== undefined)) break;
    if (seen.length > 0 && --categoriesLeft === 0) break;
  }
  const usefulness = ({ gtin, url }: ProductFixture) =>
    (gtin === undefined ? 0 : 2) + (url === undefined ? 0 : 1);
  const bestFirst = products.toSorted((a, b) => usefulness(b) - usefulness(a));
  const [best] = bestFirst;
  if (best !== undefined) {
    const { gtin: _, ...plain } = best;
    const product = (await foundByGtin(client, bestFirst.slice(0, productsToTry))) ?? plain;
    return { unentitledRetailer: present(product.retailer), unentitledProduct: present(product) };
  }
  // If the other organization sees no products at all, that is the cause to report.
  const seen = pages.flatMap((page) => (isBrowsed(page) ? page.products : []));
  const unlisted = seen.filter(({ retailer }) => !other.value.includes(retailer)).length;
  const details = { retailers: foreign, categories: [...target.categories] };
  const isUnseen = seen.length > 0 && unlisted === 0;
  const none = isUnseen ? absent({ code: "no-foreign-product", details }) : noProductIn(pages, unlisted);
  // What the pages of the first key show is another finding.
  const unentitledProduct = none.present
    ? none
    : absent({ ...none.missing, condition: "other-organization" });
  return { unentitledRetailer: present(first), unentitledProduct };
}

export function gtinOf({ product }: ProductFixture, path: string | undefined): { gtin?: string } {
  const gtin = path === undefined ? undefined : valuesAt(product, path).find(isGtin);
  return gtin === undefined ? {} : { gtin };
}

/**
 * The first product that its organization finds by its GTIN; preferably a GTIN of no retailer of the primary
 * key, whose product it could lead to.
 */
async function foundByGtin(
  client: PoliteClient,
  products: readonly ProductFixture[],
): Promise<ProductFixture | undefined> {
  const isFound = (request: Request) =>
    attempt(
      async () => (await client.ask(request)).response.status === 200,
      () => false,
    );
  let shared: ProductFixture | undefined;
  for (const product of products) {
    const { gtin, retailer } = product;
    if (gtin === undefined || !(await isFound({ ...byGtin(gtin, retailer), caller: "otherOrg" }))) continue;
    if (!(await isFound(byGtin(gtin)))) return product;
    shared ??= product;
  }
  return shared;
}
