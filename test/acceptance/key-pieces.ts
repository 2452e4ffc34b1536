import { setImmediate } from "node:timers/promises";
import { invalidKey } from "../../conformance/discovery/unknown-values.ts";

const pieceLength = 12;
const chunkLength = 128 * 1024;

/** Finds keys as they are, in other case, in base64 and in hexadecimal. It shares nothing with the redaction. */
export function piecesOf(keys: readonly string[]) {
  // Conformance derives an invalid key from each key, with the same punctuation: what both contain is not secret.
  const shared = new Set(keys.map(invalidKey).flatMap(formsOf).flatMap(piecesOfForm));
  const pieces = new Set(keys.flatMap(formsOf).flatMap(piecesOfForm)).difference(shared);
  const lengths = new Set([...pieces].map(({ length }) => length));
  // Most places are ruled out by their first two characters.
  const begins = new Uint8Array(65_536);
  for (const piece of pieces) begins[pairAt(piece, 0)] = 1;

  function findIn(text: string): boolean {
    for (let at = 0; at < text.length; at++) {
      if (begins[pairAt(text, at)] !== 1) continue;
      for (const length of lengths) if (pieces.has(text.slice(at, at + length))) return true;
    }
    return false;
  }

  return {
    /** Whether a text contains 12 consecutive characters of a key, or a complete form of it that is shorter. */
    async find(text: string): Promise<boolean> {
      for (let from = 0; from < text.length; from += chunkLength) {
        const part = text.slice(from, from + chunkLength + pieceLength).toLowerCase();
        if (findIn(part) || findIn(part.replaceAll("-", "+").replaceAll("_", "/"))) return true;
        await setImmediate();
      }
      return false;
    },
  };
}

function formsOf(key: string): string[] {
  return [key, key.toLowerCase(), key.toUpperCase()].flatMap((spelling) => [
    spelling,
    Buffer.from(spelling).toString("hex"),
    ...[0, 1, 2].map((offset) => base64After(offset, spelling)),
  ]);
}

/** Base64 of a text that follows `offset` other bytes, without the characters that depend on the surrounding bytes. */
function base64After(offset: number, text: string): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).toString("base64");
  return encoded.replace(/=+$/, "").slice(offset === 0 ? 0 : offset + 1, -1);
}

function piecesOfForm(form: string): string[] {
  const folded = form.toLowerCase();
  if (folded.length <= pieceLength) return [folded];
  return Array.from({ length: folded.length - pieceLength + 1 }, (_, at) =>
    folded.slice(at, at + pieceLength),
  );
}

function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 0xff) << 8) | (text.charCodeAt(at + 1) & 0xff);
}
