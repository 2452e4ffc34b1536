import type { FindingOf } from "../../schemas/contracts/finding.ts";
import { type Product, productFields } from "../../schemas/contracts/product.ts";
import { type ProductPlace, placesIn } from "../../schemas/field-paths.ts";
import { isObject, valueAt } from "../../schemas/json.ts";
import { actual } from "../response/body-findings.ts";
import type { ProductInBody } from "../response/products-in.ts";
import { identityFields } from "./check/product-comparison.ts";

/** A field that only one of two products has or that has another type there, at any depth, or a value that differs. */
export interface ProductDifference {
  readonly kind: "field" | "value";
  readonly path: string;
}

/** What a product has at each path. A list stands for the number of its entries, and what is empty for itself. */
function fieldsOf(product: Product): ReadonlyMap<string, ProductPlace[]> {
  const places = placesIn(product).map(({ value, ...place }) => {
    const length = Array.isArray(value) ? value.filter(isGiven).length : 0;
    return { ...place, value: length > 0 ? length : isObject(value) || Array.isArray(value) ? {} : value };
  });
  return Map.groupBy(places, ({ path }) => path);
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
