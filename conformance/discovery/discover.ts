import type { Dialect } from "../../schemas/types.ts";
import { CannotJudge } from "../client/cannot-judge.ts";
import type { HttpClient } from "../client/exchange.ts";
import { type PoliteClient, politely } from "../client/polite-client.ts";
import { byId, byUrl, retailers } from "../client/requests.ts";
import type { Caller, Target } from "../client/target.ts";
import { NotJudged } from "../engine/outcome.ts";
import { findBatchDialect } from "./batch-dialect.ts";
import { browseIfPossible, slugsIn } from "./browsing.ts";
import { findUnentitled } from "./entitlement.ts";
import { firstContact } from "./first-contact.ts";
import {
  absent,
  type CategoryFixture,
  type Fixture,
  type Fixtures,
  noCategory,
  noOtherOrgKey,
  oneOfEachRetailerFirst,
  type ProductFixture,
  present,
  type UrlFixture,
} from "./fixtures.ts";
import { findGtins, type GtinLookup } from "./gtin-lookup.ts";
import { sparsest } from "./sparse-products.ts";

/** What the target showed of itself. */
export interface Discovery {
  readonly fixtures: Fixtures;
  readonly dialect: Dialect;
}

const noSameOrgKey = absent("there is no second key of the organization", "Set SHELFCHECK_SAME_ORG_API_KEY.");
const productsToTry = 4;
const urlsOfSparse = 2;

/**
 * Learns from the live target all that the checks and the load ask for: nothing is hard-coded but the
 * categories and keys that the user gives.
 * @throws CannotJudge when the target does not answer, refuses the key, or answers nothing but what is not JSON.
 */
export async function discover(http: HttpClient, target: Target): Promise<Discovery> {
  const { keyHeader } = await firstContact(http, target);
  http.prefer(keyHeader);
  const client = politely(http);
  const own = await slugsOf(client, "primary");
  const other = target.keys.otherOrg === undefined ? noOtherOrgKey : await slugsOf(client, "otherOrg");

  const categories: CategoryFixture[] = [];
  for (const category of target.categories) {
    const page = await browseIfPossible(client, category, "primary");
    if (page !== undefined) categories.push(page);
  }
  mustSpeakJson(http, target);
  const seen = distinct(categories.flatMap((category) => category.products));
  // What is not listed is not granted, whatever browsing shows: it is reported as such and serves no other check.
  const isListed = ({ retailer }: ProductFixture) => !own.present || own.value.includes(retailer);
  const products = seen.filter(isListed);
  const withUrl = variedUrls(products);
  const product = await unlessNotJudged(() => findProduct(client, products, target));
  const byGtin = await gtinsUnlessNotJudged(client, products, target);
  const refusals = new Set<number>();
  const batch = product.present
    ? await unlessNotJudged(() =>
        findBatchDialect(client, [product.value, ...products], target.dialect, refusals),
      )
    : absent(product.reason, product.fix);
  const entitlement = await findUnentitled(
    client,
    target,
    { own: own.present ? own.value : [], other: other.present ? other.value : [] },
    byGtin.path,
  );

  return {
    dialect: {
      ...target.dialect,
      ...(batch.present ? batch.value : {}),
      ...(byGtin.path === undefined ? {} : { gtin: byGtin.path }),
    },
    fixtures: {
      retailers: own,
      otherRetailers: other,
      product,
      products,
      unlisted: seen.filter((product) => !isListed(product)).slice(0, 3),
      withUrl,
      sites: oneOfEachRetailerFirst(products.filter(({ url }) => url !== undefined))
        .slice(0, own.present ? own.value.length : 1)
        .flatMap(({ url }) => url ?? []),
      productByUrl: await unlessNotJudged(() => findByUrl(client, products, withUrl, target)),
      productsByGtin: byGtin.products,
      unfoundByGtin: byGtin.unfound,
      sharedGtins: byGtin.shared,
      ...entitlement,
      ownProduct: ownProductOf(products, other, target),
      category: firstCategory(categories, target),
      categories,
      batch,
      batchRefusals: batch.present ? [] : [...refusals],
      sameOrgKey: target.keys.sameOrg === undefined ? noSameOrgKey : present(true),
      otherOrgKey: target.keys.otherOrg === undefined ? noOtherOrgKey : present(true),
    },
  };
}

async function slugsOf(client: PoliteClient, caller: Caller): Promise<Fixture<readonly string[]>> {
  return await unlessNotJudged(async () => {
    const { response } = await client.ask({ ...retailers(), caller });
    const slugs = slugsIn(response.json);
    return slugs.length > 0
      ? present(slugs)
      : absent(
          `GET /retailers gave no retailer (status ${response.status})`,
          "Use a key whose organization has at least one retailer.",
        );
  });
}

// A base URL that points at a web site answers everything with a page: that is no service to judge.
function mustSpeakJson(http: HttpClient, target: Target): void {
  if (http.exchanges.some(({ response }) => response.json !== undefined)) return;
  const first = http.exchanges[0];
  throw new CannotJudge({
    what: `no answer is JSON (${first?.response.status} ${first?.response.headers["content-type"] ?? "without a content type"})`,
    where: target.baseUrl,
    fix: "This does not look like a product catalog lookup service: correct the base URL.",
  });
}

async function findProduct(
  client: PoliteClient,
  products: readonly ProductFixture[],
  target: Target,
): Promise<Fixture<ProductFixture>> {
  // An identifier of plain characters shows most; whether odd ones work is for a check to say.
  const plainFirst = products.toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)));
  for (const product of plainFirst.slice(0, productsToTry)) {
    const { response } = await client.ask(byId(product.retailer, product.productId));
    if (response.status === 200) return present(product);
  }
  if (products.length > 0) {
    return absent(
      `of ${Math.min(products.length, productsToTry)} products that browsing showed, none could be fetched by id`,
      "Compare a page of the category with GET /products/{retailer}/{product_id} by hand.",
    );
  }
  return noProduct(target);
}

/** Why browsing showed nothing. */
function noProduct({ categories }: Target): Fixture<never> {
  return categories.length === 0
    ? noCategory
    : absent(
        `browsing ${categories.map((name) => JSON.stringify(name)).join(", ")} showed no product with retailer and product_id`,
        "Give a category that has products for this key (--category).",
      );
}

async function findByUrl(
  client: PoliteClient,
  products: readonly ProductFixture[],
  withUrl: readonly UrlFixture[],
  target: Target,
): Promise<Fixture<UrlFixture>> {
  if (products.length === 0) return noProduct(target);
  for (const product of withUrl) {
    const { response } = await client.ask(byUrl(product.url));
    if (response.status === 200) return present(product);
  }
  return absent(
    withUrl.length === 0 ? "no product seen carries a product_url" : "no product_url seen finds its product",
    "Give a category whose products carry a product_url that the target resolves (--category).",
  );
}

// One URL of each form, since a query or an odd character is where a URL parameter goes wrong.
function variedUrls(products: readonly ProductFixture[]): UrlFixture[] {
  const withUrl = products.flatMap((product) =>
    product.url === undefined ? [] : [{ ...product, url: product.url }],
  );
  const forms = Map.groupBy(withUrl, ({ url }) =>
    url.replace(/[\p{L}\p{N}.-]+/gu, "a").replace(/(\/a)+/g, "/a"),
  );
  const firsts = [...forms]
    .toSorted(([a], [b]) => Number(b.includes("?")) - Number(a.includes("?")))
    .flatMap(([, [first]]) => (first === undefined ? [] : [first]));
  // And sparse ones: what is missing is where a way of its own goes wrong.
  const sparse = sparsest(withUrl, urlsOfSparse);
  return [...new Set([...firsts.slice(0, productsToTry - 1), ...sparse, ...withUrl])].slice(
    0,
    productsToTry - 1 + urlsOfSparse,
  );
}

function ownProductOf(
  products: readonly ProductFixture[],
  other: Fixture<readonly string[]>,
  target: Target,
): Fixture<ProductFixture> {
  if (!other.present) return other;
  if (products.length === 0) return noProduct(target);
  const owned = products.filter(({ retailer }) => !other.value.includes(retailer));
  const own = owned.find(({ url }) => url !== undefined) ?? owned[0];
  return own === undefined
    ? absent(
        "no product is known of a retailer that the other organization may not use",
        "Use a key of an organization that lacks a retailer which yours has (SHELFCHECK_OTHER_ORG_API_KEY).",
      )
    : present(own);
}

function firstCategory(categories: readonly CategoryFixture[], target: Target): Fixture<CategoryFixture> {
  const best = categories.find(({ nextCursor }) => nextCursor !== "") ?? categories[0];
  if (best !== undefined) return present(best);
  return target.categories.length === 0
    ? noCategory
    : absent(
        "none of the given categories could be browsed",
        "Check the spelling of the categories (--category).",
      );
}

async function unlessNotJudged<T>(find: () => Promise<Fixture<T>>): Promise<Fixture<T>> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof NotJudged) return absent(error.message, error.fix);
    throw error;
  }
}

async function gtinsUnlessNotJudged(
  client: PoliteClient,
  products: readonly ProductFixture[],
  target: Target,
): Promise<GtinLookup> {
  const none = { unfound: [], shared: [] };
  if (products.length === 0) return { ...none, products: noProduct(target) };
  try {
    return await findGtins(client, products, target.dialect);
  } catch (error) {
    if (error instanceof NotJudged) return { ...none, products: absent(error.message, error.fix) };
    throw error;
  }
}

function isPlain({ retailer, productId }: ProductFixture): boolean {
  return /^[\w-]+$/.test(retailer) && /^[\w-]+$/.test(productId);
}

function distinct(products: readonly ProductFixture[]): ProductFixture[] {
  return [
    ...new Map(products.map((product) => [`${product.retailer}\n${product.productId}`, product])).values(),
  ];
}
