import { shortestKey } from "../../schemas/redaction.ts";

const mostCut = 4;

/**
 * A key without its last characters: some services compare only the beginning of a key. Reports hide what is left like a
 * key. Undefined if that would be too short to be hidden.
 */
export function cutKey(key: string): string | undefined {
  const cut = Math.min(mostCut, key.length - shortestKey);
  return cut > 0 ? key.slice(0, -cut) : undefined;
}
