import { openClient } from "../../../conformance/client/http-client.ts";
import { createPoliteClient, type PoliteClient } from "../../../conformance/client/polite-client.ts";
import { redactionFor } from "../../../conformance/client/redaction.ts";
import { byId, retailers } from "../../../conformance/client/requests.ts";
import type { Target } from "../../../conformance/client/target.ts";
import { browse, isBrowsed } from "../../../conformance/discovery/browsing.ts";
import type { Discovery } from "../../../conformance/discovery/discover.ts";
import { attempt } from "../../../conformance/discovery/fixtures.ts";
import { unknownProductIds, unknownSlug } from "../../../conformance/discovery/unknown-values.ts";
import { slugsIn } from "../../../conformance/response/readers.ts";
import type { LoadFixtures, Tenant } from "../../../schemas/contracts/load-fixtures.ts";
import { given } from "../../../schemas/json.ts";
import type { TextRedaction } from "../../../schemas/redaction.ts";
import { defaults } from "../../config/settings.ts";
import type { LoadPlan } from "../../load/plan.ts";

/**
 * What the load can request, from the checks' discovery. Products have a GTIN or URL only if it finds them.
 * Values with a key are omitted, since the fixtures are written to files.
 */
export function loadFixturesOf({ fixtures, fieldNames }: Discovery, redaction: TextRedaction): LoadFixtures {
  const holdsNoKey = keylessFor(redaction);
  const scoped = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const gtins = new Map(scoped.map(({ product, gtin }) => [product, gtin]));
  const urlsWork = fixtures.productByUrl.present;
  const products = fixtures.products.map(({ retailer, productId, url, product }) => ({
    retailer,
    product_id: productId,
    ...given({ url: urlsWork ? url : undefined, gtin: gtins.get(product) }),
  }));
  const sample = fixtures.product.present ? fixtures.product.value.productId : "0000000000";
  return {
    products: fixtures.product.present ? products.filter(holdsNoKey) : [],
    categories: fixtures.categories.map(({ category }) => category).filter(holdsNoKey),
    unknownRetailer: unknownSlug(fixtures.retailers.present ? fixtures.retailers.value : []),
    unknownProductId: unknownProductIds(sample)[0] ?? "0",
    ...(fixtures.unentitledRetailer.present ? { unentitledRetailer: fixtures.unentitledRetailer.value } : {}),
    dialect: { ...fieldNames },
  };
}

interface LoadsToSend {
  readonly plans: readonly Pick<LoadPlan, "scenario">[];
  readonly target: Target;
  readonly signal: AbortSignal;
}

const mostCategories = 8;
/** Each virtual user holds them. */
const mostProducts = 40;
/** A few ids, and the lists and pages of two organizations, with room for waits. */
const mostRequests = 250;

/**
 * Adds an id that no product has, and for the scenario tenants the products of two organizations. Nothing is
 * added without a response: what prevents one, the load shows as well.
 */
export async function withLoadFixtures(
  fixtures: LoadFixtures,
  { plans, target, signal }: LoadsToSend,
): Promise<LoadFixtures> {
  const bounds = { maxRequests: mostRequests, maxSeconds: defaults.glanceSeconds, signal };
  await using http = openClient({ target, ...bounds });
  const client = createPoliteClient(http);
  const withTenants = plans.some(({ scenario }) => scenario === "tenants");
  const nothing = () => undefined;
  const unknownProductId = await attempt(() => findUnknownProduct(fixtures, client), nothing);
  const known = { ...fixtures, ...given({ unknownProductId }) };
  if (!withTenants) return known;
  return { ...known, tenants: await attempt(() => findTenants(fixtures, client, target), nothing) };
}

/** A made-up id may belong to a product, above all where ids are numbered, so it is looked up first. */
async function findUnknownProduct(
  { products: [known], unknownProductId }: LoadFixtures,
  client: PoliteClient,
): Promise<string | undefined> {
  if (known === undefined) return undefined;
  const { retailer, product_id: id } = known;
  for (const candidate of [unknownProductId, ...unknownProductIds(id), `${id}-unknown`]) {
    const { response } = await client.ask(byId(retailer, candidate));
    if (response.status !== 200) return candidate;
  }
  return undefined;
}

/** For each organization its retailers and products; undefined where there are no two that see products. */
async function findTenants(
  { products: known, categories }: LoadFixtures,
  client: PoliteClient,
  target: Target,
): Promise<Tenant[] | undefined> {
  if (target.keys.otherOrg === undefined) return undefined;
  const holdsNoKey = keylessFor(redactionFor(target));
  // Requested only where discovery saw that such lookups work.
  const urlsWork = known.some(({ url }) => url !== undefined);
  const nameOf = ({ retailer, product_id }: Tenant["products"][number]) => `${retailer}\n${product_id}`;
  const gtins = new Map(known.map((one) => [nameOf(one), one.gtin]));
  const tenants: Tenant[] = [];
  for (const key of ["primary", "otherOrg"] as const) {
    const slugs = slugsIn((await client.ask({ ...retailers(), caller: key })).response.json).filter(
      holdsNoKey,
    );
    const found = new Map<string, Tenant["products"][number]>();
    for await (const page of browse(client, categories.slice(0, mostCategories), key)) {
      for (const { retailer, productId, url } of isBrowsed(page) ? page.products : []) {
        const one = { retailer, product_id: productId };
        found.set(nameOf(one), { ...one, url: urlsWork ? url : undefined, gtin: gtins.get(nameOf(one)) });
      }
    }
    // A page may show what the key may not see: that is refused, rightly, when it is looked up.
    const own = [...found.values()].filter((one) => holdsNoKey(one) && slugs.includes(one.retailer));
    const products = oneOfEachRetailer(own).slice(0, mostProducts);
    if (products.length === 0) return undefined;
    tenants.push({ key, retailers: slugs, products });
  }
  return tenants;
}

/** Whether a value holds none of the keys: fixtures are written to files. */
function keylessFor({ redact }: TextRedaction): (value: unknown) => boolean {
  return (value) => redact(JSON.stringify(value)) === JSON.stringify(value);
}

/** A product of each retailer in turn, so that those of few products are among the first. */
export function oneOfEachRetailer<P extends { readonly retailer: string }>(products: readonly P[]): P[] {
  const groups = [...Map.groupBy(products, ({ retailer }) => retailer).values()];
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_, row) => groups.flatMap((group) => group[row] ?? [])).flat();
}
