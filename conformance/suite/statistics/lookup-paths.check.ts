import type { EndpointId } from "../../../schemas/api.ts";
import type { Finding, FindingOf } from "../../../schemas/contracts/finding.ts";
import { leavesOf } from "../../../schemas/field-paths.ts";
import { type Exchange, requestOf } from "../../client/exchange.ts";
import { failed, type Outcome, passed } from "../../client/outcome.ts";
import { byId } from "../../client/requests.ts";
import type { ProductFixture } from "../../discovery/fixtures.ts";
import { productsIn } from "../../response/products-in.ts";
import { acrossAllRequests, type CheckContext } from "../check/check.ts";
import { fieldDifference, lengthsAt, productOf } from "../check/product-comparison.ts";
import { section } from "../check/rows.ts";
import {
  type DifferenceKind,
  differencesOf,
  fieldsOfEntries,
  hasOneFactor,
  lastReturned,
  nameOf,
  type Pair,
  pairsOf,
  shiftInMinutes,
} from "./lookup-pairs.ts";
import { stableDifferences } from "./stable-differences.ts";

/** Fewest products with a difference for it to count as systematic. */
const fewestPairs = 3;
/** Products to look up again on both paths, alternately and twice. */
const pairsToRepeat = 4;
/** Products to look up by id as well, of those found by URL and of those found by GTIN, to have pairs to compare. */
const lookupsToAdd = 3;

/** Spec, Product: "Every lookup path returns the same Product shape." Differences in most products, not in one. */
export default section(
  "product",
  [
    {
      id: "product.same-shape/in-most-products",
      title: "No lookup path omits or fills a field of most products, or returns prices in another unit",
      requests: 2 * lookupsToAdd,
      run: async (context) =>
        outcomeOf(
          await differencesBetweenPaths(context),
          (difference) =>
            difference.kind === "unit" || (difference.kind === "field" && difference.in === "most"),
        ),
    },
    {
      id: "product.same-values/in-most-products",
      title: "No lookup path consistently returns other values or lists of another length for most products",
      requests: 1,
      run: async (context) =>
        outcomeOf(
          await differencesBetweenPaths(context),
          (difference) => difference.kind === "value" && difference.in === "most",
        ),
    },
    {
      id: "product.last-updated/in-one-zone",
      title: "No lookup path returns last_updated in another time zone",
      requests: 1,
      run: async (context) =>
        outcomeOf(await differencesBetweenPaths(context), (difference) => difference.kind === "shift"),
    },
    {
      // A replica that is not up to date may lack a field of a few products, so that is no other shape.
      id: "product.same-values/in-some-products",
      title: "No lookup path consistently returns a few products differently",
      requests: 1,
      run: async (context) =>
        outcomeOf(
          await differencesBetweenPaths(context),
          ({ kind, in: shownIn }) => kind !== "unit" && kind !== "shift" && shownIn === "some",
        ),
    },
  ],
  acrossAllRequests,
);

interface PathDifference {
  readonly kind: DifferenceKind;
  readonly path: string;
  /** The pairs that still differ when looked up again. */
  readonly pairs: readonly Pair[];
  readonly of: number;
  /** The products that have it. */
  readonly in: "most" | "some";
}

const otherPaths = [
  "lookup-by-url",
  "lookup-by-gtin",
  "category-page",
  "batch",
] as const satisfies readonly EndpointId[];

async function differencesBetweenPaths(context: CheckContext): Promise<PathDifference[]> {
  return await context.once("lookup paths compared", () => findDifferences(context));
}

async function findDifferences(context: CheckContext): Promise<PathDifference[]> {
  const { fixtures, shared } = context;
  const gtins = fixtures.productsByGtin.present ? fixtures.productsByGtin.value : [];
  const known = lastReturned(context, "lookup-by-id");
  for (const { retailer, productId } of [
    ...richest(fixtures.withUrl).slice(0, lookupsToAdd),
    ...richest(gtins).slice(0, lookupsToAdd),
  ])
    if (!known.has(nameOf({ retailer, product_id: productId }))) await shared(byId(retailer, productId));
  const differences: PathDifference[] = [];
  for (const endpoint of otherPaths) {
    const ofEntries = fieldsOfEntries(context);
    const inMost = (await differencesInMost(context, endpoint)).filter(
      ({ kind, path }) => kind !== "field" || !ofEntries.has(path),
    );
    // Prices in another unit are other prices as well, and times in another zone are other times.
    const known = inMost.flatMap(({ kind, path }) => [
      [kind, path],
      ...(kind === "unit" || kind === "shift" ? [["value", path]] : []),
    ]);
    const named = [...known, ...[...ofEntries].map((path) => ["field", path])];
    const names = new Set(named.map((name) => JSON.stringify(name)));
    const inSome = await stableDifferences(context, endpoint, names);
    // A field that is filled with nothing differs in all products that could show it.
    differences.push(
      ...inMost,
      ...inSome.map((one) => ({ ...one, in: one.isFilled ? ("most" as const) : ("some" as const) })),
    );
  }
  return differences;
}

async function differencesInMost(context: CheckContext, endpoint: EndpointId): Promise<PathDifference[]> {
  const suspected = differencesIn(pairsOf(context, endpoint));
  if (suspected.size === 0) return [];
  // Looked up alternately and twice: what changes by itself does not depend on the lookup path.
  const [first] = suspected.values();
  const chosen = (first ?? []).slice(0, pairsToRepeat);
  // In reverse order the second time: two replicas that respond by turns do not each get one lookup path.
  const rounds = [await lookUpAgain(context, chosen), await lookUpAgain(context, chosen, "reverse")];
  const [once, twice] = rounds.map(differencesIn);
  return [...(twice ?? [])].flatMap(([name, shown]): PathDifference[] => {
    if (!suspected.has(name) || once?.has(name) !== true) return [];
    const [kind, path] = JSON.parse(name) as [DifferenceKind, string];
    return kind !== "value" || isStable(rounds, path)
      ? [{ kind, path, pairs: shown, of: chosen.length, in: "most" }]
      : [];
  });
}

/** The products with most values first: they show most differences. */
function richest<T extends Pick<ProductFixture, "product">>(products: readonly T[]): T[] {
  // First those with a time, since several are needed to tell another time zone.
  const worth = (product: T["product"]) =>
    [...leavesOf(product)].length + (product.last_updated === undefined ? 0 : 1000);
  const values = new Map(products.map((one) => [one, worth(one.product)]));
  return products.toSorted((a, b) => (values.get(b) ?? 0) - (values.get(a) ?? 0));
}

async function lookUpAgain(
  context: CheckContext,
  pairs: readonly Pair[],
  order: "as-given" | "reverse" = "as-given",
): Promise<Pair[]> {
  const again: Pair[] = [];
  for (const { byIdExchange, exchange, other } of pairs) {
    const requests = [byIdExchange, exchange].map((one) => requestOf(one, context.target));
    const responses: Exchange[] = [];
    for (const request of order === "reverse" ? requests.toReversed() : requests)
      responses.push(await context.ask(request));
    const [first, second] = (order === "reverse" ? responses.toReversed() : responses) as [
      Exchange,
      Exchange,
    ];
    const found = productsIn(second, context.fieldNames).find(
      ({ product }) => product.product_id === other.product_id && product.retailer === other.retailer,
    );
    if (found === undefined || first.response.status !== 200) continue;
    again.push({
      byId: productOf(first),
      other: found.product,
      at: found.path,
      exchange: second,
      byIdExchange: first,
    });
  }
  return again;
}

/** The pairs that differ, by kind and path of the difference, if most of those with this path do. */
function differencesIn(pairs: readonly Pair[]): Map<string, Pair[]> {
  const differing = new Map<string, Pair[]>();
  const add = (kind: DifferenceKind, path: string, pair: Pair) => {
    const name = JSON.stringify([kind, path]);
    differing.set(name, [...(differing.get(name) ?? []), pair]);
  };
  for (const pair of pairs) {
    const { byId: one, other } = pair;
    for (const [kind, path] of differencesOf(one, other)) add(kind, path, pair);
  }
  const most = new Map(
    [...differing].filter(([name, shown]) => {
      const [kind, path] = JSON.parse(name) as [DifferenceKind, string];
      const isInside = path.includes(".") || path.includes("[");
      const of = isInside ? shown.length : pairs.filter((pair) => couldDiffer(pair, kind, path)).length;
      return shown.length >= fewestPairs && shown.length * 2 > of;
    }),
  );
  const prices = most.get(JSON.stringify(["value", "price"]));
  if (prices !== undefined && hasOneFactor(prices)) {
    most.delete(JSON.stringify(["value", "price"]));
    most.set(JSON.stringify(["unit", "price"]), prices);
  }
  const times = most.get(JSON.stringify(["value", "last_updated"]));
  if (times !== undefined && shiftInMinutes(times) !== undefined) {
    most.delete(JSON.stringify(["value", "last_updated"]));
    most.set(JSON.stringify(["shift", "last_updated"]), times);
  }
  return most;
}

/**
 * Whether a product can show the difference: it has the field. A list of one entry cannot be shorter without being
 * missing, so the length of a list counts from two entries on.
 */
function couldDiffer({ byId: one, other }: Pair, kind: DifferenceKind, path: string): boolean {
  const lengths = [one, other].flatMap((product) => lengthsAt(product, path));
  return kind === "value" && lengths.length > 0
    ? lengths.some((length) => length > 1)
    : path in one || path in other;
}

/**
 * Whether both lookup paths return the same as before for each product. Then the difference does not come from an
 * update.
 */
function isStable([one = [], other = []]: readonly (readonly Pair[])[], path: string): boolean {
  const valuesOf = (pairs: readonly Pair[]) =>
    JSON.stringify(
      pairs.map((pair) => {
        // Only the lengths of lists count: their entries may change at any time.
        const lengths = [lengthsAt(pair.byId, path), lengthsAt(pair.other, path)];
        return lengths.flat().length > 0 ? lengths : fieldDifference(pair.byId, pair.other, path, "");
      }),
    );
  return valuesOf(one) === valuesOf(other);
}

function shiftOf(
  kind: DifferenceKind,
  pairs: readonly Pair[],
): Pick<FindingOf<"differs-between-ways">, "details"> {
  const shiftMinutes = kind === "shift" ? shiftInMinutes(pairs) : undefined;
  return shiftMinutes === undefined ? {} : { details: { shiftMinutes } };
}

function outcomeOf(all: readonly PathDifference[], counts: (difference: PathDifference) => boolean): Outcome {
  const chosen = all.filter(counts).slice(0, 3);
  if (chosen.length === 0) return passed();
  const evidence: Exchange[] = [];
  const findings = chosen.flatMap(({ kind, path, pairs, of }): Finding[] => {
    const [pair] = pairs;
    if (pair === undefined) return [];
    const { retailer, product_id: productId } = pair.other;
    const exchange = evidence.push(pair.exchange) - 1;
    const comparedWith = evidence.push(pair.byIdExchange) - 1;
    return [
      {
        ...fieldDifference(pair.byId, pair.other, path, pair.at),
        ...shiftOf(kind, pairs),
        product: { retailer: String(retailer), productId: String(productId) },
        seen: { count: pairs.length, total: of, of: "products" },
        exchange,
        comparedWith,
      },
    ];
  });
  return failed(findings, ...evidence);
}
