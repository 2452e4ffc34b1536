import type { Exchange } from "../../../conformance/client/exchange.ts";
import { openClient } from "../../../conformance/client/http-client.ts";
import { NoResponse } from "../../../conformance/client/no-response.ts";
import { createPoliteClient } from "../../../conformance/client/polite-client.ts";
import { redactionFor } from "../../../conformance/client/redaction.ts";
import { byCategory, type Request, retailers } from "../../../conformance/client/requests.ts";
import type { Target } from "../../../conformance/client/target.ts";
import { productsIn } from "../../../conformance/response/products-in.ts";
import { slugsIn } from "../../../conformance/response/readers.ts";
import type { LoadFixtures, Tenant } from "../../../schemas/contracts/load-fixtures.ts";
import { defaults } from "../../config/settings.ts";
import type { LoadPlan } from "../../load/plan.ts";

/** The fixtures with the organizations, if one of the loads needs them. */
export async function withTenants(
  fixtures: LoadFixtures,
  {
    plans,
    target,
    signal,
  }: { plans: readonly Pick<LoadPlan, "scenario">[]; target: Target; signal: AbortSignal },
): Promise<LoadFixtures> {
  if (plans.every(({ scenario }) => scenario !== "tenants")) return fixtures;
  return { ...fixtures, tenants: await discoverTenants(target, fixtures, signal) };
}

type TenantProduct = Tenant["products"][number];

const mostCategories = 8;
const mostPages = 3;
/** Each virtual user holds them. */
const mostProducts = 40;
/** Requests for each organization: its list and its pages, with room for waits. */
const mostRequests = 2 * (mostCategories * mostPages + 1);

/**
 * What the scenario tenants needs: for each organization its retailers and products. Undefined where there are no two
 * organizations that see products.
 */
async function discoverTenants(
  target: Target,
  fixtures: LoadFixtures,
  signal?: AbortSignal,
): Promise<Tenant[] | undefined> {
  if (target.keys.otherOrg === undefined) return undefined;
  const redaction = redactionFor(target);
  const holdsNoKey = (value: unknown) => {
    const text = JSON.stringify(value);
    return redaction.redact(text) === text;
  };
  try {
    const tenants: Tenant[] = [];
    for (const role of ["primary", "otherOrg"] as const) {
      const key = target.keys[role];
      // As the primary key of a client of its own: each organization has its own limit and pace.
      const own = { ...target, keys: key === undefined ? {} : { primary: key } };
      const bounds = { maxRequests: 2 * mostRequests, maxSeconds: defaults.glanceSeconds };
      await using http = openClient({ target: own, ...bounds, signal });
      const client = createPoliteClient(http);
      const ask = (request: Request) => client.ask(request, signal);
      tenants.push(await tenantOf(role, fixtures, { ask, holdsNoKey }));
    }
    return tenants.every(({ products }) => products.length > 0) ? tenants : undefined;
  } catch (error) {
    // A request without a response: the scenario says that it lacks a tenant.
    if (error instanceof NoResponse) return undefined;
    throw error;
  }
}

interface Asking {
  ask(request: Request): Promise<Exchange>;
  /** Fixtures are written to files. */
  holdsNoKey(value: unknown): boolean;
}

async function tenantOf(
  key: Tenant["key"],
  fixtures: LoadFixtures,
  { ask, holdsNoKey }: Asking,
): Promise<Tenant> {
  const urlsWork = fixtures.products.some(({ url }) => url !== undefined);
  const list = await ask(retailers());
  const products = new Map<string, TenantProduct>();
  const add = (product: TenantProduct) => products.set(`${product.retailer} ${product.product_id}`, product);
  const known = new Map(fixtures.products.map((one) => [`${one.retailer} ${one.product_id}`, one]));
  for (const category of fixtures.categories.slice(0, mostCategories)) {
    const pages = await firstPages(category, ask, fixtures);
    for (const { product } of pages.flatMap((page) => productsIn(page, fixtures.dialect))) {
      const { retailer, product_id, product_url: url } = product as Readonly<Record<string, unknown>>;
      if (typeof retailer !== "string" || typeof product_id !== "string") continue;
      const same = known.get(`${retailer} ${product_id}`);
      add({
        retailer,
        product_id,
        // Requested only where discovery saw that such lookups work.
        url: urlsWork && typeof url === "string" && url !== "" ? url : undefined,
        gtin: same?.gtin,
      });
    }
  }
  return {
    key,
    retailers: slugsIn(list.response.json).filter(holdsNoKey),
    products: spread([...products.values()].filter(holdsNoKey)),
  };
}

/** The pages of a category up to the first one with products: entitlement may filter all of a page. */
async function firstPages(
  category: string,
  ask: Asking["ask"],
  { dialect }: LoadFixtures,
): Promise<Exchange[]> {
  const pages: Exchange[] = [];
  let cursor: string | undefined;
  for (let number = 0; number < mostPages; number += 1) {
    const page = await ask(byCategory(category, { cursor }));
    pages.push(page);
    const { meta } = (page.response.json ?? {}) as { meta?: { next_cursor?: unknown } };
    const next = meta?.next_cursor;
    if (productsIn(page, dialect).length > 0 || typeof next !== "string" || next === "") break;
    cursor = next;
  }
  return pages;
}

/** Some products of each retailer in turn, so that those of few products are among them. */
function spread(products: readonly TenantProduct[]): TenantProduct[] {
  const groups = [...Map.groupBy(products, ({ retailer }) => retailer).values()];
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, place) => groups.flatMap((group) => group[place] ?? []));
  return turns.flat().slice(0, mostProducts);
}
