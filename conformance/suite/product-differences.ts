import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { type Product, productFields } from "../../schemas/contracts/product.ts";
import { leavesOf, listsOf, placesOf } from "../../schemas/field-paths.ts";
import { isObject, pointer, valueAt } from "../../schemas/json.ts";
import { actual } from "../response/body-findings.ts";
import { identityFields } from "./check/product-comparison.ts";

/** A field that only one of two products has or that has another type there, at any depth, or a value that differs. */
export interface ProductDifference {
  readonly kind: "field" | "value";
  readonly path: string;
}

/**
 * What two responses with the same product differ in. Other requirements judge who it is, the types of fields that the spec names,
 * and null or empty values.
 */
export function differencesOf(one: Product, other: Product): ProductDifference[] {
  const [fields, others] = [fieldsOf(one), fieldsOf(other)];
  const all = [...new Set([...fields.keys(), ...others.keys()])].flatMap((path): ProductDifference[] => {
    const kind = kindOf(path, fields.get(path), others.get(path));
    return kind === undefined ? [] : [{ kind, path }];
  });
  // Entries of lists with different lengths are not compared.
  const isInside = (path: string) =>
    all.some((list) => list.kind === "value" && path.startsWith(`${list.path}[]`));
  return all.filter(({ kind, path }) => kind === "field" || !isInside(path));
}

/** The values at each path; of a list, how many entries it has. */
function fieldsOf(product: Product): Map<string, unknown[]> {
  const lists = listsOf(product).map(({ path, entries }) => {
    const { length } = entries.filter(isGiven);
    return { path, value: length === 0 ? {} : length };
  });
  // An empty object has no leaves, but the field exists.
  const objects = Object.entries(product).flatMap(([path, value]) =>
    isObject(value) ? [{ path, value: {} }] : [],
  );
  const byPath = Map.groupBy([...objects, ...lists, ...leavesOf(product)], ({ path }) => path);
  return new Map([...byPath].map(([path, all]) => [path, all.map(({ value }) => value)]));
}

function kindOf(
  path: string,
  values: readonly unknown[] | undefined,
  others: readonly unknown[] | undefined,
): ProductDifference["kind"] | undefined {
  if (values === undefined || others === undefined)
    return (values ?? others)?.some(isGiven) === true ? "field" : undefined;
  const [types, otherTypes] = [typesOf(values), typesOf(others)];
  if (types.size === 0 || otherTypes.size === 0) return undefined;
  if (types.symmetricDifference(otherTypes).size > 0) return path in productFields ? undefined : "field";
  const isCompared =
    values.length === others.length &&
    [...values, ...others].every(isGiven) &&
    !identityFields.some((name) => name === path);
  return isCompared && JSON.stringify(values) !== JSON.stringify(others) ? "value" : undefined;
}

function typesOf(values: readonly unknown[]): Set<string> {
  return new Set(values.filter(isGiven).map((value) => typeof value));
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== "";
}

/**
 * The finding on a path at which two responses with the same product differ.
 *
 * @param at where the second one is in its body
 */
export function differenceFinding(
  byId: Product,
  found: Product,
  path: string,
  at: string,
): FindingOf<"differs-between-ways"> {
  const [places, others] = [byId, found].map((product) => {
    const all = placesOf(product, path);
    return all.length > 0 ? all : path in product ? [pointer(path)] : [];
  }) as [string[], string[]];
  const values = places.map((place) => valueAt(byId, place));
  const seen = others.map((place) => valueAt(found, place));
  const isOther = (value: unknown, index: number) => JSON.stringify(value) !== JSON.stringify(seen[index]);
  const first = Math.max(0, values.findIndex(isOther));
  const [place, other] = [places[first], others[first]];
  return {
    code: "differs-between-ways",
    subject: path,
    path: at + (other ?? place ?? ""),
    comparedPath: place ?? other ?? "",
    expected: actual(values[first]).actual,
    ...actual(seen[first]),
  };
}
