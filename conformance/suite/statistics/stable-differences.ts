import type { EndpointId } from "../../../schemas/api.ts";
import type { Product } from "../../../schemas/contracts/product.ts";
import { leavesOf } from "../../../schemas/field-paths.ts";
import { type Exchange, requestOf } from "../../client/exchange.ts";
import { byId } from "../../client/requests.ts";
import { productsIn } from "../../response/products-in.ts";
import type { CheckContext } from "../check/check.ts";
import { freshFields, productOf } from "../check/product-comparison.ts";
import {
  type DifferenceKind,
  differencesOf,
  hasOneFactor,
  lastReturned,
  nameOf,
  type Pair,
  pairsOf,
  type Returned,
  shiftInMinutes,
} from "./lookup-pairs.ts";

/** Products to look up again for each difference, and for all differences of a lookup path. */
const productsToRepeat = { each: 3, all: 6 };
/** Fewest products without a field by id that show that another lookup path fills it. */
const fewestFilled = 3;
/** Fewest products with a difference that a cut text or replaced characters do not explain. */
const fewestProducts = 2;
/**
 * Times to look each product up again on both lookup paths, alternately. Of two replicas that respond at random, one of
 * them not up to date, a difference is then the same each time for 1 of 64 products.
 */
const rounds = 3;

/** A difference that some products have each time. */
export interface StableDifference {
  readonly kind: DifferenceKind;
  readonly path: string;
  /** The pairs that differ in the same way in each round. */
  readonly pairs: readonly Pair[];
  /** Number of products compared. */
  readonly of: number;
  /** Whether all products without the field by id have an empty value of its type here. */
  readonly isFilled: boolean;
}

/** A product that differs between two lookup paths, as first returned. */
interface Suspect {
  readonly other: Returned;
  readonly byId?: Product;
  readonly differences: readonly string[];
}

/**
 * What a lookup path returns differently than a lookup by id does for a few products, each time both are looked up.
 * Every product counts that the run already got by id, or in a batch, and on this lookup path. Requests are sent only
 * for products that differ.
 *
 * @param known differences that need not be found again, as JSON of kind and path
 */
export async function stableDifferences(
  context: CheckContext,
  lookupPath: EndpointId,
  known: ReadonlySet<string>,
): Promise<StableDifference[]> {
  const { suspects, compared } = suspectsOf(context, lookupPath, known);
  const chosen = chosenOf(suspects);
  if (chosen.length === 0) return [];
  let remaining = chosen.map((suspect) => ({ suspect, pairs: [] as Pair[], names: suspect.differences }));
  for (let round = 1; round <= rounds && remaining.length > 0; round++) {
    const pairs = await lookUpAgain(
      context,
      remaining.map(({ suspect }) => suspect.other),
      round,
    );
    remaining = remaining.flatMap(({ suspect, pairs: before, names }) => {
      const pair = pairs.get(nameOf(suspect.other.product));
      if (pair === undefined) return [];
      const last = before.at(-1) ?? { other: suspect.other.product, byId: suspect.byId };
      const changed = new Set([
        ...namesOf(last.other, pair.other),
        ...(last.byId === undefined ? [] : namesOf(last.byId, pair.byId)),
      ]);
      const now = new Set(namesOf(pair.byId, pair.other));
      const still = names.filter((name) => now.has(name) && !changed.has(name));
      return still.length === 0 ? [] : [{ suspect, pairs: [...before, pair], names: still }];
    });
  }
  return confirmed(remaining, compared);
}

function suspectsOf(context: CheckContext, lookupPath: EndpointId, known: ReadonlySet<string>) {
  const suspects = new Map<string, Suspect>();
  const compared = new Set<string>();
  // By GTIN, a product with several GTINs may be returned with the one that was requested.
  const judgedElsewhere = lookupPath === "lookup-by-gtin" ? context.fieldNames.gtin : undefined;
  const compare = (other: Returned, reference: Product, byIdProduct?: Product) => {
    const name = nameOf(other.product);
    if (compared.has(name)) return;
    compared.add(name);
    const differences = differencesOf(reference, other.product)
      .filter(([, path]) => path !== judgedElsewhere)
      .map((difference) => JSON.stringify(difference))
      .filter((difference) => !known.has(difference));
    if (differences.length > 0)
      suspects.set(name, { other, differences, ...(byIdProduct && { byId: byIdProduct }) });
  };
  for (const { byId: one, other, at, exchange } of pairsOf(context, lookupPath))
    compare({ product: other, path: at, exchange }, one);
  // Pages and batches hold many products that were not looked up by id. Which of two lookup paths is different, a
  // lookup by id shows.
  for (const further of ["category-page", "batch"] as const) {
    if (further === lookupPath) continue;
    const others = lastReturned(context, further);
    for (const [name, returned] of lastReturned(context, lookupPath)) {
      const there = others.get(name);
      if (there !== undefined) compare(returned, there.product);
    }
  }
  return { suspects: [...suspects.values()], compared: compared.size };
}

/** The products to look up again: some of each difference, cut texts and replaced characters first. */
function chosenOf(suspects: readonly Suspect[]): Suspect[] {
  const groups = Map.groupBy(
    suspects.flatMap((suspect) => suspect.differences.map((name) => ({ name, suspect }))),
    ({ name }) => name,
  );
  const ordered = [...groups].toSorted(([one], [two]) => urgency(one) - urgency(two));
  const chosen = new Set<Suspect>();
  for (const [, group] of ordered)
    for (const { suspect } of group.slice(0, productsToRepeat.each))
      if (chosen.size < productsToRepeat.all) chosen.add(suspect);
  return [...chosen];
}

/** Fields that change often are repeated last: a difference in them is seldom stable. */
function urgency(name: string): number {
  const [kind, path] = parsed(name);
  return kind === "value" && isFresh(path) ? 1 : 0;
}

function isFresh(path: string): boolean {
  return freshFields.some((field) => field === path);
}

/**
 * Looks products up by id and on the other lookup path; a page or a batch is requested once for all of them. Each second
 * round is in reverse order, so that two replicas that respond by turns do not each get one lookup path.
 */
async function lookUpAgain(
  { ask, fieldNames, target }: CheckContext,
  others: readonly Returned[],
  round: number,
): Promise<ReadonlyMap<string, Pair>> {
  const byIds = new Map<string, Exchange>();
  const again: Exchange[] = [];
  const requests = [
    ...others.map(({ product }) => async () => {
      const request = byId(String(product.retailer), String(product.product_id));
      byIds.set(nameOf(product), await ask(request));
    }),
    ...[...new Set(others.map(({ exchange }) => exchange))].map((exchange) => async () => {
      again.push(await ask(requestOf(exchange, target)));
    }),
  ];
  for (const send of round % 2 === 0 ? requests.toReversed() : requests) await send();
  const pairs = new Map<string, Pair>();
  for (const exchange of again)
    for (const { path, product } of productsIn(exchange, fieldNames)) {
      const byIdExchange = byIds.get(nameOf(product));
      if (byIdExchange?.response.status !== 200) continue;
      const one = productOf(byIdExchange);
      if (nameOf(one) === nameOf(product))
        pairs.set(nameOf(product), { byId: one, other: product, at: path, exchange, byIdExchange });
    }
  return pairs;
}

function confirmed(
  remaining: readonly { readonly pairs: readonly Pair[]; readonly names: readonly string[] }[],
  of: number,
): StableDifference[] {
  const byName = Map.groupBy(
    remaining.flatMap(({ pairs, names }) => {
      const pair = pairs.at(-1);
      return pair === undefined ? [] : names.map((name) => ({ name, pair }));
    }),
    ({ name }) => name,
  );
  return [...byName].flatMap(([name, group]): StableDifference[] => {
    const [kind, path] = parsed(name);
    const pairs = group.map(({ pair }) => pair);
    if (pairs.length < fewestProducts && !pairs.some((pair) => isTextDamaged(pair, path))) return [];
    const isUnit = path === "price" && pairs.length >= fewestProducts && hasOneFactor(pairs);
    // A service that forgets only summer time has the right times in winter.
    const isShift = path === "last_updated" && shiftInMinutes(pairs) !== undefined;
    const isFilled = kind === "field" && pairs.length >= fewestFilled && isFilledWithNothing(pairs, path);
    return [{ kind: isUnit ? "unit" : isShift ? "shift" : kind, path, pairs, of, isFilled }];
  });
}

/**
 * Whether the field is missing by id and has what a program's new variable has on the other path: 0, false, an empty list or
 * object. A field that a retailer provided until now has a value of its own.
 */
function isFilledWithNothing(pairs: readonly Pair[], path: string): boolean {
  return pairs.every(({ byId: one, other }) => {
    const value = JSON.stringify((other as Readonly<Record<string, unknown>>)[path]);
    return !(path in one) && ["0", "false", "[]", "{}"].includes(value);
  });
}

function isTextDamaged({ byId: one, other }: Pair, path: string): boolean {
  if (isFresh(path)) return false;
  const [texts, others] = [one, other].map((product) =>
    leavesOf(product)
      .filter((leaf) => leaf.path === path)
      .map(({ value }) => (typeof value === "string" ? value : "")),
  ) as [string[], string[]];
  return texts.some((text, index) => isDamaged(text, others[index] ?? text));
}

/**
 * Whether one text is the other one cut off, or with question marks or replacement characters in place of others. An
 * update does not do that.
 */
export function isDamaged(one: string, other: string): boolean {
  if (one === other || one === "" || other === "") return false;
  if (one.startsWith(other) || other.startsWith(one)) return true;
  return plain(one) === plain(other) && marksIn(one) !== marksIn(other);
}

/** A text in which each run of characters that a conversion to ASCII replaces is one question mark. */
function plain(text: string): string {
  return text.replaceAll(/[?\u0080-\u{10ffff}]+/gu, "?");
}

function marksIn(text: string): number {
  return text.match(/[?\ufffd]/g)?.length ?? 0;
}

function namesOf(one: Product, other: Product): string[] {
  return differencesOf(one, other).map((difference) => JSON.stringify(difference));
}

function parsed(name: string): [DifferenceKind, string] {
  return JSON.parse(name) as [DifferenceKind, string];
}
