import { pointer } from "./json.ts";

// A parser hides which of two equal names it keeps, digits that a double cannot hold, half characters.

/** What a parser hides of a JSON text; each with a JSON Pointer. */
export interface HiddenByParsers {
  /** Names that an object has more than once; `differs` if with different values. */
  readonly repeated: readonly { readonly path: string; readonly differs: boolean }[];
  /** Numbers that a double changes, as they were written. */
  readonly inexact: readonly { readonly path: string; readonly digits: string }[];
  /** Texts and names with a surrogate that has no partner. */
  readonly halved: readonly { readonly path: string }[];
}

const nothing: HiddenByParsers = { repeated: [], inexact: [], halved: [] };

/** What parsers hide of a valid JSON text. */
export function hiddenIn(text: string): HiddenByParsers {
  const repeated: { path: string; differs: boolean }[] = [];
  const inexact: { path: string; digits: string }[] = [];
  const halved: { path: string }[] = [];
  let at = 0;
  readValue("");
  return { repeated, inexact, halved };

  function readValue(path: string): void {
    skipBlanks();
    const first = text[at];
    if (first === "{" || first === "[") {
      readEntries(path, first === "{");
    } else if (first === '"') {
      const token = stringToken();
      if (isHalved(token)) halved.push({ path });
    } else {
      const start = at;
      while (at < text.length && !/[\s,\]}]/.test(text[at] ?? "")) at++;
      const digits = text.slice(start, at);
      if (isInexact(digits)) inexact.push({ path, digits });
    }
    skipBlanks();
  }

  /** The fields of an object, or the entries of a list. */
  function readEntries(path: string, isObject: boolean): void {
    const values = new Map<string, string>();
    let index = 0;
    for (at++, skipBlanks(); text[at] !== "}" && text[at] !== "]"; skipBlanks()) {
      const token = isObject ? stringToken() : "";
      const name = isObject ? parsedText(token) : `${index++}`;
      const place = path + pointer(name);
      if (isHalved(token)) halved.push({ path: place });
      skipBlanks();
      if (text[at] === ":") at++;
      skipBlanks();
      const start = at;
      readValue(place);
      if (isObject) {
        const value = text.slice(start, at).trimEnd();
        const before = values.get(name);
        if (before !== undefined) repeated.push({ path: place, differs: before !== value });
        values.set(name, value);
      }
      if (text[at] === ",") at++;
    }
    at++;
  }

  function skipBlanks(): void {
    while (text.charCodeAt(at) <= 32) at++;
  }

  /** Reads a string token, quotes included. */
  function stringToken(): string {
    const start = at++;
    for (; text[at] !== '"'; at++) if (text[at] === "\\") at++;
    return text.slice(start, ++at);
  }
}

/** Several rules read each response, which may have megabytes. */
const known = new WeakMap<object, HiddenByParsers>();

/** Like hiddenIn, once for each response; of one that is no JSON, nothing. */
export function hiddenByParsers(response: {
  readonly text: string;
  readonly json?: unknown;
}): HiddenByParsers {
  let hidden = known.get(response);
  if (hidden === undefined) {
    const { text, json } = response;
    // What is written again as it came has lost nothing; only half a character would be written alike.
    const isWhole = json === undefined || (!surrogate.test(text) && JSON.stringify(json) === text);
    hidden = isWhole ? nothing : hiddenIn(text);
    known.set(response, hidden);
  }
  return hidden;
}

/** The digits of the number at a JSON Pointer as they were written, if a double changes it. */
export function exactDigits(
  response: { readonly text: string; readonly json?: unknown },
  path: string,
): string | undefined {
  return hiddenByParsers(response).inexact.find((one) => one.path === path)?.digits;
}

function parsedText(token: string): string {
  return token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
}

// Only an escape can be half a character: the bytes of a response are decoded as whole ones.
// Read as it is written, because the parser of k6 puts another character in its place.
function isHalved(token: string): boolean {
  if (!surrogate.test(token)) return false;
  const pairs = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g;
  return surrogate.test(token.replaceAll("\\\\", " ").replaceAll(pairs, " "));
}

/** The beginning of an escape that is half a character. */
const surrogate = /\\u[dD][89a-fA-F]/;

/** Up to this length, every number is exact in a double, whatever its digits. */
const surelyExact = 15;

function isInexact(digits: string): boolean {
  if (digits.length <= surelyExact && !/[eE]/.test(digits)) return false;
  const value = Number(digits);
  if (Number.isNaN(value)) return false;
  if (!Number.isFinite(value)) return true;
  // A fraction is an approximation everywhere; digits of a whole number are an identity.
  return /^-?\d+$/.test(digits) && BigInt(digits) !== BigInt(value);
}
