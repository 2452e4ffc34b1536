import type { FieldsByRetailer, Statuses } from "../../schemas/contracts/discovered.ts";
import type { FieldNames } from "../../schemas/contracts/field-names.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { leavesOf } from "../../schemas/field-paths.ts";
import { isObject } from "../../schemas/json.ts";
import type { Exchange } from "../client/exchange.ts";
import { productsIn } from "../response/products-in.ts";

/** Statistics about the contract over all responses of a run. */
export interface Survey {
  /** Number of different products that have each field path. */
  readonly fields: Readonly<Record<string, number>>;
  readonly fieldsByRetailer: FieldsByRetailer;
  readonly types: Readonly<Record<string, string[]>>;
  readonly statuses: Statuses;
}

interface Counted {
  products: number;
  readonly fields: Map<string, number>;
}

/** Most field paths to count, overall and for each retailer: field names may be data. */
const mostPaths = 400;
const mostRetailers = 200;

/**
 * Surveys a run. A product that appears several times counts once, with all the fields it ever had. A field that is null
 * or empty counts as missing: it must be omitted, and once it is, the contract has not changed.
 */
export function surveyOf(exchanges: readonly Exchange[], fieldNames: FieldNames): Survey {
  const statuses: Statuses = {};
  const fields = new Map<string, number>();
  const types = new Map<string, Set<string>>();
  const retailers = new Map<string, Counted>();
  const seen = new Map<string, Set<string>>();

  function countStatus({ endpoint, response }: Exchange): void {
    const ofEndpoint = statuses[endpoint] ?? {};
    statuses[endpoint] = ofEndpoint;
    ofEndpoint[response.status] = (ofEndpoint[response.status] ?? 0) + 1;
  }

  function countProduct(product: Product): void {
    const retailer = retailerOf(product);
    const identity = identityOf(product);
    const paths = seen.get(identity) ?? new Set();
    if (!seen.has(identity)) {
      seen.set(identity, paths);
      if (retailer !== undefined) retailer.products++;
    }
    noteTypes(product);
    for (const { path, value } of leavesOf(product)) {
      if (value === null || value === "" || paths.has(path)) continue;
      paths.add(path);
      increment(fields, path);
      if (retailer !== undefined) increment(retailer.fields, path);
    }
  }

  function noteTypes(value: unknown, path = ""): void {
    if (value === null || (path !== "" && !types.has(path) && types.size >= mostPaths)) return;
    const inner = Array.isArray(value)
      ? value.map((one: unknown) => [`${path}[]`, one] as const)
      : isObject(value)
        ? Object.entries(value).map(([name, one]) => [path === "" ? name : `${path}.${name}`, one] as const)
        : [];
    if (path !== "") {
      const known = types.get(path) ?? new Set();
      types.set(path, known.add(Array.isArray(value) ? "array" : typeof value));
    }
    for (const [below, one] of inner) noteTypes(one, below);
  }

  function retailerOf({ retailer: slug }: Product): Counted | undefined {
    if (typeof slug !== "string" || slug === "") return undefined;
    const known = retailers.get(slug);
    if (known !== undefined || retailers.size >= mostRetailers) return known;
    const counted = { products: 0, fields: new Map() };
    retailers.set(slug, counted);
    return counted;
  }

  for (const exchange of exchanges) {
    countStatus(exchange);
    for (const { product } of productsIn(exchange, fieldNames)) countProduct(product);
  }
  return {
    fields: Object.fromEntries(fields),
    fieldsByRetailer: Object.fromEntries(
      [...retailers].map(([slug, { products, fields: own }]) => [
        slug,
        { products, fields: Object.fromEntries(own) },
      ]),
    ),
    types: Object.fromEntries([...types].map(([path, seen]) => [path, [...seen].toSorted()])),
    statuses,
  };
}

function identityOf(product: Product): string {
  const { retailer, product_id: id } = product;
  return typeof id === "string" ? JSON.stringify([retailer, id]) : JSON.stringify(product);
}

function increment(counts: Map<string, number>, path: string): void {
  const count = counts.get(path);
  if (count !== undefined || counts.size < mostPaths) counts.set(path, (count ?? 0) + 1);
}
