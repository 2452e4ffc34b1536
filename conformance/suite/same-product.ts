import type { EndpointId } from "../../schemas/api.ts";
import type { Product } from "../../schemas/contracts/product.ts";
import { leavesOf } from "../../schemas/field-paths.ts";
import { hasProductFields } from "../../schemas/product-values.ts";
import { type Exchange, requestOf } from "../client/exchange.ts";
import { byId } from "../client/requests.ts";
import { organizationOf } from "../client/target.ts";
import { productsIn, requestedById, someProductsIn } from "../response/products-in.ts";
import type { CheckContext } from "./check/check.ts";
import { fieldsOfEntries } from "./check/fields-of-entries.ts";
import { freshFields, productOf, shapeDifference, valueDifference } from "./check/product-comparison.ts";

// One product by id and on another lookup path: whatever the run got is compared, and what differs is asked again, A B B A A B.

/** Products to ask again for each difference, and for all differences of a lookup path. */
const toRepeat = { each: 3, all: 6 };

/** Fewest products without a field by id that show that another path fills it. */
const fewestFilled = 3;

/** The same product by id and on another lookup path. */
export interface Pair {
  readonly byId: Product;
  readonly other: Product;
  /** Where the other one is in its body. */
  readonly at: string;
  readonly exchange: Exchange;
  readonly byIdExchange: Exchange;
}

/** A difference that comes again, on both paths as before, for each of these products. */
export interface PathDifference {
  readonly kind: "shape" | "value" | "shift";
  readonly path: string;
  readonly pairs: readonly [Pair, ...Pair[]];
  /** Products with this difference that were asked again. */
  readonly again: number;
}

/** A product in a response. */
interface Returned {
  readonly product: Product;
  readonly path: string;
  readonly exchange: Exchange;
}

interface Suspect {
  readonly seen: Returned;
  readonly names: readonly string[];
}

/** How a lookup path shows products otherwise than a lookup by id does, of all that the run got on both. */
export async function differencesOn(endpoint: EndpointId, context: CheckContext): Promise<PathDifference[]> {
  const there = lastReturned(context, endpoint);
  const known = referencesFor(endpoint, context);
  const having = new Map<string, number>();
  const suspects: Suspect[] = [];
  const ofEntries = fieldsOfEntries(context);
  // By GTIN, a product with several GTINs may be returned with the one that was requested.
  const elsewhere = endpoint === "lookup-by-gtin" ? context.fieldNames.gtin : undefined;
  let compared = 0;
  for (const [name, seen] of there) {
    const reference = known.get(name)?.product;
    if (reference === undefined) continue;
    compared++;
    for (const field of Object.keys(reference)) having.set(field, (having.get(field) ?? 0) + 1);
    const names = differencesOf(reference, seen.product).filter((one) => {
      const [kind, path] = parsed(one);
      return path !== elsewhere && !(kind === "field" && ofEntries.has(path));
    });
    if (names.length > 0) suspects.push({ seen, names });
  }
  const chosen = chosenOf(suspects);
  if (chosen.length === 0) return [];
  const others = chosen.map(({ seen }) => seen);
  const rounds: ReadonlyMap<string, Pair>[] = [];
  for (const order of ["as given", "reverse", "as given"] as const)
    rounds.push(await lookUpAgain(context, others, order));
  const confirmed = chosen.flatMap(({ seen, names }) => {
    const pairs = rounds.flatMap((round) => round.get(nameOf(seen.product)) ?? []);
    const last = pairs.at(-1);
    if (last === undefined || pairs.length < rounds.length) return [];
    // What a path changes by itself is not compared.
    const volatile = new Set(
      pairs.flatMap((one) => [
        ...differencesOf(last.byId, one.byId),
        ...differencesOf(last.other, one.other),
      ]),
    );
    const isThere = (name: string) => pairs.every((one) => differencesOf(one.byId, one.other).includes(name));
    return names.flatMap((name) => (isThere(name) && !volatile.has(name) ? [{ name, pair: last }] : []));
  });
  return [...Map.groupBy(confirmed, ({ name }) => name)].flatMap(([name, group]) => {
    const pairs = group.map(({ pair }) => pair) as [Pair, ...Pair[]];
    const again = chosen.filter(({ names }) => names.includes(name)).length;
    // Of two replicas that respond at random, a few products differ in the same way each time, but not most.
    if (pairs.length < Math.min(2, compared) || 2 * pairs.length <= again) return [];
    const showing = suspects.filter(({ names }) => names.includes(name)).length;
    const [difference, path] = parsed(name);
    // A replica that is not up to date may lack a field of a few products, so that is no other shape.
    const lacking = compared - (having.get(path) ?? 0);
    const isInMost =
      !hasProductFields(pairs[0].byId) ||
      (path in pairs[0].byId
        ? 2 * showing > (having.get(path) ?? 0)
        : /[.[]/.test(path) || (showing >= fewestFilled && 2 * showing > lacking));
    const isShape = (difference === "field" && isInMost) || (path === "price" && hasOneFactor(pairs));
    const isShift = path === "last_updated" && shiftInMinutes(pairs) !== undefined;
    const kind = isShape ? "shape" : isShift ? "shift" : "value";
    return [{ kind, path, pairs, again }];
  });
}

/** The products by id; for those that the run did not look up, as they are on pages or in batches. */
function referencesFor(endpoint: EndpointId, context: CheckContext): Map<string, Pick<Returned, "product">> {
  const lists = (["batch", "category-page"] as const).filter((one) => one !== endpoint);
  const byIds = ownSuccesses("lookup-by-id", context).flatMap((exchange) => {
    const { retailer, productId } = requestedById(exchange);
    const product = productOf(exchange);
    // A body of another shape has no id. Which product is returned, the requirements of each endpoint judge.
    const isIt =
      [undefined, productId].includes(product.product_id ?? undefined) &&
      exchange.response.json !== undefined;
    return isIt ? [[nameOf({ retailer, product_id: productId }), { product }] as const] : [];
  });
  return new Map([...lists.flatMap((one) => [...lastReturned(context, one)]), ...byIds]);
}

function ownSuccesses(endpoint: EndpointId, { exchanges }: CheckContext): Exchange[] {
  return exchanges.filter(
    (one) =>
      one.endpoint === endpoint && organizationOf[one.caller] === "first" && one.response.status === 200,
  );
}

/** The products that a lookup path returned to the first organization, each as last returned. */
function lastReturned(context: CheckContext, endpoint: EndpointId): Map<string, Returned> {
  return new Map(
    ownSuccesses(endpoint, context).flatMap((exchange) =>
      someProductsIn(exchange, context.fieldNames).flatMap(({ path, product }) =>
        product.retailer === undefined || product.product_id === undefined
          ? []
          : [[nameOf(product), { exchange, path, product }] as const],
      ),
    ),
  );
}

/** The products to ask again: some of each difference. Fields that change often come last. */
function chosenOf(suspects: readonly Suspect[]): Suspect[] {
  const all = suspects.flatMap((suspect) => suspect.names.map((name) => ({ name, suspect })));
  const groups = [...Map.groupBy(all, ({ name }) => name)];
  const isFresh = (name: string) => freshFields.some((field) => field === parsed(name)[1]);
  const chosen = new Set<Suspect>();
  for (const [, group] of groups.toSorted(([one], [two]) => Number(isFresh(one)) - Number(isFresh(two))))
    for (const { suspect } of group.slice(0, toRepeat.each))
      if (chosen.size < toRepeat.all) chosen.add(suspect);
  return [...chosen];
}

/** Looks products up by id and on the other path, in this order or the reverse; a page or batch once for all of them. */
async function lookUpAgain(
  { ask, fieldNames, target }: CheckContext,
  others: readonly Returned[],
  order: "as given" | "reverse",
): Promise<ReadonlyMap<string, Pair>> {
  const byIds = new Map<string, Exchange>();
  const again: Exchange[] = [];
  const sends = [
    ...others.map(({ product }) => async () => {
      const request = byId(String(product.retailer), String(product.product_id));
      byIds.set(nameOf(product), await ask(request));
    }),
    ...[...new Set(others.map(({ exchange }) => exchange))].map((exchange) => async () => {
      again.push(await ask(requestOf(exchange, target)));
    }),
  ];
  for (const send of order === "reverse" ? sends.toReversed() : sends) await send();
  return new Map(
    again.flatMap((exchange) =>
      productsIn(exchange, fieldNames).flatMap(({ path, product }) => {
        const byIdExchange = byIds.get(nameOf(product));
        if (byIdExchange?.response.status !== 200) return [];
        const one = productOf(byIdExchange);
        return [undefined, product.product_id].includes(one.product_id ?? undefined)
          ? [[nameOf(product), { byId: one, other: product, at: path, exchange, byIdExchange }] as const]
          : [];
      }),
    ),
  );
}

/** What two responses with the same product differ in, as JSON of kind and path; each place once. */
function differencesOf(one: Product, other: Product): string[] {
  const fields = new Set(shapeDifference(one, other).map(({ path }) => path));
  const fresh = freshFields.filter(
    (path) => typeof one[path] === typeof other[path] && one[path] !== other[path],
  );
  return [
    ...[...fields].map((path) => JSON.stringify(["field", path])),
    ...[...valueDifference(one, other), ...fresh].map((path) => JSON.stringify(["value", path])),
  ];
}

function parsed(name: string): ["field" | "value", string] {
  return JSON.parse(name) as ["field" | "value", string];
}

/** Retailer and id of a product as one text. */
export function nameOf({ retailer, product_id: id }: Product): string {
  return JSON.stringify([retailer, id]);
}

/** The products with most values first: they show most differences. Several with a time are needed to tell another zone. */
export function richest<T extends { readonly product: Product }>(products: readonly T[]): T[] {
  const worth = ({ product }: T) =>
    [...leavesOf(product)].length + (product.last_updated === undefined ? 0 : 1000);
  return products.toSorted((one, other) => worth(other) - worth(one));
}

/** Whether all prices differ by the same round factor, as cents and euros do. No update explains that. */
function hasOneFactor(pairs: readonly Pair[]): boolean {
  const factors = pairs.map(({ byId: one, other }) => Number(other.price) / Number(one.price));
  const [first = Number.NaN] = factors;
  const isRound = [first, 1 / first].some(
    (factor) => factor >= 10 && Math.abs(factor - Math.round(factor)) < 0.01,
  );
  return isRound && pairs.length > 1 && factors.every((factor) => Math.abs(factor / first - 1) < 0.001);
}

/** Zones differ by whole quarters of an hour, at most by 26 hours. */
const quarter = 15 * 60_000;
const widest = 26 * 60 * 60_000;
/** Fewest different minutes and seconds: updates at full hours may be late by full hours. */
const fewestTimes = 3;

/** The minutes by which the other last_updated is later, if it is by the same whole quarters of an hour for all products. */
export function shiftInMinutes(pairs: readonly Pair[]): number | undefined {
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
