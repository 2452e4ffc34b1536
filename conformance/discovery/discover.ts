import { keyHeaders } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";
import { given, isObject } from "../../schemas/json.ts";
import type { HttpClient } from "../client/http-client.ts";
import { createPoliteClient, type PoliteClient } from "../client/polite-client.ts";
import { byId, byUrl } from "../client/requests.ts";
import type { Target } from "../client/target.ts";
import { findBatchFields } from "./batch-fields.ts";
import { browse, emptyCategories, firstCategory, isBrowsed, noProductIn } from "./browsing.ts";
import { findUnentitled } from "./entitlement.ts";
import { acceptedKeyHeader, mustBeService } from "./first-contact.ts";
import {
  absent,
  attempt,
  type Fixture,
  type Fixtures,
  type ProductFixture,
  present,
  type UrlFixture,
} from "./fixtures.ts";
import { findGtins, type GtinLookup } from "./gtin-lookup.ts";
import { covering, kindsIn, sparsest } from "./identifiers.ts";
import { type KeyViews, requestLists, rolesOfKeys, slugsOf } from "./key-roles.ts";

export interface Discovery {
  readonly fixtures: Fixtures;
  readonly fieldNames: FieldNames;
  /** The slugs in the list of the primary key, which may be none; undefined where no list could be read. */
  readonly listed: readonly string[] | undefined;
  /** Notices for the user about the configured target, independent of the verdict. */
  readonly notices: readonly Finding[];
}

const productsToTry = 4;
const urlsOfEachKind = 3;
const urlsOfSparse = 2;
const mostUnlisted = 3;

/**
 * Learns what the checks and the load need from the live target. Only keys and categories come from the user.
 * @throws CannotJudge when the target cannot be reached, refuses the key, or returns no JSON at all
 * @throws WrongKeyRoles when keys are exchanged
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

  // What the other organization must not see begins with it.
  const isOwn = ofRetailersOfOne(lists);
  const browsed = await Array.fromAsync(browse(client, target.categories, "primary", isOwn));
  mustBeService(http, client, target);
  const categories = browsed.filter(isBrowsed);
  const all = categories.flatMap((category) => category.products);
  const distinct = new Map(all.map((one) => [`${one.retailer}\n${one.productId}`, one])).values();
  // A product of a retailer that is not listed counts as not granted: it is reported, and no check uses it.
  const { listed: products = [], unlisted = [] } = Object.groupBy(distinct, ({ retailer }) =>
    !own.present || own.value.includes(retailer) ? "listed" : "unlisted",
  );
  const nothing = noProductIn(browsed, unlisted.length);
  const urls = urlsIn(products);
  const withUrl = variedUrls(urls);
  const found = async <T>(find: () => Promise<Fixture<T>>): Promise<Fixture<T>> =>
    products.length === 0 ? nothing : await attempt(find, absent);
  const [product, keys, gtins, productByUrl] = await Promise.all([
    found(() => findProduct(client, products)),
    rolesOfKeys(client, lists, products, target),
    found(async () => present(await findGtins(client, products, target.fieldNames))),
    found(() => findByUrl(client, withUrl)),
  ]);
  const { otherOrgKey } = keys;
  const other = otherOrgKey.present ? slugsOf("otherOrg", lists.otherOrg ?? {}) : otherOrgKey;
  const byGtin: GtinLookup = gtins.present ? gtins.value : { products: gtins, unfound: [], shared: [] };
  // Without keys of two organizations, no retailer is known to be granted to only one of them.
  const nobodysOwn = otherOrgKey.present
    ? otherOrgKey.value.role !== "asNamed" && absent(otherOrgKey.value.doubt)
    : otherOrgKey;
  // Without a list, retailers whose products the pages show are granted.
  const granted = own.present ? own.value : products.map(({ retailer }) => retailer);
  const [entitlement, batch] = await Promise.all([
    nobodysOwn
      ? { unentitledRetailer: nobodysOwn, unentitledProduct: nobodysOwn }
      : findUnentitled(client, target, granted, other, byGtin.path ?? target.fieldNames.gtin),
    product.present
      ? attempt(() => findBatchFields(client, [product.value, ...products], target.fieldNames), absent)
      : product,
  ]);

  return {
    notices: [
      ...(target.connection?.insecure === true && target.baseUrl.startsWith("https:")
        ? [{ code: "certificate-unchecked" } as const]
        : []),
      ...(keyHeader === keyHeaders.plain ? [{ code: "accepted-in-plain-only" } as const] : []),
      ...emptyCategories(browsed),
    ],
    fieldNames: {
      ...target.fieldNames,
      ...(batch.present ? batch.value : {}),
      ...given({ gtin: byGtin.path }),
    },
    listed: lists.primary.slugs,
    fixtures: {
      retailers: own,
      otherRetailers: other,
      product,
      products,
      unlisted: unlisted.slice(0, mostUnlisted),
      withUrl,
      sites: [...Map.groupBy(urls, ({ retailer }) => retailer).values()].flatMap(([first]) => first ?? []),
      productByUrl,
      productsByGtin: byGtin.products,
      unfoundByGtin: byGtin.unfound,
      sharedGtins: byGtin.shared,
      ...entitlement,
      ownProduct: nobodysOwn || ownProductOf(products, other, nothing),
      category: firstCategory(browsed),
      categories,
      batch,
      ...keys,
    },
  };
}

/** Whether a product is of a retailer that only the first organization has. Undefined if there is none. */
function ofRetailersOfOne({
  primary,
  otherOrg,
}: KeyViews): ((product: ProductFixture) => boolean) | undefined {
  const others = otherOrg?.slugs ?? primary.slugs;
  const own = primary.slugs?.filter((slug) => others?.includes(slug) === false) ?? [];
  return own.length === 0 ? undefined : ({ retailer }) => own.includes(retailer);
}

async function findProduct(
  client: PoliteClient,
  products: readonly ProductFixture[],
): Promise<Fixture<ProductFixture>> {
  // A plain identifier works even where special characters do not, which is for the checks to judge.
  const isPlain = ({ retailer, productId }: ProductFixture) =>
    /^[\w-]+$/.test(retailer) && /^[\w-]+$/.test(productId);
  const plainFirst = products.toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)));
  const tried = plainFirst.slice(0, productsToTry);
  for (const product of tried) {
    const { response } = await client.ask(byId(product.retailer, product.productId));
    if (response.status === 200) return present(product);
  }
  return nothingFound("lookup-by-id", tried);
}

async function findByUrl(client: PoliteClient, withUrl: readonly UrlFixture[]): Promise<Fixture<UrlFixture>> {
  let found: UrlFixture | undefined;
  for (const product of withUrl) {
    const { response } = await client.ask(byUrl(product.url));
    if (response.status !== 200) continue;
    // Several products may share a page: one that the lookup returns is clearer.
    if (isObject(response.json) && response.json.product_id === product.productId) return present(product);
    found ??= product;
  }
  return found === undefined ? nothingFound("lookup-by-url", withUrl) : present(found);
}

function nothingFound(
  endpoint: "lookup-by-id" | "lookup-by-url",
  { length: count }: readonly unknown[],
): Fixture<never> {
  return absent({ code: "nothing-found-by", endpoint, seen: { count, of: "products" } });
}

function urlsIn(products: readonly ProductFixture[]): UrlFixture[] {
  return products.flatMap((product) => (product.url === undefined ? [] : [{ ...product, url: product.url }]));
}

// URLs of various forms: queries and unusual characters are where lookups by URL fail.
function variedUrls(withUrl: readonly UrlFixture[]): UrlFixture[] {
  const hasQuery = ({ url }: UrlFixture) => Number(url.includes("?"));
  const varied = covering(withUrl, ({ url }) => kindsIn("product_url", url), urlsOfEachKind);
  const queriesFirst = varied.toSorted((a, b) => hasQuery(b) - hasQuery(a));
  // Products with few fields show whether a lookup path mishandles missing ones.
  const sparse = sparsest(withUrl, urlsOfSparse);
  return [...new Set([...queriesFirst, ...sparse, ...withUrl])].slice(0, urlsOfEachKind + urlsOfSparse);
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
  return own === undefined ? absent({ code: "no-own-product" }) : present(own);
}
