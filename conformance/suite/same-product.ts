import { itemName } from "../../schemas/accounts.ts";
import { type EndpointId, mostBatchItems } from "../../schemas/api.ts";
import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { type Product, productFields } from "../../schemas/contracts/product.ts";
import { isObject, valueAt } from "../../schemas/json.ts";
import { type ProductPlace, placesIn } from "../../schemas/product-values.ts";
import { type Exchange, requestOf } from "../client/exchange.ts";
import { type BatchItem, byId } from "../client/requests.ts";
import { organizationOf } from "../client/target.ts";
import { actual } from "../response/body-findings.ts";
import { type ProductInBody, productsIn } from "../response/products-in.ts";
import { isSameItem, itemsSent } from "../response/readers.ts";
import type { CheckContext, ResponseView } from "./check/check.ts";
import { identityFields } from "./check/product-comparison.ts";
import { compared } from "./check/rows.ts";

// One product by id and on another path: what the run got is compared; what differs is asked again, A B B A.

/** Most products of a lookup path to ask again. */
const toRepeat = 6;
/** Fewest products without a field by id that show that another path fills it. */
const fewestFilled = 3;

/** Which product a lookup is to find, by the URL of the request: one that omits its id is known by that. */
export type Asked = ReadonlyMap<string, BatchItem>;

/** A product in a response. */
interface Returned extends ProductInBody {
  readonly exchange: Exchange;
  /** Who it is. */
  readonly item: Pick<Product, "retailer" | "product_id">;
}

/** The same product by id and on another lookup path, and what differs between the two. */
interface Pair {
  readonly byId: Returned;
  readonly other: Returned;
  readonly differences: readonly ProductDifference[];
}

/** A difference that comes again, on both paths as before, for each of these products. */
export interface PathDifference {
  readonly kind: "shape" | "value" | "shift";
  readonly path: string;
  readonly pairs: readonly Pair[];
  /** Products with this difference that were asked again. */
  readonly again: number;
  /** The minutes by which all times are later, of a shift. */
  readonly shiftMinutes: number | undefined;
}

/** How a lookup path shows products otherwise than a lookup by id does, of all that the run got on both. */
export async function differencesOn(
  endpoint: EndpointId,
  context: CheckContext,
  asked: Asked,
): Promise<PathDifference[]> {
  const all = pairsIn(endpoint, context, asked);
  // What changes often, such as the price alone, shows least.
  const chosen = all
    .filter(({ differences }) => differences.length > 0)
    .toSorted((a, b) => b.differences.length - a.differences.length)
    .slice(0, toRepeat);
  const confirmed: Pair[] = [];
  for (const pair of chosen) confirmed.push(await askedAgain(pair, context, asked));
  const found = confirmed.flatMap(({ differences }) => differences);
  const distinct = new Map(found.map((one) => [`${one.kind} ${one.path}`, one] as const));
  return [...distinct.values()].flatMap((difference) => {
    const { path } = difference;
    const pairs = confirmed.filter(has(difference));
    const { length: again } = chosen.filter(has(difference));
    // Of two replicas that respond at random, a few products differ in the same way each time, but not most.
    if (pairs.length < Math.min(2, all.length) || 2 * pairs.length <= again) return [];
    const isLate = path === "last_updated" && isBehind(confirmed);
    const times = pairs.map(({ byId: one, other }) => [timeOf(one), timeOf(other)] as const);
    const shiftMinutes = path === "last_updated" && !isLate ? shiftInMinutes(times) : undefined;
    const isOfShape = !isLate && isAnotherShape(difference, pairs, all);
    const kind = shiftMinutes === undefined ? (isOfShape ? "shape" : "value") : "shift";
    return [{ kind, path, pairs, again, shiftMinutes }];
  });
}

function has({ kind, path }: ProductDifference): (pair: Pair) => boolean {
  return ({ differences }) => differences.some((one) => one.kind === kind && one.path === path);
}

/** Products of the run by id and on another path. A page or batch stands in for a lookup that is missing. */
function pairsIn(endpoint: EndpointId, context: CheckContext, asked: Asked): Pair[] {
  const byIds = new Map(
    (["batch", "category-page", "lookup-by-id"] as const)
      .filter((one) => one !== endpoint)
      .flatMap((one) => [...lastReturned(one, context, asked)]),
  );
  const all = [...lastReturned(endpoint, context, asked)].flatMap(([name, other]) => {
    const byId = byIds.get(name);
    return byId === undefined ? [] : [{ byId, other }];
  });
  // By GTIN, a product with several GTINs may be returned with the one that was requested.
  const isCompared = ({ path }: ProductDifference) =>
    endpoint === "lookup-by-gtin"
      ? path !== context.fieldNames.gtin
      : endpoint !== "batch" || !isOfEntries(path, all);
  return all.map((pair) => {
    const differences = differencesOf(pair.byId.product, pair.other.product).filter(isCompared);
    return { ...pair, differences };
  });
}

/** What a path returned to the first organization, by retailer and id, each as last returned. */
function lastReturned(
  endpoint: EndpointId,
  { exchanges, fieldNames }: CheckContext,
  asked: Asked,
): ReadonlyMap<string, Returned> {
  const own = exchanges.filter((one) => one.endpoint === endpoint && organizationOf[one.caller] === "first");
  const all = own.flatMap((exchange) => named(productsIn(exchange, fieldNames), exchange, asked));
  return new Map(all.map((one) => [itemName(one.item) ?? "", one]));
}

/** The products of which it is known who they are: by their names, or as the only one that was asked for. */
function named(products: readonly ProductInBody[], exchange: Exchange, asked: Asked): Returned[] {
  const [only, another] = exchange.endpoint === "batch" ? itemsSent(exchange) : [];
  const known = another === undefined ? only : undefined;
  return products.flatMap((found) => {
    const item = { ...(known ?? asked.get(exchange.request.url)), ...found.product };
    return itemName(item) === undefined ? [] : [{ ...found, exchange, item }];
  });
}

/**
 * Whether a batch adds a field to each found product that says nothing of it, and that the spec does not
 * name: its index, or one text or truth value that all have, such as a status.
 */
function isOfEntries(path: string, all: readonly Pick<Pair, "byId" | "other">[]): boolean {
  const values = all.map(({ other }) => other.product[path]);
  const [first] = values;
  const isLabel = typeof first === "string" || typeof first === "boolean";
  const isIndex = (value: unknown) =>
    Number.isInteger(value) && 0 <= Number(value) && Number(value) <= mostBatchItems;
  const isAdded = all.every(({ byId: { product } }) => !(path in product)) && !(path in productFields);
  return isAdded && values.every(isLabel ? (value) => value === first : isIndex);
}

/** A pair as asked again in both ways, with those of its differences that are still there. */
async function askedAgain(pair: Pair, context: CheckContext, asked: Asked): Promise<Pair> {
  const { item, exchange } = pair.other;
  const find = (answer: Exchange | undefined) =>
    answer &&
    named(productsIn(answer, context.fieldNames), answer, asked).find((one) => isSameItem(one.item, item));
  const view: ResponseView = (one, other) => {
    const [known, found] = [find(one), find(other)];
    if (known === undefined || found === undefined) return [];
    return differencesOf(known.product, found.product).map(({ path }) =>
      differenceFinding(known.product, { ...found, path: "" }, path),
    );
  };
  const ways = [
    byId(String(item.retailer), String(item.product_id)),
    requestOf(exchange, context.target),
  ] as const;
  const { findings, evidence } = await compared(context, ways, view, context.ask);
  const [other = pair.other, known = pair.byId] = evidence.map(find);
  const still = new Set(findings.map(({ subject }) => subject));
  return { byId: known, other, differences: pair.differences.filter(({ path }) => still.has(path)) };
}

/**
 * Whether a difference is one of shape: prices in another unit, or a field. A replica that is behind may lack
 * a field of a few products, so most products must show it that can.
 */
function isAnotherShape(
  difference: ProductDifference,
  pairs: readonly Pair[],
  all: readonly Pair[],
): boolean {
  const { kind, path } = difference;
  if (path === "price" && hasOneFactor(pairs)) return true;
  if (kind === "value") return false;
  const { length: showing } = all.filter(has(difference));
  const isGivenById = pairs.slice(0, 1).some(({ byId: { product } }) => path in product);
  const { length: able } = all.filter(({ byId: { product } }) => path in product === isGivenById);
  return 2 * showing > able && (isGivenById || showing >= fewestFilled);
}

/** Whether all prices differ by the same round factor, as cents and euros do. No update explains that. */
function hasOneFactor(pairs: readonly Pair[]): boolean {
  const prices = pairs.map(({ byId: { product: one }, other: { product: other } }) => {
    return { one: Number(one.price), other: Number(other.price) };
  });
  const factors = prices.map(({ one, other }) => other / one).toSorted((a, b) => a - b);
  const middle = factors[Math.floor(factors.length / 2)] ?? Number.NaN;
  const factor = middle < 1 ? 1 / Math.round(1 / middle) : Math.round(middle);
  const isRound = Math.abs(middle / factor - 1) < 0.001 && Math.max(factor, 1 / factor) >= 10;
  // A price of 0.001 may be 0 cents.
  const isNear = prices.every(({ one, other }) => Math.abs(other - factor * one) <= Math.min(factor, 1) / 2);
  return isRound && isNear && pairs.length > 1;
}

/** If other changing values differ, the path is behind, by one time if read hourly, and no zone is wrong. */
function isBehind(confirmed: readonly Pair[]): boolean {
  const priced = confirmed.filter(has({ kind: "value", path: "price" }));
  const isPriced = priced.length > 0 && !hasOneFactor(priced);
  return isPriced || confirmed.some(has({ kind: "value", path: "availability" }));
}

/** Zones differ by whole quarters of an hour, at most by 26 hours. */
const quarter = 15 * 60_000;
const widest = 26 * 60 * 60_000;
/** Fewest different minutes and seconds: updates at full hours may be late by full hours. */
const fewestTimes = 3;
/** A clock of twelve hours shows in the afternoon only, and no update is late by exactly that twice. */
const halfDay = 12 * 60 * 60_000;

/** By how much the other last_updated is later, if by the same whole quarters of an hour for all products. */
export function shiftInMinutes(times: readonly (readonly [number, number])[]): number | undefined {
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

/** A field, at any depth, that only one product has or that has another type or value there. */
interface ProductDifference {
  readonly kind: "field" | "value";
  readonly path: string;
}

/** What a product has at each path. A list counts by its number of entries, and what is empty as itself. */
function fieldsOf(product: Product): ReadonlyMap<string, ProductPlace[]> {
  const places = placesIn(product).map(({ value, ...place }) => {
    const length = Array.isArray(value) ? value.filter(isGiven).length : 0;
    return { ...place, value: length > 0 ? length : isObject(value) || Array.isArray(value) ? {} : value };
  });
  return Map.groupBy(places, ({ path }) => path);
}

/** What other requirements do not judge: who it is, types that the spec names, null or empty values. */
export function differencesOf(one: Product, other: Product): ProductDifference[] {
  // Most products are alike, which is seen at once.
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  const [fields, others] = [fieldsOf(one), fieldsOf(other)];
  const all = [...new Set([...fields.keys(), ...others.keys()])].flatMap((path): ProductDifference[] => {
    const kind = kindOf(path, fields.get(path), others.get(path));
    return kind === undefined ? [] : [{ kind, path }];
  });
  // Entries of lists with different lengths are not compared, nor what is in an object that only one has.
  const isInside = (path: string) =>
    all.some((outer) => path.startsWith(`${outer.path}[]`) || path.startsWith(`${outer.path}.`));
  return all.filter(({ path }) => !isInside(path));
}

function kindOf(
  path: string,
  places: readonly ProductPlace[] = [],
  others: readonly ProductPlace[] = [],
): ProductDifference["kind"] | undefined {
  const [given, otherwise] = [places, others].map((all) => all.map(({ value }) => value).filter(isGiven)) as [
    unknown[],
    unknown[],
  ];
  if (places.length === 0 || others.length === 0)
    return given.length + otherwise.length > 0 ? "field" : undefined;
  if (given.length === 0 || otherwise.length === 0) return undefined;
  const [types, otherTypes] = [typesOf(given), typesOf(otherwise)];
  if (types.symmetricDifference(otherTypes).size > 0) return path in productFields ? undefined : "field";
  const isCompared =
    new Set([places.length, others.length, given.length, otherwise.length]).size === 1 &&
    !identityFields.some((name) => name === path);
  return isCompared && JSON.stringify(given) !== JSON.stringify(otherwise) ? "value" : undefined;
}

function typesOf(values: readonly unknown[]): Set<string> {
  return new Set(values.map((value) => typeof value));
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== "";
}

/** The finding on a path at which the same product differs by id and in another response. */
export function differenceFinding(
  byId: Product,
  other: ProductInBody,
  path: string,
): FindingOf<"differs-between-ways"> {
  const places = fieldsOf(byId).get(path) ?? [];
  const others = fieldsOf(other.product).get(path) ?? [];
  const isOther = ({ value }: ProductPlace, index: number) =>
    JSON.stringify(value) !== JSON.stringify(others[index]?.value);
  const first = Math.max(0, places.findIndex(isOther));
  const [place, seen] = [places[first], others[first]];
  const at = (place ?? seen)?.at ?? "";
  return {
    code: "differs-between-ways",
    subject: path,
    path: other.path + (seen?.at ?? at),
    comparedPath: at,
    expected: actual(place && valueAt(byId, place.at)).actual,
    ...actual(seen && valueAt(other.product, seen.at)),
  };
}
