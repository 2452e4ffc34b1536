import { type EndpointId, mostBatchItems } from "../../schemas/api.ts";
import { productFields } from "../../schemas/contracts/product.ts";
import { type Exchange, requestOf } from "../client/exchange.ts";
import { byId } from "../client/requests.ts";
import { organizationOf } from "../client/target.ts";
import { type ProductInBody, productsIn, someProductsIn } from "../response/products-in.ts";
import type { CheckContext, ResponseView } from "./check/check.ts";
import { compared } from "./check/rows.ts";
import { differenceFinding, differencesOf, type ProductDifference } from "./product-differences.ts";

// One product by id and on another lookup path: whatever the run got is compared, and what differs is asked again, A B B A.

/** Most products of a lookup path to ask again. */
const toRepeat = 6;
/** Fewest products without a field by id that show that another path fills it. */
const fewestFilled = 3;

/** A product in a response. */
interface Returned extends ProductInBody {
  readonly exchange: Exchange;
}

/** The same product by id and on another lookup path. */
export interface Pair {
  readonly byId: Returned;
  readonly other: Returned;
}

/** A difference that comes again, on both paths as before, for each of these products. */
export interface PathDifference {
  readonly kind: "shape" | "value" | "shift";
  readonly path: string;
  readonly pairs: readonly [Pair, ...Pair[]];
  /** Products with this difference that were asked again. */
  readonly again: number;
}

interface Suspect extends Pair {
  readonly differences: readonly ProductDifference[];
}

/** How a lookup path shows products otherwise than a lookup by id does, of all that the run got on both. */
export async function differencesOn(endpoint: EndpointId, context: CheckContext): Promise<PathDifference[]> {
  const all = pairsIn(endpoint, context);
  const suspects = all.map((pair): Suspect => {
    const differences = differencesOf(pair.byId.product, pair.other.product).filter(
      // By GTIN, a product with several GTINs may be returned with the one that was requested.
      ({ path }) =>
        endpoint === "lookup-by-gtin"
          ? path !== context.fieldNames.gtin
          : endpoint !== "batch" || !isOfEntries(path, all),
    );
    return { ...pair, differences };
  });
  // What changes often, such as the price alone, shows least.
  const chosen = suspects
    .filter(({ differences }) => differences.length > 0)
    .toSorted((a, b) => b.differences.length - a.differences.length)
    .slice(0, toRepeat);
  const confirmed: Suspect[] = [];
  for (const suspect of chosen) confirmed.push(await askedAgain(suspect, context));
  const found = confirmed.flatMap(({ differences }) => differences);
  const distinct = new Map(found.map((difference) => [keyOf(difference), difference] as const));
  return [...distinct.values()].flatMap((difference) => {
    const [first, ...others] = confirmed.filter((one) => has(one, difference));
    const again = chosen.filter((one) => has(one, difference)).length;
    const count = 1 + others.length;
    // Of two replicas that respond at random, a few products differ in the same way each time, but not most.
    const isEnough = count >= Math.min(2, all.length) && 2 * count > again;
    if (first === undefined || !isEnough) return [];
    const pairs = [first, ...others] as const;
    const isLate = difference.path === "last_updated" && isBehind(confirmed);
    return [
      { kind: isLate ? "value" : kindOf(difference, pairs, suspects), path: difference.path, pairs, again },
    ];
  });
}

function keyOf({ kind, path }: ProductDifference): string {
  return `${kind} ${path}`;
}

function has({ differences }: Suspect, difference: ProductDifference): boolean {
  return differences.some((one) => keyOf(one) === keyOf(difference));
}

/**
 * Whether a batch adds a field to each found product that says nothing of it: its index, or one text or truth value that all have,
 * such as a status. The spec does not name them.
 */
function isOfEntries(path: string, all: readonly Pair[]): boolean {
  const values = all.map(({ other }) => other.product[path]);
  const [first] = values;
  const isLabel = typeof first === "string" || typeof first === "boolean";
  const isIndex = (value: unknown) =>
    Number.isInteger(value) && 0 <= Number(value) && Number(value) <= mostBatchItems;
  const isAdded = all.every(({ byId: { product } }) => !(path in product)) && !(path in productFields);
  return isAdded && values.every(isLabel ? (value) => value === first : isIndex);
}

/** Products that the run got by id and on another path. A page or a batch stands in for a lookup by id that was not sent. */
function pairsIn(endpoint: EndpointId, context: CheckContext): Pair[] {
  const byIds = new Map(
    (["batch", "category-page", "lookup-by-id"] as const)
      .filter((one) => one !== endpoint)
      .flatMap((one) => [...lastReturned(one, context)]),
  );
  return [...lastReturned(endpoint, context)].flatMap(([name, other]) => {
    const known = byIds.get(name);
    return known === undefined ? [] : [{ byId: known, other }];
  });
}

/** The products that a lookup path returned to the first organization, by retailer and id, each as last returned. */
function lastReturned(
  endpoint: EndpointId,
  { exchanges, fieldNames }: CheckContext,
): ReadonlyMap<string, Returned> {
  const own = exchanges.filter((one) => one.endpoint === endpoint && organizationOf[one.caller] === "first");
  const all = own.flatMap((exchange) =>
    someProductsIn(exchange, fieldNames).map((found) => ({ ...found, exchange })),
  );
  const named = all.filter(
    ({ product }) => product.retailer !== undefined && product.product_id !== undefined,
  );
  return new Map(named.map((one) => [nameOf(one), one]));
}

function nameOf({ product: { retailer, product_id: id } }: ProductInBody): string {
  return JSON.stringify([retailer, id]);
}

/** A suspect as both ways return it when they are asked again, with those of its differences that are still there. */
async function askedAgain(suspect: Suspect, context: CheckContext): Promise<Suspect> {
  const { retailer, product_id: id } = suspect.other.product;
  const find = (exchange: Exchange | undefined) =>
    exchange &&
    productsIn(exchange, context.fieldNames)
      .map((found) => ({ ...found, exchange }))
      .find((one) => nameOf(one) === nameOf(suspect.other));
  const view: ResponseView = (one, other) => {
    const [known, found] = [find(one), find(other)];
    if (known === undefined || found === undefined) return [];
    return differencesOf(known.product, found.product).map(({ path }) =>
      differenceFinding(known.product, { ...found, path: "" }, path),
    );
  };
  const ways = [
    byId(String(retailer), String(id)),
    requestOf(suspect.other.exchange, context.target),
  ] as const;
  const { findings, evidence } = await compared(context, ways, view, context.ask);
  const [other, known] = evidence.map(find);
  if (known === undefined || other === undefined) return { ...suspect, differences: [] };
  const still = new Set(findings.map(({ subject }) => subject));
  return { byId: known, other, differences: suspect.differences.filter(({ path }) => still.has(path)) };
}

/**
 * What a difference says. A replica that is not up to date may lack a field of a few products: it is another shape only if most
 * products show it that can.
 */
function kindOf(
  { kind, path }: ProductDifference,
  pairs: readonly [Pair, ...Pair[]],
  suspects: readonly Suspect[],
): PathDifference["kind"] {
  if (path === "price" && hasOneFactor(pairs)) return "shape";
  if (path === "last_updated" && shiftInMinutes(pairs) !== undefined) return "shift";
  if (kind === "value") return "value";
  const showing = suspects.filter((one) => has(one, { kind, path })).length;
  const isGivenById = path in pairs[0].byId.product;
  const able = suspects.filter(({ byId: { product } }) => path in product === isGivenById).length;
  return 2 * showing > able && (isGivenById || showing >= fewestFilled) ? "shape" : "value";
}

/** Whether all prices differ by the same round factor, as cents and euros do. No update explains that. */
function hasOneFactor(pairs: readonly Pair[]): boolean {
  const factors = pairs.map(
    ({ byId: one, other }) => Number(other.product.price) / Number(one.product.price),
  );
  const [first = Number.NaN] = factors;
  const isRound = [first, 1 / first].some(
    (factor) => factor >= 10 && Math.abs(factor - Math.round(factor)) < 0.01,
  );
  return isRound && pairs.length > 1 && factors.every((factor) => Math.abs(factor / first - 1) < 0.001);
}

/**
 * Whether other values differ that change from time to time: then the path is behind, and no zone is wrong. An index that is read
 * hourly is behind by the same time for all products.
 */
function isBehind(confirmed: readonly Suspect[]): boolean {
  const [priced, available] = ["price", "availability"].map((path) =>
    confirmed.filter((one) => has(one, { kind: "value", path })),
  ) as [Suspect[], Suspect[]];
  return available.length > 0 || (priced.length > 0 && !hasOneFactor(priced));
}

/** Zones differ by whole quarters of an hour, at most by 26 hours. */
const quarter = 15 * 60_000;
const widest = 26 * 60 * 60_000;
/** Fewest different minutes and seconds: updates at full hours may be late by full hours. */
const fewestTimes = 3;
/** A clock of twelve hours shows in the afternoon only, and no update is late by exactly that twice. */
const halfDay = 12 * 60 * 60_000;

/** The minutes by which the other last_updated is later, if it is by the same whole quarters of an hour for all products. */
export function shiftInMinutes(pairs: readonly Pair[]): number | undefined {
  const times = pairs.map(({ byId: one, other }) => [timeOf(one), timeOf(other)] as const);
  const [shift = 0] = times.map(([one, other]) => other - one);
  const isZone = shift !== 0 && shift % quarter === 0 && Math.abs(shift) <= widest;
  const different = new Set(times.map(([one]) => one % quarter));
  const fewest = Math.abs(shift) === halfDay ? 2 : fewestTimes;
  return isZone && different.size >= fewest && times.every(([one, other]) => other - one === shift)
    ? shift / 60_000
    : undefined;
}

function timeOf({ product: { last_updated: text } }: Returned): number {
  return typeof text === "string" ? Date.parse(text) : Number.NaN;
}
