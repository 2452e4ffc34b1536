import { keyHeaders } from "../../schemas/api.ts";
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
  browse,
  emptyCategories,
  firstCategory,
  isBrowsed,
  noProductIn,
  type TriedCategory,
} from "./browsing.ts";
import { findUnentitled } from "./entitlement.ts";
import { acceptedKeyHeader, mustBeService } from "./first-contact.ts";
import {
  absent,
  attempt,
  type Fixture,
  type Fixtures,
  type KeyInRole,
  noCategory,
  type ProductFixture,
  present,
  type UrlFixture,
} from "./fixtures.ts";
import { findGtins, type GtinLookup } from "./gtin-lookup.ts";
import { covering, kindsIn, sparsest } from "./identifiers.ts";
import { type KeyView, requestLists, rolesOfKeys } from "./key-roles.ts";

/** What discovery learned about the target. */
export interface Discovery {
  readonly fixtures: Fixtures;
  readonly fieldNames: FieldNames;
  /** Notices for the user about the configured target, independent of the verdict. */
  readonly notices: readonly Finding[];
}

const productsToTry = 4;
const urlsOfEachKind = 3;
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
  const own = slugsOf("primary", lists.primary);

  const browsed: TriedCategory[] = [];
  for (const category of target.categories) browsed.push(await browse(client, category, "primary"));
  const categories = browsed.filter(isBrowsed);
  mustBeService(http, client, target);
  const seen = distinct(categories.flatMap((category) => category.products));
  // A product of a retailer that is not listed counts as not granted. It is reported and not used by other checks.
  const isListed = ({ retailer }: ProductFixture) => !own.present || own.value.includes(retailer);
  const products = seen.filter(isListed);
  const nothing = noProductIn(browsed, seen.length - products.length);
  const withUrl = variedUrls(products);
  const found = async <T>(find: () => Promise<Fixture<T>>): Promise<Fixture<T>> =>
    products.length === 0 ? nothing : await attempt(find, absent);
  const product = await found(() => findProduct(client, products));
  const keys = await rolesOfKeys(client, lists, products);
  const { otherOrgKey } = keys;
  const other = otherOrgKey.present ? slugsOf("otherOrg", lists.otherOrg ?? {}) : otherOrgKey;
  const gtins = await found(async () => present(await findGtins(client, products, target.fieldNames)));
  const byGtin: GtinLookup = gtins.present ? gtins.value : { products: gtins, unfound: [], shared: [] };
  const batch = product.present
    ? await attempt(() => findBatchFields(client, [product.value, ...products], target.fieldNames), absent)
    : product;
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
      ...(keyHeader === keyHeaders.plain ? [{ code: "accepted-in-plain-only" } as const] : []),
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
      productByUrl: await found(() => findByUrl(client, withUrl)),
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

function slugsOf(subject: Caller, { status = 0, cause, slugs = [] }: KeyView): Fixture<readonly string[]> {
  if (slugs.length > 0) return present(slugs);
  if (cause !== undefined) return absent(cause);
  return absent({ code: "no-retailer", endpoint: "retailers", subject, actual: status });
}

async function findProduct(
  client: PoliteClient,
  products: readonly ProductFixture[],
): Promise<Fixture<ProductFixture>> {
  // A plain identifier works even where special characters do not, which is for the checks to judge.
  const plainFirst = products.toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)));
  for (const product of plainFirst.slice(0, productsToTry)) {
    const { response } = await client.ask(byId(product.retailer, product.productId));
    if (response.status === 200) return present(product);
  }
  const count = Math.min(products.length, productsToTry);
  return absent({ code: "nothing-found-by", endpoint: "lookup-by-id", seen: { count, of: "products" } });
}

async function findByUrl(client: PoliteClient, withUrl: readonly UrlFixture[]): Promise<Fixture<UrlFixture>> {
  const found: UrlFixture[] = [];
  for (const product of withUrl) {
    const { response } = await client.ask(byUrl(product.url));
    if (response.status !== 200) continue;
    // Several products may share a page: one that the lookup returns is clearer.
    if (isObject(response.json) && response.json.product_id === product.productId) return present(product);
    found.push(product);
  }
  if (found[0] !== undefined) return present(found[0]);
  const seen = { count: withUrl.length, of: "products" } as const;
  return absent({ code: "nothing-found-by", endpoint: "lookup-by-url", seen });
}

function urlsIn(products: readonly ProductFixture[]): UrlFixture[] {
  return products.flatMap((product) => (product.url === undefined ? [] : [{ ...product, url: product.url }]));
}

// URLs of various forms: queries and unusual characters are where lookups by URL fail.
function variedUrls(products: readonly ProductFixture[]): UrlFixture[] {
  const withUrl = urlsIn(products);
  const hasQuery = ({ url }: UrlFixture) => Number(url.includes("?"));
  const varied = covering(withUrl, ({ url }) => kindsIn("product_url", url), urlsOfEachKind).toSorted(
    (a, b) => hasQuery(b) - hasQuery(a),
  );
  // Products with few fields show whether a lookup path mishandles missing ones.
  const sparse = sparsest(withUrl, urlsOfSparse);
  return [...new Set([...varied, ...sparse, ...withUrl])].slice(0, urlsOfEachKind + urlsOfSparse);
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
  if (!key.present) return key;
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
