import { isObject } from "../response/products-in.ts";

/** A scalar inside a product and where it stands, in the notation of the dialect: `identifiers[].value`. */
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

/** The scalars at one path, as texts. */
export function valuesAt(product: unknown, path: string): string[] {
  return leavesOf(product)
    .filter((leaf) => leaf.path === path)
    .map(({ value }) => String(value));
}
