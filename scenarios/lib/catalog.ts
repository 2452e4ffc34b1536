import { endpoints, errorCodes } from "../../schemas/api.ts";
import type { LoadFixtures, Tenant } from "../../schemas/contracts/load-fixtures.ts";
import type { FieldNames } from "../../schemas/contracts/product.ts";
import { plainGtin } from "../../schemas/product-values.ts";

/** A list of texts, such as an array. */
export interface Texts {
  readonly length: number;
  at(place: number): string | undefined;
}

/**
 * The data for requests as they cost a virtual user least: complete paths and JSON. A request is a text of
 * two lines: the path, and what the body of the right response contains, as its JSON writes it.
 */
export interface LoadCatalog {
  /** Lookups by retailer and product identifier, most popular first. */
  readonly byId: Texts;
  /** Lookups by product page URL; may be empty. */
  readonly byUrl: Texts;
  /** Lookups by GTIN; may be empty. */
  readonly byGtin: Texts;
  /** The items of batches as JSON, in the order of `byId`. */
  readonly batchItems: Texts;
  /** Paths of the first pages of the categories. */
  readonly categoryPaths: Texts;
  readonly unknownProduct: string;
  /** The batch item of that product, as JSON. */
  readonly unknownBatchItem: string;
  readonly unknownRetailer: string;
  /** Undefined if there is no retailer that the key may not use. */
  readonly unentitledRetailer: string | undefined;
  /** The list of retailers, which must have that of the most popular product. */
  readonly retailers: string;
  readonly fieldNames: FieldNames;
  /** The organizations of the scenario tenants; undefined for other scenarios. */
  readonly tenants?: readonly Tenant[] | undefined;
}

/** The lists of a catalog, in the order in which virtual users share them. */
export const listNames = ["byId", "byUrl", "byGtin", "batchItems", "categoryPaths"] as const;
export type ListName = (typeof listNames)[number];

const encode = encodeURIComponent;

/** Path of a product. `.` and `..` are escaped, because URL parsers would resolve them. */
export function productPath(retailer: string, productId: string): string {
  return `/products/${segment(retailer)}/${segment(productId)}`;
}

function segment(text: string): string {
  return text === "." || text === ".." ? text.replaceAll(".", "%2E") : encode(text);
}

/** Builds the data for requests from what discovery found. Throws without any product. */
export function catalogFrom(fixtures: LoadFixtures): LoadCatalog {
  const { products, unknownProductId, unentitledRetailer, dialect } = fixtures;
  const first = products[0];
  if (first === undefined) {
    throw new Error(
      "fixtures without products: a load run needs at least one product that the key may see; name a category that has some",
    );
  }
  const asked = (path: string, sought: string) => `${path}\n${sought}`;
  const refused = (retailer: string, productId: string, status: keyof typeof errorCodes) =>
    asked(productPath(retailer, productId), JSON.stringify(errorCodes[status]));
  return {
    byId: products.map(({ retailer, product_id: id }) =>
      asked(productPath(retailer, id), JSON.stringify(id)),
    ),
    byUrl: products.flatMap(({ url, product_id: id }) =>
      url === undefined
        ? []
        : [asked(`${endpoints["lookup-by-url"].path}=${encode(url)}`, JSON.stringify(id))],
    ),
    byGtin: products.flatMap(({ gtin, product_id: id }) => {
      if (gtin === undefined) return [];
      // A GTIN of several retailers may give any of their products: its digits are sought where one has them.
      const sought = dialect.gtin === undefined ? JSON.stringify(id) : plainGtin(gtin);
      return [asked(`${endpoints["lookup-by-gtin"].path}=${encode(gtin)}`, sought)];
    }),
    batchItems: products.map(({ retailer, product_id }) => JSON.stringify({ retailer, product_id })),
    categoryPaths: fixtures.categories.map((one) => `${endpoints["category-page"].path}=${encode(one)}`),
    unknownProduct: refused(first.retailer, unknownProductId, 404),
    unknownBatchItem: JSON.stringify({ retailer: first.retailer, product_id: unknownProductId }),
    unknownRetailer: refused(fixtures.unknownRetailer, first.product_id, 400),
    unentitledRetailer:
      unentitledRetailer === undefined ? undefined : refused(unentitledRetailer, first.product_id, 403),
    retailers: asked(endpoints.retailers.path, JSON.stringify(first.retailer)),
    fieldNames: dialect,
    tenants: fixtures.tenants,
  };
}
