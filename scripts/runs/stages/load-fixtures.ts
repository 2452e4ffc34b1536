import type { Exchange } from "../../../conformance/client/exchange.ts";
import { openClient } from "../../../conformance/client/http-client.ts";
import { NoResponse } from "../../../conformance/client/no-response.ts";
import { createPoliteClient } from "../../../conformance/client/polite-client.ts";
import { redactionFor } from "../../../conformance/client/redaction.ts";
import { byCategory, byId, type Request, retailers } from "../../../conformance/client/requests.ts";
import type { Target } from "../../../conformance/client/target.ts";
import { unknownProductIds } from "../../../conformance/discovery/unknown-values.ts";
import { productsIn } from "../../../conformance/response/products-in.ts";
import { slugsIn } from "../../../conformance/response/readers.ts";
import type { LoadFixtures, Tenant } from "../../../schemas/contracts/load-fixtures.ts";
import { given, valueAt } from "../../../schemas/json.ts";
import { defaults } from "../../config/settings.ts";
import type { LoadPlan } from "../../load/plan.ts";

interface LoadsToSend {
  readonly plans: readonly Pick<LoadPlan, "scenario">[];
  readonly target: Target;
  readonly signal: AbortSignal;
}

/**
 * What loads need besides what discovery found: an id that no product has, and for the scenario tenants the products of two
 * organizations.
 */
export async function withLoadFixtures(fixtures: LoadFixtures, loads: LoadsToSend): Promise<LoadFixtures> {
  const unknownProductId = await findUnknownProduct(fixtures, loads);
  const known = { ...fixtures, ...given({ unknownProductId }) };
  if (loads.plans.every(({ scenario }) => scenario !== "tenants")) return known;
  return { ...known, tenants: await findTenants(fixtures, loads) };
}

type Ask = (request: Request) => Promise<Exchange>;

/** Undefined without a response: what keeps a request from one, the load shows as well. */
async function asking<Found>(
  { target, signal }: Pick<LoadsToSend, "target" | "signal">,
  maxRequests: number,
  find: (ask: Ask) => Promise<Found>,
): Promise<Found | undefined> {
  await using http = openClient({ target, maxRequests, maxSeconds: defaults.glanceSeconds, signal });
  const client = createPoliteClient(http);
  try {
    return await find(client.ask);
  } catch (error) {
    if (error instanceof NoResponse) return undefined;
    throw error;
  }
}

/** A made-up id of the usual form may belong to a product, above all where ids are numbered without gaps, so it is looked up first. */
async function findUnknownProduct(
  { products: [known], unknownProductId }: LoadFixtures,
  loads: LoadsToSend,
): Promise<string | undefined> {
  if (known === undefined) return undefined;
  const { retailer, product_id: id } = known;
  const candidates = [unknownProductId, ...unknownProductIds(id), `${id}-unknown`];
  return await asking(loads, 2 * candidates.length, async (ask) => {
    for (const candidate of candidates)
      if ((await ask(byId(retailer, candidate))).response.status !== 200) return candidate;
    return undefined;
  });
}

const mostCategories = 8;
const mostPages = 3;
/** Each virtual user holds them. */
const mostProducts = 40;
/** Requests for each organization: its list and its pages, with room for waits. */
const mostRequests = 4 * (mostCategories * mostPages + 1);

/** For each organization its retailers and products; undefined where there are no two that see products. */
async function findTenants(
  fixtures: LoadFixtures,
  { target, signal }: LoadsToSend,
): Promise<Tenant[] | undefined> {
  const { primary, otherOrg } = target.keys;
  if (otherOrg === undefined) return undefined;
  const { redact } = redactionFor(target);
  // Fixtures are written to files.
  const holdsNoKey = (value: unknown) => redact(JSON.stringify(value)) === JSON.stringify(value);
  const tenants: Tenant[] = [];
  for (const [role, key] of [["primary", primary] as const, ["otherOrg", otherOrg] as const]) {
    // As the primary key of a client of its own: each organization has its own limit and pace.
    const own = { ...target, keys: given({ primary: key }) };
    const found = await asking({ target: own, signal }, mostRequests, async (ask) => ({
      retailers: slugsIn((await ask(retailers())).response.json).filter(holdsNoKey),
      products: (await productsOf(fixtures, ask)).filter(holdsNoKey),
    }));
    if (found === undefined || found.products.length === 0) return undefined;
    tenants.push({ key: role, ...found, products: spread(found.products).slice(0, mostProducts) });
  }
  return tenants;
}

type TenantProduct = Tenant["products"][number];

async function productsOf(
  { products, categories, dialect }: LoadFixtures,
  ask: Ask,
): Promise<TenantProduct[]> {
  // Requested only where discovery saw that such lookups work.
  const urlsWork = products.some(({ url }) => url !== undefined);
  const nameOf = ({ retailer, product_id }: TenantProduct) => JSON.stringify([retailer, product_id]);
  const gtins = new Map(products.map((one) => [nameOf(one), one.gtin]));
  const found = new Map<string, TenantProduct>();
  for (const category of categories.slice(0, mostCategories)) {
    let cursor: string | undefined;
    let isEmpty = true;
    // Up to the first page with products: entitlement may filter all of a page.
    for (let number = 0; number < mostPages && isEmpty; number++) {
      const page = await ask(byCategory(category, { cursor }));
      for (const { product } of productsIn(page, dialect)) {
        isEmpty = false;
        const { retailer, product_id, product_url: url } = product as Readonly<Record<string, unknown>>;
        if (typeof retailer !== "string" || typeof product_id !== "string") continue;
        const one = { retailer, product_id };
        found.set(nameOf(one), {
          ...one,
          url: urlsWork && typeof url === "string" && url !== "" ? url : undefined,
          gtin: gtins.get(nameOf(one)),
        });
      }
      const next = valueAt(page.response.json, "/meta/next_cursor");
      if (typeof next !== "string" || next === "") break;
      cursor = next;
    }
  }
  return [...found.values()];
}

/** A product of each retailer in turn, so that those of few products are among the first. */
function spread(products: readonly TenantProduct[]): TenantProduct[] {
  const groups = [...Map.groupBy(products, ({ retailer }) => retailer).values()];
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_, row) => groups.flatMap((group) => group[row] ?? [])).flat();
}
