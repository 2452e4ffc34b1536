import { type EndpointId, mostBatchItems } from "../../../schemas/api.ts";
import { type Product, productFields } from "../../../schemas/contracts/product.ts";
import type { Exchange } from "../../client/exchange.ts";
import { organizationOf } from "../../client/target.ts";
import { someProductsIn } from "../../response/products-in.ts";
import type { CheckContext } from "../check/check.ts";
import { freshFields, shapeDifference, valueDifference } from "../check/product-comparison.ts";

/** The same product by id and on another lookup path. */
export interface Pair {
  readonly byId: Product;
  readonly other: Product;
  /** Where the other one is in its body. */
  readonly at: string;
  readonly exchange: Exchange;
  readonly byIdExchange: Exchange;
}

/** A product in a response. */
export interface Returned {
  readonly product: Product;
  /** Where it is in the body. */
  readonly path: string;
  readonly exchange: Exchange;
}

export type DifferenceKind = "field" | "unit" | "shift" | "value";

/** Products that the run got both by id and on one other lookup path, as last returned by each. */
export function pairsOf(context: CheckContext, lookupPath: EndpointId): Pair[] {
  const byItsId = lastReturned(context, "lookup-by-id");
  return [...lastReturned(context, lookupPath)].flatMap(([name, { exchange, path, product }]) => {
    const known = byItsId.get(name);
    return known === undefined
      ? []
      : [{ byId: known.product, other: product, at: path, exchange, byIdExchange: known.exchange }];
  });
}

/** The products that a lookup path returned to the first organization, each as last returned, by nameOf. */
export function lastReturned(
  { exchanges, fieldNames }: Pick<CheckContext, "exchanges" | "fieldNames">,
  endpoint: EndpointId,
): Map<string, Returned> {
  return new Map(
    exchanges
      .filter((one) => one.endpoint === endpoint && organizationOf[one.caller] === "first")
      .flatMap((exchange) =>
        someProductsIn(exchange, fieldNames).flatMap(({ path, product }) => {
          const { retailer, product_id: id } = product;
          return retailer === undefined || id === undefined
            ? []
            : [[nameOf(product), { exchange, path, product }] as const];
        }),
      ),
  );
}

/**
 * Fields that a batch adds to each found product and that say nothing of it: its index, or one text or truth value that all
 * entries of the run have, such as a status. The spec does not name them, and no other response has them in a product.
 */
export function fieldsOfEntries({
  exchanges,
  fieldNames,
}: Pick<CheckContext, "exchanges" | "fieldNames">): Set<string> {
  if ((fieldNames.batchFoundProduct ?? "") !== "") return new Set();
  const elsewhere = new Set(Object.keys(productFields));
  const added = new Map<string, unknown[][]>();
  for (const exchange of exchanges) {
    const entries = someProductsIn(exchange, fieldNames).map(({ product }) => Object.entries(product));
    if (exchange.endpoint !== "batch") for (const [name] of entries.flat()) elsewhere.add(name);
    else
      for (const [name, ofBatch] of Map.groupBy(entries.flat(), ([name]) => name))
        added.set(name, [...(added.get(name) ?? []), ofBatch.map(([, value]) => value)]);
  }
  const isOfEntries = (batches: readonly unknown[][]) => {
    const [first] = batches.flat();
    const isLabel = typeof first === "string" || typeof first === "boolean";
    return batches.every(
      isLabel ? (values) => values.every((value) => value === first) : (values) => areIndexes(values),
    );
  };
  return new Set(
    [...added].flatMap(([name, all]) => (!elsewhere.has(name) && isOfEntries(all) ? [name] : [])),
  );
}

/** Whether values may be the places of items in a batch: no two are equal. */
function areIndexes(values: readonly unknown[]): boolean {
  const isPlace = (value: unknown) =>
    Number.isInteger(value) && 0 <= Number(value) && Number(value) <= mostBatchItems;
  return values.every(isPlace) && new Set(values).size === values.length;
}

/** Retailer and id of a product as one text. */
export function nameOf({ retailer, product_id: id }: Product): string {
  return JSON.stringify([retailer, id]);
}

/** What two responses with the same product differ in, including the fields that change often; each place once. */
export function differencesOf(one: Product, other: Product): (readonly ["field" | "value", string])[] {
  const fields = new Set(shapeDifference(one, other).map(({ path }) => path));
  const fresh = freshFields.filter(
    (path) => typeof one[path] === typeof other[path] && one[path] !== other[path],
  );
  return [
    ...[...fields].map((path) => ["field", path] as const),
    ...[...valueDifference(one, other), ...fresh].map((path) => ["value", path] as const),
  ];
}

/** Whether all prices differ by the same round factor, as cents and euros do. No update explains that. */
export function hasOneFactor(pairs: readonly Pick<Pair, "byId" | "other">[]): boolean {
  const factors = pairs.map(({ byId: one, other }) => Number(other.price) / Number(one.price));
  const [first = Number.NaN] = factors;
  const isRound = [first, 1 / first].some(
    (factor) => factor >= 10 && Math.abs(factor - Math.round(factor)) < 0.01,
  );
  return isRound && factors.every((factor) => Math.abs(factor / first - 1) < 0.001);
}

/** Zones differ by whole quarters of an hour, at most by 26 hours. */
const quarter = 15 * 60_000;
const widest = 26 * 60 * 60_000;
/** Fewest different minutes and seconds: updates at full hours may be late by full hours. */
const fewestTimes = 3;

/**
 * The minutes by which the other last_updated is later, if it is by the same whole quarters of an hour for all products.
 * Then one of them is local time: updates are late by different times. Undefined otherwise.
 */
export function shiftInMinutes(pairs: readonly Pick<Pair, "byId" | "other">[]): number | undefined {
  const times = pairs.map(({ byId: one, other }) => [timeOf(one), timeOf(other)] as const);
  const [shift = 0] = times.map(([one, other]) => other - one);
  const isZone = shift !== 0 && shift % quarter === 0 && Math.abs(shift) <= widest;
  const different = new Set(times.map(([one]) => one % quarter));
  return isZone && different.size >= fewestTimes && times.every(([one, other]) => other - one === shift)
    ? shift / 60_000
    : undefined;
}

function timeOf({ last_updated: text }: Product): number {
  return typeof text === "string" ? Date.parse(text) : Number.NaN;
}
