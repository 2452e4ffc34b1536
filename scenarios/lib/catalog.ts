import { endpoints } from "../../schemas/api.ts";
import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { LoadFixtures, Tenant } from "../../schemas/contracts/load-fixtures.ts";

/** A list of texts, such as an array. */
export interface Texts {
  readonly length: number;
  at(place: number): string | undefined;
}

/** The data for requests in the form that costs a virtual user least: complete paths and JSON. */
export interface LoadCatalog {
  /** Paths of lookups by retailer and product identifier, most popular first. */
  readonly idPaths: Texts;
  /** Paths of lookups by product page URL; may be empty. */
  readonly urlPaths: Texts;
  /** Paths of lookups by GTIN; may be empty. */
  readonly gtinPaths: Texts;
  /** The items of batches as JSON, in the order of `idPaths`. */
  readonly batchItems: Texts;
  /** Paths of the first pages of the categories. */
  readonly categoryPaths: Texts;
  /** Path of a product that does not exist. */
  readonly unknownProductPath: string;
  /** The batch item of that product, as JSON. */
  readonly unknownBatchItem: string;
  /** Path below a retailer that does not exist. */
  readonly unknownRetailerPath: string;
  /** Path below a retailer that the key may not use; undefined if none was found. */
  readonly unentitledRetailerPath: string | undefined;
  readonly fieldNames: FieldNames;
  /** The organizations of the scenario tenants; undefined for other scenarios. */
  readonly tenants?: readonly Tenant[] | undefined;
}

const encode = encodeURIComponent;

/** Path of a product. `.` and `..` are escaped, because URL parsers would resolve them. */
export function productPath(retailer: string, productId: string): string {
  return `/products/${segment(retailer)}/${segment(productId)}`;
}

function segment(text: string): string {
  return text === "." || text === ".." ? text.replaceAll(".", "%2E") : encode(text);
}

/** Path of a category page. */
function categoryPath(category: string, cursor: string): string {
  const first = `${endpoints["category-page"].path}=${encode(category)}`;
  return cursor === "" ? first : `${first}&cursor=${encode(cursor)}`;
}

/** Builds the data for requests from what discovery found. Throws without any product. */
export function catalogFrom(fixtures: LoadFixtures): LoadCatalog {
  const { products, unknownProductId, unentitledRetailer } = fixtures;
  const first = products[0];
  if (first === undefined) {
    throw new Error(
      "fixtures without products: a load run needs at least one product that the key may see; name a category that has some",
    );
  }
  return {
    idPaths: products.map((product) => productPath(product.retailer, product.product_id)),
    urlPaths: products.flatMap(({ url }) =>
      url === undefined ? [] : [`${endpoints["lookup-by-url"].path}=${encode(url)}`],
    ),
    gtinPaths: products.flatMap(({ gtin }) =>
      gtin === undefined ? [] : [`${endpoints["lookup-by-gtin"].path}=${encode(gtin)}`],
    ),
    batchItems: products.map(({ retailer, product_id }) => JSON.stringify({ retailer, product_id })),
    categoryPaths: fixtures.categories.map((category) => categoryPath(category, "")),
    unknownProductPath: productPath(first.retailer, unknownProductId),
    unknownBatchItem: JSON.stringify({ retailer: first.retailer, product_id: unknownProductId }),
    unknownRetailerPath: productPath(fixtures.unknownRetailer, first.product_id),
    unentitledRetailerPath:
      unentitledRetailer === undefined ? undefined : productPath(unentitledRetailer, first.product_id),
    fieldNames: fixtures.dialect,
    tenants: fixtures.tenants,
  };
}
