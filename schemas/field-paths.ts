import { isObject, pointer } from "./json.ts";

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

/** A list in a product; its path has no `[]` at the end. */
export interface List {
  readonly path: string;
  readonly entries: readonly unknown[];
}

/** Every list of a product, at any depth. */
export function listsOf(value: unknown, path = ""): List[] {
  if (Array.isArray(value))
    return [{ path, entries: value }, ...value.flatMap((entry: unknown) => listsOf(entry, `${path}[]`))];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    listsOf(inner, path === "" ? name : `${path}.${name}`),
  );
}

/** The scalars at one path, as strings. */
export function valuesAt(product: unknown, path: string): string[] {
  return leavesOf(product)
    .filter((leaf) => leaf.path === path)
    .map(({ value }) => String(value));
}

/** JSON Pointers to the scalars at one path; the path may also be that of a list or of an empty object. */
export function placesOf(value: unknown, wanted: string, path = "", at = ""): string[] {
  const entries = Array.isArray(value)
    ? value.map((inner: unknown, index) => [index, `${path}[]`, inner] as const)
    : isObject(value)
      ? Object.entries(value).map(
          ([name, inner]) => [name, path === "" ? name : `${path}.${name}`, inner] as const,
        )
      : [];
  const isWhole = entries.length === 0 || Array.isArray(value);
  if (path === wanted && isWhole && at !== "") return [at];
  return entries.flatMap(([step, below, inner]) => placesOf(inner, wanted, below, at + pointer(step)));
}
