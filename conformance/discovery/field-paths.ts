import { isObject, pointer } from "../response/body-path.ts";

/** A scalar in a product and its path in dot notation, such as `identifiers[].value`. */
export interface Leaf {
  readonly path: string;
  readonly value: string | number | boolean | null;
}

/** Every scalar of a product, at any depth. */
export function leavesOf(value: unknown, path = ""): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((element: unknown) => leavesOf(element, `${path}[]`));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      leavesOf(inner, path === "" ? name : `${path}.${name}`),
    );
  }
  const scalar =
    typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null;
  return scalar ? [{ path, value }] : [];
}

/** The scalars at one path, as strings. */
export function valuesAt(product: unknown, path: string): string[] {
  return leavesOf(product)
    .filter((leaf) => leaf.path === path)
    .map(({ value }) => String(value));
}

/** JSON Pointers to the scalars at one path. For an empty list or object, the pointer to the list or object. */
export function placesOf(value: unknown, wanted: string, path = "", at = ""): string[] {
  const entries = Array.isArray(value)
    ? value.map((inner: unknown, index) => [index, `${path}[]`, inner] as const)
    : isObject(value)
      ? Object.entries(value).map(
          ([name, inner]) => [name, path === "" ? name : `${path}.${name}`, inner] as const,
        )
      : [];
  if (entries.length === 0) return path === wanted && at !== "" ? [at] : [];
  return entries.flatMap(([step, below, inner]) => placesOf(inner, wanted, below, at + pointer(step)));
}
