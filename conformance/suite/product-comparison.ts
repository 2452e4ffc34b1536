import productSchema from "../../schemas/product.schema.json" with { type: "json" };
import type { Dialect } from "../../schemas/types.ts";
import type { Exchange } from "../client/exchange.ts";
import { slugsIn } from "../discovery/browsing.ts";
import { leavesOf } from "../discovery/field-paths.ts";
import type { ProductFixture } from "../discovery/fixtures.ts";
import { hasProductFields, isObject, productsIn } from "../response/products-in.ts";

/** The body of an answer as a product, or nothing when it is none. */
export function productOf({ response }: Exchange): Record<string, unknown> {
  return isObject(response.json) ? response.json : {};
}

const identityFields = ["retailer", "product_id", "product_url"] as const;
/** These change all the time, and one way may learn of it later than another. */
const freshFields = ["price", "availability", "last_updated"] as const;

/**
 * What speaks against two products being the same one: their retailer, id or page URL differ. A field that
 * one of them lacks says nothing; price, availability and freshness may change between two requests.
 */
export function identityDifference(
  one: Record<string, unknown>,
  other: Record<string, unknown>,
): string | undefined {
  for (const field of identityFields) {
    const [a, b] = [one[field], other[field]];
    // A field of another type is product.field-types' business.
    if (typeof a === typeof b && a !== undefined && !isObject(a) && JSON.stringify(a) !== JSON.stringify(b)) {
      return `${field} is ${JSON.stringify(a)} here and ${JSON.stringify(b)} there`;
    }
  }
  return undefined;
}

/** As identityDifference, against what a fixture says. */
export function differsFrom(
  fixture: Pick<ProductFixture, "retailer" | "productId">,
  product: Record<string, unknown>,
): string | undefined {
  return identityDifference({ retailer: fixture.retailer, product_id: fixture.productId }, product);
}

// Types of the fields that the spec shows are product.field-types' business.
const shownTypes = productSchema.properties;

/** A field that only one of two products has, or that has another type in one of them. */
export interface FieldDifference {
  readonly path: string;
  readonly by: "one" | "other";
}

/** Fields that one product has and the other has not, at any depth; empty when their shape is the same. */
export function shapeDifference(
  one: Record<string, unknown>,
  other: Record<string, unknown>,
): FieldDifference[] {
  const [a, b] = [pathsOf(one), pathsOf(other)];
  // A null or an empty text in place of a missing field is service.omitted-fields' business.
  const [given, otherGiven] = [pathsOf(one, isGiven), pathsOf(other, isGiven)];
  const both = given.intersection(otherGiven);
  const [types, otherTypes] = [typesOf(one, both), typesOf(other, both)];
  return [
    ...[...given.difference(b), ...types.difference(otherTypes)].map((path) => ({
      path,
      by: "one" as const,
    })),
    ...[...otherGiven.difference(a), ...otherTypes.difference(types)].map((path) => ({
      path,
      by: "other" as const,
    })),
  ];
}

/**
 * Paths at which both products say something and not the same, beside what tells which product they are and what
 * changes from hour to hour. What is of another type, missing or empty is another requirement's.
 */
export function valueDifference(one: Record<string, unknown>, other: Record<string, unknown>): string[] {
  const others = sayings(other);
  return [...sayings(one)].flatMap(([path, { types, values }]) => {
    const there = others.get(path);
    return there?.types === types && there.values !== values ? [path] : [];
  });
}

const notCompared: ReadonlySet<string> = new Set([...identityFields, ...freshFields]);

/** What a product says at each path, where it says something at all. */
function sayings(product: Record<string, unknown>): Map<string, { types: string; values: string }> {
  const leaves = leavesOf(product).filter(({ path }) => !notCompared.has(path));
  const said = [...Map.groupBy(leaves, ({ path }) => path)].filter(([, group]) =>
    group.every(({ value }) => isGiven(value)),
  );
  return new Map(
    said.map(([path, group]) => {
      const types = group.map(({ value }) => typeof value).join();
      return [path, { types, values: JSON.stringify(group.map(({ value }) => value)) }];
    }),
  );
}

function pathsOf(
  product: Record<string, unknown>,
  counts: (value: unknown) => boolean = () => true,
): Set<string> {
  const leaves = leavesOf(product).filter(({ value }) => counts(value));
  // An empty list or object has no leaves, yet its field is there.
  const names = Object.keys(product).filter((name) => counts(product[name]));
  return new Set([...names, ...leaves.map(({ path }) => path)]);
}

function typesOf(product: Record<string, unknown>, paths: ReadonlySet<string>): Set<string> {
  const open = leavesOf(product).filter(
    ({ path, value }) => isGiven(value) && paths.has(path) && !(path in shownTypes),
  );
  return new Set(open.map(({ path, value }) => `${path} as a ${typeof value}`));
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== "";
}

/**
 * What speaks against two answers to the same request showing the same: another product, other products on a
 * page, other retailers in the list. What a product says of price or freshness may differ.
 */
export function answerDifference(one: Exchange, other: Exchange, dialect: Dialect): string | undefined {
  const [listed, others] = [one, other].map((answer) => new Set(listedIn(answer, dialect))) as [
    Set<string>,
    Set<string>,
  ];
  const missing = [...listed.symmetricDifference(others)];
  if (missing.length > 0) return `only one of them shows ${missing.slice(0, 3).join(", ")}`;
  const [product, second] = [productOf(one), productOf(other)];
  if (hasProductFields(product) !== hasProductFields(second)) return "only one of them shows a product";
  return identityDifference(product, second);
}

function listedIn(answer: Exchange, dialect: Dialect): string[] {
  if (answer.endpoint === "retailers") return slugsIn(answer.response.json);
  return productsIn(answer, dialect).flatMap(({ at, product: { retailer, product_id: id } }) =>
    at === "" ? [] : [`${String(retailer)} / ${String(id)}`],
  );
}
