import type { Injection } from "./injection.ts";
import { listInjections } from "./injections/lists.ts";
import { lookupInjections } from "./injections/lookups.ts";
import { productInjections } from "./injections/products.ts";
import { refusalInjections } from "./injections/refusals.ts";

/** Every fault that the proxy can put on the answers of a target. */
export const injections: readonly Injection[] = [
  ...productInjections,
  ...listInjections,
  ...lookupInjections,
  ...refusalInjections,
];

/** An injection by its name. */
export function injectionOf(name: string): Injection {
  const found = injections.find(({ fault }) => fault === name);
  if (found === undefined) throw new Error(`there is no injection ${name}`);
  return found;
}
