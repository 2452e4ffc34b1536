import { endpoints, mostBatchItems } from "../../schemas/api.ts";
import type { Tenant } from "../../schemas/contracts/load-fixtures.ts";
import type { RequestKindId } from "../../schemas/scenarios.ts";
import { type LoadCatalog, productPath } from "./catalog.ts";
import { type LoadCall, uniform } from "./traffic.ts";

// What the organizations of the scenario tenants request at the same time.

/** The identity of a product as a request names it, or as a response shows it. */
export function identityOf(product: { readonly retailer?: unknown; readonly product_id?: unknown }): string {
  return `${String(product.retailer)}/${String(product.product_id)}`;
}

/** A request with the key of a tenant, and what belongs to it. */
export interface TenantCall extends LoadCall {
  /** Place of the tenant in the fixtures. */
  readonly tenant: number;
  /** Identities of the products that it names. */
  readonly items: readonly string[];
}

/** Requests of each organization that one iteration sends at the same time. */
export const requestsOfTenant = 10;
const organizations = 2;
/** Requests of an iteration. The rate of a profile is that of requests. */
export const volleySize = requestsOfTenant * organizations;

/** Small, because ten requests of two organizations have their responses at the same time. */
const pageLimit = 10;
const stream = 11;

/** The requests of iteration `index`, a pure function of its arguments; requests of the organizations alternate. */
export function volley(catalog: LoadCatalog, seed: number, index: number): TenantCall[] {
  const calls: TenantCall[] = [];
  const from = Math.floor(uniform(seed, index, stream) * 1009);
  for (let slot = 0; slot < requestsOfTenant; slot += 1) {
    for (let tenant = 0; tenant < organizations; tenant += 1) {
      calls.push(callOf(catalog, { slot, tenant, index, from: from + slot * 3 }));
    }
  }
  return calls;
}

interface Place {
  readonly slot: number;
  readonly tenant: number;
  readonly index: number;
  /** Where to begin in the list of products. */
  readonly from: number;
}

function callOf(catalog: LoadCatalog, { slot, tenant, index, from }: Place): TenantCall {
  const tenants = catalog.tenants as readonly Tenant[];
  const own = tenants[tenant] as Tenant;
  switch (slot) {
    case 0:
      return {
        tenant,
        name: "retailers",
        path: endpoints.retailers.path,
        sought: JSON.stringify(own.products[0]?.retailer),
        items: [],
      };
    case 1:
    case 2:
      return byId(tenant, own, from, "lookup-by-id");
    case 3:
      return byField(tenant, own, from, "url") ?? byId(tenant, own, from, "lookup-by-id");
    case 4:
      return byField(tenant, own, from, "gtin") ?? byId(tenant, own, from, "lookup-by-id");
    case 5: {
      // Both request the same product, which only one of them may see.
      const owner = index % organizations;
      const product = exclusiveOf(tenants, owner, from);
      if (product === undefined) return byId(tenant, own, from, "lookup-by-id");
      const call = {
        tenant,
        path: productPath(product.retailer, product.product_id),
        items: [identityOf(product)],
      };
      return tenant === owner
        ? { ...call, name: "lookup-by-id" }
        : { ...call, name: "lookup-unentitled-retailer" };
    }
    case 6:
    case 7:
      return page(catalog, tenant, index, slot);
    default:
      return batch(catalog, own, { slot, tenant, index, from });
  }
}

function byId(tenant: number, { products }: Tenant, from: number, name: RequestKindId): TenantCall {
  const product = products[from % products.length] as Tenant["products"][number];
  return {
    tenant,
    name,
    path: productPath(product.retailer, product.product_id),
    items: [identityOf(product)],
  };
}

function byField(
  tenant: number,
  { products }: Tenant,
  from: number,
  field: "url" | "gtin",
): TenantCall | undefined {
  for (let step = 0; step < products.length; step += 1) {
    const product = products[(from + step) % products.length];
    const value = product?.[field];
    if (product === undefined || value === undefined) continue;
    const name = field === "url" ? "lookup-by-url" : "lookup-by-gtin";
    const path = `${endpoints[name].path}=${encodeURIComponent(value)}`;
    return { tenant, name, path, items: [identityOf(product)] };
  }
  return undefined;
}

/** A product of a retailer that only its owner may see. */
function exclusiveOf(tenants: readonly Tenant[], owner: number, from: number) {
  const { products } = tenants[owner] as Tenant;
  const { retailers } = tenants[1 - owner] as Tenant;
  for (let step = 0; step < products.length; step += 1) {
    const product = products[(from + step) % products.length];
    if (product === undefined) continue;
    if (!retailers.includes(product.retailer)) return product;
  }
  return undefined;
}

/** The same page for both: a cache without the organization in its key mixes them up. */
function page({ categoryPaths }: LoadCatalog, tenant: number, index: number, slot: number): TenantCall {
  const path = categoryPaths.at((index + slot) % categoryPaths.length) ?? "";
  return { tenant, name: "category-page", path: `${path}&limit=${pageLimit}`, items: [] };
}

function batch(
  { fieldNames }: LoadCatalog,
  { products }: Tenant,
  { slot, tenant, index, from }: Place,
): TenantCall {
  const most = Math.min(mostBatchItems, products.length);
  const size = 1 + ((index * 7 + slot * 3 + tenant * 5) % most);
  const items = Array.from({ length: size }, (_, place) => {
    const { retailer, product_id } = products[(from + place) % products.length] as Tenant["products"][number];
    return { retailer, product_id };
  });
  const field = fieldNames.batchRequestField ?? "";
  return {
    tenant,
    name: "batch",
    path: endpoints.batch.path,
    body: JSON.stringify(field === "" ? items : { [field]: items }),
    size,
    items: items.map(identityOf),
  };
}
