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
const requestsOfTenant = 10;
const organizations = 2;
/** Requests of an iteration. The rate of a profile is that of requests. */
export const volleySize = requestsOfTenant * organizations;

/** Small, because ten requests of two organizations have their responses at the same time. */
const pageLimit = 10;
const stream = 11;

/** Of iteration `index`, a pure function of its arguments; requests of the organizations alternate. */
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

type OwnProduct = Tenant["products"][number];

function callOf(catalog: LoadCatalog, { slot, tenant, index, from }: Place): TenantCall {
  const tenants = catalog.tenants as readonly Tenant[];
  const { products } = tenants[tenant] as Tenant;
  const own = byId(tenant, products[from % products.length] as OwnProduct, "lookup-by-id");
  switch (slot) {
    case 0:
    case 2: {
      // Differs for any two organizations; a product that both may see shows no mix-up of their keys.
      const sought = JSON.stringify(products[0]?.retailer);
      return { tenant, name: "retailers", path: endpoints.retailers.path, sought, items: [] };
    }
    case 1:
      return own;
    case 3:
      return byField(tenant, products, from, "url") ?? own;
    case 4:
      return byField(tenant, products, from, "gtin") ?? own;
    case 5: {
      // Both request the same product, which only one of them may see.
      const owner = index % organizations;
      const { retailers } = tenants[1 - owner] as Tenant;
      const product = firstOf(
        (tenants[owner] as Tenant).products,
        from,
        (one) => !retailers.includes(one.retailer),
      );
      if (product === undefined) return own;
      return byId(tenant, product, tenant === owner ? "lookup-by-id" : "lookup-unentitled-retailer");
    }
    case 6:
    case 7: {
      // The same page for both: a cache without the organization in its key mixes them up.
      const path = catalog.categoryPaths.at((index + slot) % catalog.categoryPaths.length) ?? "";
      return { tenant, name: "category-page", path: `${path}&limit=${pageLimit}`, items: [] };
    }
    default:
      return batch(catalog, products, { slot, tenant, index, from });
  }
}

function byId(tenant: number, product: OwnProduct, name: RequestKindId): TenantCall {
  const path = productPath(product.retailer, product.product_id);
  return { tenant, name, path, items: [identityOf(product)] };
}

function byField(
  tenant: number,
  products: readonly OwnProduct[],
  from: number,
  field: "url" | "gtin",
): TenantCall | undefined {
  const product = firstOf(products, from, (one) => one[field] !== undefined);
  if (product === undefined) return undefined;
  const name = field === "url" ? "lookup-by-url" : "lookup-by-gtin";
  const path = `${endpoints[name].path}=${encodeURIComponent(product[field] ?? "")}`;
  // The complete check compares the product of a page.
  return { tenant, name, path, sought: JSON.stringify(product.product_id), items: [identityOf(product)] };
}

/** The first product from a place on that fits, round the list. */
function firstOf(
  products: readonly OwnProduct[],
  from: number,
  fits: (product: OwnProduct) => boolean,
): OwnProduct | undefined {
  const start = from % products.length;
  return products.slice(start).find(fits) ?? products.slice(0, start).find(fits);
}

function batch(
  { fieldNames }: LoadCatalog,
  products: readonly OwnProduct[],
  { slot, tenant, index, from }: Place,
): TenantCall {
  const size = 1 + ((index * 7 + slot * 3 + tenant * 5) % Math.min(mostBatchItems, products.length));
  const items = Array.from({ length: size }, (_, place) => {
    const { retailer, product_id } = products[(from + place) % products.length] as OwnProduct;
    return { retailer, product_id };
  });
  const field = fieldNames.batchRequestField ?? "";
  const body = JSON.stringify(field === "" ? items : { [field]: items });
  return { tenant, name: "batch", path: endpoints.batch.path, body, size, items: items.map(identityOf) };
}
