import type { FieldNames } from "../../../schemas/contracts/field-names.ts";
import type { Finding, FindingOf } from "../../../schemas/contracts/finding.ts";
import { type Product, productFields } from "../../../schemas/contracts/product.ts";
import { leavesOf, listsOf, placesOf, valuesAt } from "../../../schemas/field-paths.ts";
import { isObject, pointer, valueAt } from "../../../schemas/json.ts";
import { hasProductFields } from "../../../schemas/product-values.ts";
import type { Exchange } from "../../client/exchange.ts";
import { statusOf } from "../../client/outcome.ts";
import { nextCursor, slugsIn } from "../../discovery/browsing.ts";
import type { ProductFixture } from "../../discovery/fixtures.ts";
import { carriesGtin } from "../../discovery/gtin-lookup.ts";
import { itemsSent } from "../../response/batch-result.ts";
import { actual } from "../../response/body-findings.ts";
import { identityOf, productsIn } from "../../response/products-in.ts";
import type { ResponseView } from "./check.ts";

/** The body of a response as a product; empty when it is not an object. */
export function productOf({ response }: Exchange): Product {
  return isObject(response.json) ? response.json : {};
}

const identityFields = ["retailer", "product_id", "product_url"] as const;
/** These change often, and lookup paths may be updated at different times. */
export const freshFields = ["price", "availability", "last_updated"] as const;

/**
 * The finding that two products are not the same one, because retailer, id or page URL differ. A missing field is not
 * compared; price, availability and freshness may change between two requests.
 *
 * @param at where the found product is in its body
 */
export function identityDifference(
  known: Product,
  found: Product,
  at = "",
): FindingOf<"other-product"> | undefined {
  for (const field of identityFields) {
    const [expected, seen] = [known[field], found[field]];
    // A wrong type is judged by product.field-types.
    if (
      typeof expected === typeof seen &&
      expected !== undefined &&
      !isObject(expected) &&
      JSON.stringify(expected) !== JSON.stringify(seen)
    ) {
      return { code: "other-product", path: at + pointer(field), expected, ...actual(seen) };
    }
  }
  return undefined;
}

/** Like identityDifference, for a fixture. */
export function differsFrom(
  { retailer, productId }: Pick<ProductFixture, "retailer" | "productId">,
  found: Product,
): FindingOf<"other-product"> | undefined {
  const difference = identityDifference({ retailer, product_id: productId }, found);
  return difference && { ...difference, product: { retailer, productId } };
}

/** A field that only one of two products has, or whose type differs. */
export interface FieldDifference {
  readonly path: string;
  readonly by: "one" | "other";
  /** If both have the field, its type in this one. */
  readonly type?: string;
}

/** Fields that only one product has or whose type differs, at any depth; empty when both have the same shape. */
export function shapeDifference(one: Product, other: Product): FieldDifference[] {
  const [a, b] = [pathsOf(one), pathsOf(other)];
  // Null or an empty string in place of a missing field is judged by service.omitted-fields.
  const [given, otherGiven] = [pathsOf(one, isGiven), pathsOf(other, isGiven)];
  const both = given.intersection(otherGiven);
  const [types, otherTypes] = [typesOf(one, both), typesOf(other, both)];
  const differences = (by: "one" | "other", paths: Set<string>, typed: Map<string, FieldType>) => [
    ...[...paths].map((path) => ({ path, by })),
    ...[...typed.values()].map((field) => ({ ...field, by })),
  ];
  return [
    ...differences("one", given.difference(b), without(types, otherTypes)),
    ...differences("other", otherGiven.difference(a), without(otherTypes, types)),
  ];
}

/**
 * Paths where both products have values of the same type that differ, or lists with different numbers of entries. Identity and fields that change from hour to
 * hour are not compared; other requirements judge types and missing or empty fields.
 */
export function valueDifference(one: Product, other: Product): string[] {
  const others = valuesByPath(other);
  const lists = lengthDifference(one, other);
  const values = [...valuesByPath(one)].flatMap(([path, { types, values }]) => {
    const there = others.get(path);
    return there?.types === types && there.values !== values ? [path] : [];
  });
  return [...lists, ...values.filter((path) => !isInside(lists, path))];
}

/** Paths of lists that have entries in both products, but not equally many. */
function lengthDifference(one: Product, other: Product): string[] {
  const others = lengthsByPath(other);
  const paths = [...lengthsByPath(one)].flatMap(([path, lengths]) => {
    const there = others.get(path) ?? [];
    // A list that is missing or empty in one product is a difference in shape.
    const isInBoth = [lengths, there].every((all) => all.some((length) => length > 0));
    return isInBoth && lengths.join() !== there.join() ? [path] : [];
  });
  return paths.filter((path) => !isInside(paths, path));
}

function lengthsByPath(product: Product): Map<string, number[]> {
  const lists = Map.groupBy(listsOf(product), ({ path }) => path);
  return new Map(
    [...lists].map(([path, all]) => [path, all.map(({ entries }) => entries.filter(isGiven).length)]),
  );
}

function isInside(lists: readonly string[], path: string): boolean {
  return lists.some((list) => path.startsWith(`${list}[]`));
}

const notCompared: ReadonlySet<string> = new Set([...identityFields, ...freshFields]);

/** The values of a product by path. */
function valuesByPath(product: Product): Map<string, { types: string; values: string }> {
  const leaves = leavesOf(product).filter(({ path }) => !notCompared.has(path));
  const given = [...Map.groupBy(leaves, ({ path }) => path)].filter(([, group]) =>
    group.every(({ value }) => isGiven(value)),
  );
  return new Map(
    given.map(([path, group]) => {
      const types = group.map(({ value }) => typeof value).join();
      return [path, { types, values: JSON.stringify(group.map(({ value }) => value)) }];
    }),
  );
}

function pathsOf(product: Product, counts: (value: unknown) => boolean = () => true): Set<string> {
  const leaves = leavesOf(product).filter(({ value }) => counts(value));
  // An empty list or object has no leaves, but the field exists.
  const names = Object.keys(product).filter((name) => counts(product[name]));
  return new Set([...names, ...leaves.map(({ path }) => path)]);
}

type FieldType = Required<Omit<FieldDifference, "by">>;

// Types of the fields that the spec names are judged by product.field-types.
function typesOf(product: Product, paths: ReadonlySet<string>): Map<string, FieldType> {
  const open = leavesOf(product).filter(
    ({ path, value }) => isGiven(value) && paths.has(path) && !(path in productFields),
  );
  return new Map(open.map(({ path, value }) => [`${typeof value} ${path}`, { path, type: typeof value }]));
}

function without<T>(all: ReadonlyMap<string, T>, others: ReadonlyMap<string, T>): Map<string, T> {
  return new Map([...all].filter(([key]) => !others.has(key)));
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== "";
}

/**
 * The finding on a path at which two responses with the same product differ.
 *
 * @param at where the second one is in its body
 */
export function fieldDifference(
  byId: Product,
  found: Product,
  path: string,
  at: string,
): FindingOf<"differs-between-ways"> {
  const [places, others] = [byId, found].map((product) => {
    const all = placesOf(product, path);
    return all.length > 0 ? all : path in product ? [pointer(path)] : [];
  }) as [string[], string[]];
  const [values, seen] = [
    places.map((place) => valueAt(byId, place)),
    others.map((place) => valueAt(found, place)),
  ];
  const first = Math.max(
    0,
    values.findIndex((value, index) => JSON.stringify(value) !== JSON.stringify(seen[index])),
  );
  const { actual: expected } = actual(values[first]);
  const [place, other] = [places[first], others[first]];
  return {
    code: "differs-between-ways",
    subject: path,
    path: at + (other ?? place ?? ""),
    comparedPath: place ?? other ?? "",
    expected,
    ...actual(seen[first]),
  };
}

/** What two requests that should get the same response differ in. */
type ComparedPair = "either-header" | "second-key";

/**
 * What two responses that should be the same differ in: the status, or which product, products or retailers they show. Price
 * and freshness may differ.
 */
export function sameContent(condition: ComparedPair): ResponseView {
  return (one, other, { fieldNames }) => {
    const expected = one.response.status;
    if (other.response.status !== expected)
      return [{ code: "status-differs", condition, expected, ...statusOf(other), comparedWith: 1 }];
    if ([one, other].some((exchange) => !isComparable(exchange, fieldNames))) return [];
    const [listed, others] = [listedIn(one, fieldNames), listedIn(other, fieldNames)];
    const onlyOne = [...listed].filter(([name]) => !others.has(name));
    const onlyOther = [...others].filter(([name]) => !listed.has(name));
    const shownByOne = (exchange: number, count: number, named: Named): Finding => ({
      code: "shown-by-one-only",
      condition,
      ...named,
      seen: { count, of: "items" },
      details: { by: exchange === 1 ? "one" : "other" },
      exchange,
      comparedWith: 1 - exchange,
    });
    const missing = [
      ...onlyOne.slice(0, 1).map(([, named]) => shownByOne(1, onlyOne.length, named)),
      ...onlyOther.slice(0, 1).map(([, named]) => shownByOne(0, onlyOther.length, named)),
    ];
    if (missing.length > 0) return missing;
    // Cursors are opaque, but the same page is the last one for both, or for neither.
    const [next, otherNext] = [one, other].map(({ response }) => nextCursor(response.json));
    if (next !== undefined && otherNext !== undefined && (next === "") !== (otherNext === ""))
      return [shownByOne(next === "" ? 0 : 1, 1, { path: "/meta/next_cursor" })];
    const [product, second] = [productOf(one), productOf(other)];
    if (hasProductFields(product) !== hasProductFields(second))
      return [shownByOne(hasProductFields(product) ? 1 : 0, 1, {})];
    // Several products may have one GTIN: any of them is correct.
    const gtins = fieldNames.gtin === undefined ? [] : valuesAt(product, fieldNames.gtin);
    if (one.endpoint === "lookup-by-gtin" && gtins.some((gtin) => carriesGtin(second, gtin, fieldNames)))
      return [];
    const difference = identityDifference(product, second);
    return difference === undefined ? [] : [{ ...difference, condition, comparedWith: 1 }];
  };
}

/** Whether a response shows which products there are: it is JSON, and a batch result has no item that was not sent, which other rules judge. */
export function isComparable(exchange: Exchange, fieldNames: FieldNames): boolean {
  const { endpoint, response } = exchange;
  if (response.json === undefined) return response.status !== 200;
  const sent = endpoint === "batch" ? itemsSent(exchange) : [];
  if (sent.length === 0) return true;
  return productsIn(exchange, fieldNames).every(({ product: { retailer, product_id: id } }) =>
    sent.some(
      (item) => [undefined, item.retailer].includes(retailer) && [undefined, item.product_id].includes(id),
    ),
  );
}

/** What a response shows: a product, or a retailer. */
type Named = Pick<FindingOf<"shown-by-one-only">, "product" | "subject" | "path">;

function listedIn(exchange: Exchange, fieldNames: FieldNames): Map<string, Named> {
  if (exchange.endpoint === "retailers") {
    const entries = valueAt(exchange.response.json, "/retailers");
    const slugs = Array.isArray(entries) ? entries.map((entry: unknown) => valueAt(entry, "/slug")) : [];
    return new Map(
      slugsIn(exchange.response.json).map((slug) => [
        slug,
        { subject: slug, path: pointer("retailers", slugs.indexOf(slug), "slug") },
      ]),
    );
  }
  return new Map(
    productsIn(exchange, fieldNames).flatMap(({ path, product }) => {
      const { retailer, product_id: id } = product;
      return path === "" ? [] : [[`${String(retailer)} / ${String(id)}`, { path, ...identityOf(product) }]];
    }),
  );
}
