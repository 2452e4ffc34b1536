import type { Finding, FindingOf } from "../../schemas/contracts/finding.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { isObject } from "../../schemas/json.ts";
import { isNotJudged, type NotJudgedCode } from "../../schemas/words/not-judged.ts";
import { responseWords } from "../../schemas/words/response.ts";
import type { Exchange } from "../client/exchange.ts";
import type { PoliteClient } from "../client/polite-client.ts";
import { byCategory, type Request } from "../client/requests.ts";
import type { Caller } from "../client/target.ts";
import { actual } from "../response/body-findings.ts";
import { productsIn } from "../response/products-in.ts";
import {
  absent,
  attempt,
  type CategoryFixture,
  type Fixture,
  noCategory,
  type ProductFixture,
  present,
} from "./fixtures.ts";

// Enough pages to see several retailers and a second page while leaving the budget to the checks. With very short
// pages, more are fetched.
const usualPages = 2;
const mostPages = 15;
const fewProducts = 12;
const enoughProducts = 60;
// Far more than any curated set. The rules still judge every entry of a longer list.
const mostRetailers = 2000;

/** The slugs in a response to GET /retailers; none when the body has no such list. */
export function slugsIn(body: unknown): string[] {
  const list = isObject(body) ? body.retailers : undefined;
  if (!Array.isArray(list)) return [];
  return list.slice(0, mostRetailers).flatMap((entry: unknown) => {
    const slug = isObject(entry) ? entry.slug : undefined;
    return typeof slug === "string" && slug !== "" ? [slug] : [];
  });
}

/** A category that cannot be browsed: the status of its first page, or why there was no response. */
export interface UnbrowsableCategory {
  readonly category: string;
  readonly status?: number;
  /** The message or the text of that response. */
  readonly said?: string;
  readonly cause?: FindingOf<NotJudgedCode>;
}

/** Fetches the first pages of a category with one caller's key, until they contain a wanted product. */
export async function browse(
  client: PoliteClient,
  category: string,
  caller: Caller,
  isWanted: (product: ProductFixture) => boolean = () => true,
): Promise<CategoryFixture | UnbrowsableCategory> {
  const products: ProductFixture[] = [];
  const unusable: Product[] = [];
  let [hasList, hasCursor, isJson] = [true, true, true];
  let cursor = "";
  let firstNext: string | undefined;
  for (let page = 1; page <= mostPages; page++) {
    const request = byCategory(category, { cursor: cursor || undefined });
    const exchange = await browseWithOrWithoutLimit(client, { ...request, caller }, category, cursor);
    const { status } = exchange.response;
    if (status !== 200 && firstNext === undefined)
      return { category, status, said: responseWords(exchange.response) };
    if (status !== 200) break;
    isJson &&= exchange.response.json !== undefined;
    hasList &&= isObject(exchange.response.json) && Array.isArray(exchange.response.json.products);
    for (const { product } of productsIn(exchange, {})) {
      const fixture = fixtureOf(product);
      if (fixture === undefined) unusable.push(product);
      else products.push(fixture);
    }
    const next = nextCursor(exchange.response.json);
    hasCursor &&= next !== undefined;
    firstNext ??= next ?? "";
    if (next === undefined || next === "" || products.length >= enoughProducts) break;
    const wanted = products.filter(isWanted).length;
    if (wanted > 0 && page >= usualPages && products.length >= fewProducts) break;
    cursor = next;
  }
  return {
    category,
    products,
    unusable,
    hasList,
    hasCursor,
    isJson,
    nextCursor: firstNext ?? "",
  };
}

// If the target rejects a request without the optional limit, discovery sends one; a check reports the rejection.
async function browseWithOrWithoutLimit(
  client: PoliteClient,
  bare: Request,
  category: string,
  cursor: string,
): Promise<Exchange> {
  const exchange = await client.ask(bare);
  if (exchange.response.status !== 400) return exchange;
  const { caller } = bare;
  return await client.ask({
    ...byCategory(category, { limit: "10", cursor: cursor || undefined }),
    caller,
  });
}

/** The `meta.next_cursor` of a page; undefined when it is missing or not a string. */
export function nextCursor(body: unknown): string | undefined {
  const meta = isObject(body) ? body.meta : undefined;
  const cursor = isObject(meta) ? meta.next_cursor : undefined;
  return typeof cursor === "string" ? cursor : undefined;
}

/** Like browse, but a category without a usable response counts as one that cannot be browsed. */
export async function browseIfPossible(
  client: PoliteClient,
  category: string,
  caller: Caller,
  isWanted?: (product: ProductFixture) => boolean,
): Promise<CategoryFixture | UnbrowsableCategory> {
  return await attempt<CategoryFixture | UnbrowsableCategory>(
    () => browse(client, category, caller, isWanted),
    (cause) => (isNotJudged(cause) ? { category, cause } : { category }),
  );
}

export function isBrowsed(category: CategoryFixture | UnbrowsableCategory): category is CategoryFixture {
  return "products" in category;
}

/** The category for the checks: preferably one with several pages, otherwise one with products. */
export function firstCategory(
  given: readonly (CategoryFixture | UnbrowsableCategory)[],
): Fixture<CategoryFixture> {
  if (given.length === 0) return noCategory;
  const categories = given.filter(isBrowsed);
  const best =
    categories.find(({ nextCursor }) => nextCursor !== "") ??
    categories.find(({ products }) => products.length > 0) ??
    categories[0];
  if (best !== undefined) return present(best);
  const [cause, ...others] = given.flatMap((one) => ("cause" in one ? (one.cause ?? []) : []));
  // A cause that affects every request of the run is reported instead of the categories.
  const isOfRun = cause !== undefined && ofWholeRun.has(cause.code) && others.length === given.length - 1;
  return isOfRun && others.every(({ code }) => code === cause.code)
    ? absent(cause)
    : absent({
        code: "category-not-browsable",
        endpoint: "category-page",
        details: { categories: given.filter((one) => !isBrowsed(one)) },
      });
}

const ofWholeRun: ReadonlySet<Finding["code"]> = new Set([
  "still-rate-limited",
  "wait-too-long",
  "budget-spent",
]);

/** Why browsing shows no usable product. */
export function noProductIn(
  given: readonly (CategoryFixture | UnbrowsableCategory)[],
  unlisted = 0,
): Fixture<never> {
  const category = firstCategory(given);
  if (!category.present) return category;
  const browsed = given.filter(isBrowsed);
  const unusable = browsed.flatMap((one) => one.unusable ?? []);
  const details = {
    categories: given.map((one) => one.category),
    ...(unlisted > 0 ? { unlisted } : {}),
    ...(browsed.every(({ hasList = true }) => !hasList) ? { hasList: false } : {}),
  };
  const [first] = unusable;
  if (first === undefined) return absent({ code: "no-product", details });
  const name = typeof first.retailer === "string" && first.retailer !== "" ? "product_id" : "retailer";
  return absent({
    code: "no-product",
    subject: name,
    expected: "string",
    ...actual(first[name]),
    seen: { count: unusable.length, of: "products" },
    details,
  });
}

/** The finding on configured categories without products; undefined when each has some, or none is configured. */
export function emptyCategories(
  given: readonly (CategoryFixture | UnbrowsableCategory)[],
): Finding | undefined {
  const empty = given.flatMap((one) => {
    if (!isBrowsed(one)) return [one];
    const isEmpty = one.products.length === 0 && (one.unusable ?? []).length === 0;
    const cutShort = one.hasCursor === false ? { cutShort: true as const } : {};
    const why = one.isJson === false ? { unreadable: true as const } : cutShort;
    return isEmpty ? [{ category: one.category, status: 200, ...why }] : [];
  });
  return empty.length === 0
    ? undefined
    : {
        code: "category-shows-nothing",
        endpoint: "category-page",
        seen: { count: empty.length, total: given.length, of: "items" },
        details: { categories: empty },
      };
}

/** A product of a category page as a fixture; undefined without a usable retailer and product_id. */
export function fixtureOf(product: Product): ProductFixture | undefined {
  const { retailer, product_id: productId, product_url: url } = product;
  if (typeof retailer !== "string" || typeof productId !== "string" || retailer === "" || productId === "")
    return undefined;
  return { retailer, productId, product, ...(typeof url === "string" && URL.canParse(url) ? { url } : {}) };
}
