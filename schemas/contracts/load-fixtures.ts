import type { FieldNames } from "./product.ts";

interface LoadProduct {
  retailer: string;
  product_id: string;
  url?: string | undefined;
  gtin?: string | undefined;
}

/** An organization, as its key saw the service before the load. */
export interface Tenant {
  /** The role of its key. */
  key: "primary" | "otherOrg";
  /** Slugs of its list. */
  retailers: string[];
  products: LoadProduct[];
}

/** What discovery found, as the k6 scenarios open it into a SharedArray. Holds no key. */
export interface LoadFixtures {
  /** Products that the primary key may see. */
  products: LoadProduct[];
  categories: string[];
  /** A slug that no retailer has. */
  unknownRetailer: string;
  /** An identifier that no product has. */
  unknownProductId: string;
  /** A slug that exists and that the primary key may not use; omitted when none was found. */
  unentitledRetailer?: string | undefined;
  /** Of the scenario tenants only: the organizations, with what a response to each may show. */
  tenants?: Tenant[] | undefined;
  dialect: FieldNames;
}
