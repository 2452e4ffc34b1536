import { endpointLabel } from "../api.ts";
import type { SharedFields } from "../contracts/finding-fields.ts";
import { counted, grouped, listed, outOf } from "./format.ts";
import { code } from "./values.ts";

/** Maximum number of places that are named. */
const mostNamed = 4;

/** How often a finding occurred, and out of how many: `66 of 258 responses (25.6 %)`. */
export function howOften({ seen }: Pick<SharedFields, "seen">): string | undefined {
  if (seen === undefined) return undefined;
  const { count, total, of } = seen;
  if (total === undefined) return counted(count, of.slice(0, -1));
  return count === total && total > 1
    ? `all ${grouped(total)} ${of}`
    : outOf(count, total, of.slice(0, -1), of);
}

interface Place {
  readonly name: string;
  readonly count: number;
  readonly total: number;
}

/**
 * Where a finding occurred and where not, one line each for retailers and endpoints: `Affected products: all 23 at
 * maison & fils, none elsewhere`. Empty if there is only one place.
 */
export function pattern({ byRetailer = [], byEndpoint = [] }: SharedFields): string[] {
  const retailers = byRetailer.map(({ retailer, ...often }) => ({ name: code(retailer), ...often }));
  const endpoints = byEndpoint.map(({ endpoint, ...often }) => ({ name: endpointLabel(endpoint), ...often }));
  return [
    patternOf("Affected products", retailers, "retailers"),
    patternOf("Affected responses", endpoints, "endpoints"),
  ].flatMap((line) => line ?? []);
}

function patternOf(noun: string, all: readonly Place[], places: string): string | undefined {
  const checked = all.filter(({ total }) => total > 0);
  const hit = checked
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => shareOf(other) - shareOf(one));
  const [first] = hit;
  if (first === undefined) return undefined;
  const clean = checked.filter(({ count }) => count === 0);
  // With a single endpoint the line adds nothing: a batch counter can only be missing in batches.
  if (checked.length === 1 && places === "endpoints") return undefined;
  if (checked.length === 1)
    return `${noun}: ${often(first)} at ${first.name}, the only ${places.slice(0, -1)} checked`;
  if (hit.length === checked.length && hit.every(({ count, total }) => count === total))
    return `${noun}: all of them, at all ${grouped(checked.length)} ${places}`;
  const named = hit.slice(0, mostNamed).map((place) => `${often(place)} at ${place.name}`);
  const more = hit.length - named.length;
  const others = more > 0 ? [`some at ${counted(more, `more ${places.slice(0, -1)}`)}`] : [];
  const rest =
    clean.length === 0
      ? ""
      : hit.length === 1
        ? ", none elsewhere"
        : `; none at ${clean.length <= mostNamed ? listed(clean.map(({ name }) => name)) : `the other ${grouped(clean.length)}`}`;
  return `${noun}: ${[...named, ...others].join(", ")}${rest}`;
}

function shareOf({ count, total }: Place): number {
  return count / total;
}

function often({ count, total }: Place): string {
  if (total === 1 && count === 1) return "the only one";
  return count === total ? `all ${grouped(total)}` : `${grouped(count)} of ${grouped(total)}`;
}
