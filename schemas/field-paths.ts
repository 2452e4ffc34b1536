import { isObject, pointer } from "./json.ts";

/** A scalar, a list or an object in a product. */
export interface ProductPlace {
  /** In dot notation, such as `identifiers[].value`. */
  readonly path: string;
  /** JSON Pointer. */
  readonly at: string;
  readonly value: unknown;
}

/** Everything in a product, at any depth. */
export function placesIn(value: unknown, path = "", at = ""): ProductPlace[] {
  const below = Array.isArray(value)
    ? value.map((inner: unknown, index) => [`${path}[]`, index, inner] as const)
    : Object.entries(isObject(value) ? value : {}).map(
        ([name, inner]) => [path === "" ? name : `${path}.${name}`, name, inner] as const,
      );
  const inside = below.flatMap(([name, step, inner]) => placesIn(inner, name, at + pointer(step)));
  return at === "" ? inside : [{ path, at, value }, ...inside];
}

/** Every scalar of a product, at any depth. */
export function leavesOf(product: unknown): ProductPlace[] {
  return placesIn(product).filter(({ value }) => typeof value !== "object" || value === null);
}

/** The scalars at one path, as strings. */
export function valuesAt(product: unknown, path: string): string[] {
  return leavesOf(product)
    .filter((leaf) => leaf.path === path)
    .map(({ value }) => String(value));
}
