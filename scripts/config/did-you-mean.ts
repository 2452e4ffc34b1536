import { closest, distance } from "fastest-levenshtein";

/** A shorter beginning fits too many names. */
const shortestStart = 6;

/** The known name that was probably meant: it starts with `name` or is similar. Undefined for none. */
function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lowerCase = name.toLowerCase();
  const same = known.find((other) => other.toLowerCase() === lowerCase);
  if (same !== undefined) return same;
  // An id is often cut off: errors.unentitled is errors.unentitled-retailer, not the near errors.unauthorized.
  const longer = known.filter((other) => other.toLowerCase().startsWith(lowerCase));
  if (name.length >= shortestStart && longer.length > 0) return closest(name, longer);
  const candidate = closest(name, known);
  const tolerance = Math.max(1, Math.floor(Math.max(name.length, candidate.length) * 0.4));
  return distance(lowerCase, candidate.toLowerCase()) <= tolerance ? candidate : undefined;
}

/** Maximum number of known names to list in full. */
const mostListed = 20;
const mostNear = 5;

/** "Did you mean X?" if a known name is similar; otherwise all known names, or the five nearest of many. */
export function didYouMean(name: string, known: readonly string[]): string {
  const candidate = nearest(name, known);
  if (candidate !== undefined) return `Did you mean ${candidate}?`;
  if (known.length <= mostListed) return `Known: ${known.join(", ")}.`;
  const lacks = (other: string) => Number(!other.toLowerCase().includes(name.toLowerCase()));
  const near = known.toSorted((a, b) => lacks(a) - lacks(b) || distance(name, a) - distance(name, b));
  return `The nearest of ${known.length} names: ${near.slice(0, mostNear).join(", ")}.`;
}
