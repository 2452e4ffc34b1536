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
export function placesIn(product: unknown): ProductPlace[] {
  const places: ProductPlace[] = [];
  function look(value: unknown, path: string, at: string): void {
    if (at !== "") places.push({ path, at, value });
    if (Array.isArray(value))
      for (const [index, inner] of value.entries()) look(inner, `${path}[]`, at + pointer(index));
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value))
        look(inner, path === "" ? name : `${path}.${name}`, at + pointer(name));
  }
  look(product, "", "");
  return places;
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
