import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { isNotJudged } from "../../schemas/words/not-judged.ts";
import { responseWords } from "../../schemas/words/response.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { byCategory } from "../client/requests.ts";
import type { Caller } from "../client/target.ts";
import { productsIn } from "../response/products-in.ts";
import { nextCursor } from "../response/readers.ts";
import {
  absent,
  attempt,
  type CategoryFixture,
  type Fixture,
  noCategory,
  type ProductFixture,
  present,
} from "./fixtures.ts";

// Enough to see several retailers and a second page, and to leave the budget to the checks.
const usualPages = 2;
const fewProducts = 12;
const usually = { pages: 15, products: 60 } as const;
/** How far to look for a product that is wanted: pages of three products are many, and cheap. */
const inSearch = { pages: 40, products: 300 } as const;
/** Most categories to search in such a way; of the others the usual pages are looked at. */
const categoriesToSearch = 3;

/** A category that cannot be browsed: the status and words of its first page, or why there was no response. */
type UnbrowsableCategory = FindingOf<"category-not-browsable">["details"]["categories"][number];

/** A configured category, whether or not it can be browsed. */
export type TriedCategory = CategoryFixture | UnbrowsableCategory;

/** Browses each category as far as usual with one key, the first ones until a wanted product is seen. */
export async function* browse(
  client: PoliteClient,
  categories: readonly string[],
  caller: Caller,
  isWanted?: (product: ProductFixture) => boolean,
): AsyncGenerator<TriedCategory> {
  let isSeen = isWanted === undefined;
  for (const [place, category] of categories.entries()) {
    const isSearched = !isSeen && place < categoriesToSearch;
    const tried = await browseOne(client, category, caller, isSearched ? isWanted : undefined);
    if (isWanted !== undefined) isSeen ||= isBrowsed(tried) && tried.products.some(isWanted);
    yield tried;
  }
}

/** The first pages, or those until a wanted product. Without a usable response, it cannot be browsed. */
async function browseOne(
  client: PoliteClient,
  category: string,
  caller: Caller,
  isWanted?: (product: ProductFixture) => boolean,
): Promise<TriedCategory> {
  const products: ProductFixture[] = [];
  let cursor: string | undefined;
  let firstNext: string | undefined;
  const ask = async (limit?: string) =>
    await client.ask({ ...byCategory(category, { limit, cursor }), caller });
  const most = isWanted === undefined ? usually : inSearch;
  const firstPages = async (): Promise<TriedCategory> => {
    for (let page = 1; page <= most.pages; page++) {
      // A target that rejects a request without the optional limit gets one; a check reports the rejection.
      const bare = await ask();
      const exchange = bare.response.status === 400 ? await ask("10") : bare;
      const { status, json } = exchange.response;
      if (status !== 200 && firstNext === undefined)
        return { category, status, said: responseWords(exchange.response) };
      if (status !== 200) break;
      products.push(...productsIn(exchange, {}).flatMap(({ product }) => fixtureOf(product) ?? []));
      cursor = nextCursor(json) ?? "";
      firstNext ??= cursor;
      if (cursor === "" || products.length >= most.products) break;
      const isEnough = (page >= usualPages || caller !== "primary") && products.length >= fewProducts;
      if (isEnough && (isWanted === undefined || products.some(isWanted))) break;
    }
    return { category, products, nextCursor: firstNext ?? "" };
  };
  return await attempt(firstPages, (cause) => (isNotJudged(cause) ? { category, cause } : { category }));
}

export function isBrowsed(category: TriedCategory): category is CategoryFixture {
  return "products" in category;
}

/** The category for the checks: preferably one with several pages, otherwise one with products. */
export function firstCategory(given: readonly TriedCategory[]): Fixture<CategoryFixture> {
  if (given.length === 0) return noCategory;
  const categories = given.filter(isBrowsed);
  const best =
    categories.find(({ nextCursor }) => nextCursor !== "") ??
    categories.find(({ products }) => products.length > 0) ??
    categories[0];
  if (best !== undefined) return present(best);
  const unbrowsable = given.flatMap((one) => (isBrowsed(one) ? [] : [one]));
  const cause = unbrowsable[0]?.cause;
  // A cause that they share, such as the rate limit, is reported instead of the categories.
  if (cause !== undefined && unbrowsable.every((one) => one.cause?.code === cause.code)) return absent(cause);
  const details = { categories: unbrowsable };
  return absent({ code: "category-not-browsable", endpoint: "category-page", details });
}

/** Why browsing shows no usable product. */
export function noProductIn(given: readonly TriedCategory[], unlisted = 0): Fixture<never> {
  const category = firstCategory(given);
  if (!category.present) return category;
  const details = { categories: given.map((one) => one.category), ...(unlisted > 0 ? { unlisted } : {}) };
  return absent({ code: "no-product", details });
}

/** The finding on configured categories without products, or that none is configured. */
export function emptyCategories(given: readonly TriedCategory[]): Finding[] {
  if (given.length === 0) return [noCategory.missing];
  const categories = given.flatMap((one) => {
    if (!isBrowsed(one)) return [one];
    return one.products.length === 0 ? [{ category: one.category, status: 200 }] : [];
  });
  const seen = { count: categories.length, total: given.length, of: "items" } as const;
  if (categories.length === 0) return [];
  return [{ code: "category-shows-nothing", endpoint: "category-page", seen, details: { categories } }];
}

/** Many checks choose from the products of all pages. */
const known = new WeakMap<Product, ProductFixture>();

/** A product of a category page as a fixture; undefined without a retailer and a product_id that can be sent as they were. */
export function fixtureOf(product: Product): ProductFixture | undefined {
  const { retailer, product_id: productId, product_url: url } = product;
  const isUsable = (name: unknown): name is string =>
    // What is not UTF-8 was replaced when the body was read.
    typeof name === "string" && name !== "" && !name.includes("\ufffd");
  if (!isUsable(retailer) || !isUsable(productId)) return undefined;
  const fixture = known.get(product) ?? {
    retailer,
    productId,
    product,
    ...(typeof url === "string" && URL.parse(url)?.host ? { url } : {}),
  };
  known.set(product, fixture);
  return fixture;
}
