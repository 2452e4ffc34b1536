import type { FieldsByRetailer, Statuses } from "../../schemas/contracts/discovered.ts";
import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { leavesOf } from "../../schemas/field-paths.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { productsIn } from "../response/products-in.ts";
import { countsByStatus } from "../response/readers.ts";

/** Statistics about the contract over all responses of a run. */
export interface Survey {
  /** Number of different products that have each field path. */
  readonly fields: Readonly<Record<string, number>>;
  readonly fieldsByRetailer: FieldsByRetailer;
  readonly types: Readonly<Record<string, string[]>>;
  readonly statuses: Statuses;
}

/** A product, with every field path that it ever had. */
interface SurveyedProduct {
  readonly retailer: string;
  readonly paths: Set<string>;
}

/** Most field paths to count, overall and for each retailer: field names may be data. */
const mostPaths = 400;
const mostRetailers = 200;

/**
 * Surveys a run. A product that appears several times counts once, with all the fields it ever had. A field that is null
 * or empty counts as missing: it must be omitted, and once it is, the contract has not changed.
 */
export function surveyOf(exchanges: readonly Exchange[], fieldNames: FieldNames): Survey {
  const surveyed = new Map<string, SurveyedProduct>();
  const types = new Map<string, Set<string>>();
  for (const exchange of exchanges)
    for (const { product } of productsIn(exchange, fieldNames)) {
      const { retailer } = product;
      const identity = identityOf(product);
      const one = surveyed.get(identity) ?? {
        retailer: typeof retailer === "string" ? retailer : "",
        paths: new Set(),
      };
      surveyed.set(identity, one);
      for (const { path, value } of leavesOf(product))
        if (value !== null && value !== "") one.paths.add(path);
      noteTypes(types, product);
    }
  const products = [...surveyed.values()];
  const byRetailer = Map.groupBy(products, ({ retailer }) => retailer);
  byRetailer.delete("");
  const ofRetailers = [...byRetailer].slice(0, mostRetailers);
  const byEndpoint = Map.groupBy(exchanges, ({ endpoint }) => endpoint);
  return {
    fields: countsOf(products),
    fieldsByRetailer: Object.fromEntries(
      ofRetailers.map(([slug, own]) => [slug, { products: own.length, fields: countsOf(own) }]),
    ),
    types: Object.fromEntries([...types].map(([path, seen]) => [path, [...seen].toSorted()])),
    statuses: Object.fromEntries([...byEndpoint].map(([endpoint, own]) => [endpoint, countsByStatus(own)])),
  };
}

function noteTypes(types: Map<string, Set<string>>, value: unknown, path = ""): void {
  if (value === null || (path !== "" && !types.has(path) && types.size >= mostPaths)) return;
  if (path !== "") {
    const known = types.get(path) ?? new Set();
    types.set(path, known.add(Array.isArray(value) ? "array" : typeof value));
  }
  if (Array.isArray(value)) for (const one of value) noteTypes(types, one, `${path}[]`);
  else if (isObject(value))
    for (const [name, one] of Object.entries(value))
      noteTypes(types, one, path === "" ? name : `${path}.${name}`);
}

function identityOf(product: Product): string {
  const { retailer, product_id: id } = product;
  return typeof id === "string" ? JSON.stringify([retailer, id]) : JSON.stringify(product);
}

function countsOf(products: readonly SurveyedProduct[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const path of products.flatMap(({ paths }) => [...paths])) {
    const count = counts.get(path);
    if (count !== undefined || counts.size < mostPaths) counts.set(path, (count ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
