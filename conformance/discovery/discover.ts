import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import { given, isObject } from "../../schemas/json.ts";
import { noticesOfConnection } from "../client/dispatcher.ts";
import type { HttpClient } from "../client/http-client.ts";
import { createPoliteClient, type PoliteClient } from "../client/polite-client.ts";
import { byId, byUrl } from "../client/requests.ts";
import type { Caller, Target } from "../client/target.ts";
import { findBatchFields } from "./batch-fields.ts";
import {
  browseIfPossible,
  emptyCategories,
  firstCategory,
  isBrowsed,
  noProductIn,
  type UnbrowsableCategory,
} from "./browsing.ts";
import { findUnentitled } from "./entitlement.ts";
import { acceptedKeyHeader, mustBeThere, mustReturnJson } from "./first-contact.ts";
import {
  absent,
  attempt,
  type CategoryFixture,
  type Fixture,
  type Fixtures,
  type KeyInRole,
  noCategory,
  type ProductFixture,
  present,
  type UrlFixture,
} from "./fixtures.ts";
import { findGtins, type GtinLookup } from "./gtin-lookup.ts";
import { sparsest } from "./identifiers.ts";
import { type RetailerList, requestLists, rolesOfKeys } from "./key-roles.ts";

/** What discovery learned about the target. */
export interface Discovery {
  readonly fixtures: Fixtures;
  readonly fieldNames: FieldNames;
  /** Notices for the user about the configured target, independent of the verdict. */
  readonly notices: readonly Finding[];
}

const productsToTry = 4;
const urlsOfSparse = 2;

/**
 * Learns from the live target everything that the checks and the load need. Only keys and categories come from the
 * user.
 * @throws CannotJudge when the target cannot be reached, refuses the key, or returns no JSON at all; WrongKeyRoles
 * when keys are exchanged
 */
export async function discover(
  http: HttpClient,
  target: Target,
  client: PoliteClient = createPoliteClient(http),
): Promise<Discovery> {
  const { keyHeader, list } = await acceptedKeyHeader(http, target);
  http.prefer(keyHeader);
  const lists = await requestLists(client, target, list);
  const own = slugsOf("primary", lists.primaryAgain);

  const browsed: (CategoryFixture | UnbrowsableCategory)[] = [];
  for (const category of target.categories) browsed.push(await browseIfPossible(client, category, "primary"));
  const categories = browsed.filter(isBrowsed);
  mustBeThere(http, client, target);
  mustReturnJson(http, target);
  const seen = distinct(categories.flatMap((category) => category.products));
  // A product of a retailer that is not listed counts as not granted. It is reported and not used by other checks.
  const isListed = ({ retailer }: ProductFixture) => !own.present || own.value.includes(retailer);
  const products = seen.filter(isListed);
  const nothing = noProductIn(browsed, seen.length - products.length);
  const withUrl = variedUrls(products);
  const product = await attempt(() => findProduct(client, products, nothing), absent);
  const keys = await rolesOfKeys(client, lists, async () => products);
  const { otherOrgKey } = keys;
  const other = otherOrgKey.present ? slugsOf("otherOrg", lists.otherOrg ?? {}) : absent(otherOrgKey.missing);
  const noGtins = (missing: Fixture<never>): GtinLookup => ({ products: missing, unfound: [], shared: [] });
  const byGtin =
    products.length === 0
      ? noGtins(nothing)
      : await attempt(
          () => findGtins(client, products, target.fieldNames),
          (why) => noGtins(absent(why)),
        );
  const batch = product.present
    ? await attempt(() => findBatchFields(client, [product.value, ...products], target.fieldNames), absent)
    : absent(product.missing);
  const nobodysOwn = whyNothingIsOfOne(otherOrgKey);
  // Without a list, retailers whose products the pages show are granted.
  const granted = own.present ? own.value : [...new Set(seen.map(({ retailer }) => retailer))];
  const entitlement =
    nobodysOwn === undefined
      ? await findUnentitled(client, target, { own: granted, other }, byGtin.path)
      : { unentitledRetailer: nobodysOwn, unentitledProduct: nobodysOwn };

  const empty = emptyCategories(browsed);
  return {
    notices: [
      ...noticesOfConnection(http, target),
      ...(browsed.length === 0 ? [noCategory.missing] : empty === undefined ? [] : [empty]),
    ],
    fieldNames: {
      ...target.fieldNames,
      ...(batch.present ? batch.value : {}),
      ...given({ gtin: byGtin.path }),
    },
    fixtures: {
      retailers: own,
      otherRetailers: other,
      product,
      products,
      unlisted: seen.filter((product) => !isListed(product)).slice(0, 3),
      withUrl,
      sites: [...Map.groupBy(urlsIn(products), ({ retailer }) => retailer).values()].flatMap(
        ([first]) => first ?? [],
      ),
      productByUrl: await attempt(() => findByUrl(client, products, withUrl, nothing), absent),
      productsByGtin: byGtin.products,
      unfoundByGtin: byGtin.unfound,
      sharedGtins: byGtin.shared,
      ...entitlement,
      ownProduct: nobodysOwn ?? ownProductOf(products, other, nothing),
      category: firstCategory(browsed),
      categories,
      batch,
      ...keys,
    },
  };
}

function slugsOf(
  subject: Caller,
  { status = 0, cause, slugs = [] }: RetailerList,
): Fixture<readonly string[]> {
  if (slugs.length > 0) return present(slugs);
  if (cause !== undefined) return absent(cause);
  return absent({ code: "no-retailer", endpoint: "retailers", subject, actual: status });
}

async function findProduct(
  client: PoliteClient,
  products: readonly ProductFixture[],
  nothing: Fixture<never>,
): Promise<Fixture<ProductFixture>> {
  // A plain identifier works even where special characters do not, which is for the checks to judge.
  const plainFirst = products.toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)));
  for (const product of plainFirst.slice(0, productsToTry)) {
    const { response } = await client.ask(byId(product.retailer, product.productId));
    if (response.status === 200) return present(product);
  }
  if (products.length > 0) {
    const count = Math.min(products.length, productsToTry);
    return absent({ code: "nothing-found-by", endpoint: "lookup-by-id", seen: { count, of: "products" } });
  }
  return nothing;
}

async function findByUrl(
  client: PoliteClient,
  products: readonly ProductFixture[],
  withUrl: readonly UrlFixture[],
  nothing: Fixture<never>,
): Promise<Fixture<UrlFixture>> {
  if (products.length === 0) return nothing;
  const found: UrlFixture[] = [];
  for (const product of withUrl) {
    const { response } = await client.ask(byUrl(product.url));
    if (response.status !== 200) continue;
    // Several products may share a page: one that the lookup returns is clearer.
    if (isObject(response.json) && response.json.product_id === product.productId) return present(product);
    found.push(product);
  }
  if (found[0] !== undefined) return present(found[0]);
  return absent({
    code: "nothing-found-by",
    endpoint: "lookup-by-url",
    seen: { count: withUrl.length, of: "products" },
  });
}

function urlsIn(products: readonly ProductFixture[]): UrlFixture[] {
  return products.flatMap((product) => (product.url === undefined ? [] : [{ ...product, url: product.url }]));
}

// One URL of each form: queries and unusual characters are where lookups by URL fail.
function variedUrls(products: readonly ProductFixture[]): UrlFixture[] {
  const withUrl = urlsIn(products);
  const forms = Map.groupBy(withUrl, ({ url }) =>
    url.replace(/[\p{L}\p{N}.-]+/gu, "a").replace(/(\/a)+/g, "/a"),
  );
  const firsts = [...forms]
    .toSorted(([a], [b]) => Number(b.includes("?")) - Number(a.includes("?")))
    .flatMap(([, [first]]) => (first === undefined ? [] : [first]));
  // Products with few fields show whether a lookup path mishandles missing ones.
  const sparse = sparsest(withUrl, urlsOfSparse);
  return [...new Set([...firsts.slice(0, productsToTry - 1), ...sparse, ...withUrl])].slice(
    0,
    productsToTry - 1 + urlsOfSparse,
  );
}

function ownProductOf(
  products: readonly ProductFixture[],
  other: Fixture<readonly string[]>,
  nothing: Fixture<never>,
): Fixture<ProductFixture> {
  if (!other.present) return other;
  if (products.length === 0) return nothing;
  const owned = products.filter(({ retailer }) => !other.value.includes(retailer));
  const own = owned.find(({ url }) => url !== undefined) ?? owned[0];
  if (own !== undefined) return present(own);
  return absent({ code: "no-own-product" });
}

/** Why no retailer is known to be granted to only one organization; undefined when there may be one. */
function whyNothingIsOfOne(key: Fixture<KeyInRole>): Fixture<never> | undefined {
  if (!key.present) return absent(key.missing);
  return key.value.role === "asNamed" ? undefined : absent(key.value.doubt);
}

function isPlain({ retailer, productId }: ProductFixture): boolean {
  return /^[\w-]+$/.test(retailer) && /^[\w-]+$/.test(productId);
}

function distinct(products: readonly ProductFixture[]): ProductFixture[] {
  return [
    ...new Map(products.map((product) => [`${product.retailer}\n${product.productId}`, product])).values(),
  ];
}
