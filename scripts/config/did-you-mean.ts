import { closest, distance } from "fastest-levenshtein";

/** The known name that was probably meant, or undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lowerCase = name.toLowerCase();
  const candidate = known.find((other) => other.toLowerCase() === lowerCase) ?? closest(name, known);
  const tolerance = Math.max(1, Math.floor(Math.max(name.length, candidate.length) * 0.4));
  return distance(lowerCase, candidate.toLowerCase()) <= tolerance ? candidate : undefined;
}

/** "Did you mean X?" when a known name is near, else the list of the known ones. */
export function didYouMean(name: string, known: readonly string[]): string {
  const candidate = nearest(name, known);
  return candidate === undefined ? `Known: ${known.join(", ")}.` : `Did you mean ${candidate}?`;
}
