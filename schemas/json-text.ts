import { pointer } from "./json.ts";

// A parser hides which of two equal names it keeps, digits that a double cannot hold, half characters.

/** What a parser hides of a JSON text; each with a JSON Pointer. */
export interface HiddenByParsers {
  /** Names that an object has more than once; `differs` if with another value than `before`, as written. */
  readonly repeated: readonly { readonly path: string; readonly differs: boolean; readonly before: string }[];
  /** Numbers that a double changes, as they were written. */
  readonly inexact: readonly { readonly path: string; readonly digits: string }[];
  /** Texts and names with a surrogate that has no partner. */
  readonly halved: readonly { readonly path: string }[];
}

const nothing: HiddenByParsers = { repeated: [], inexact: [], halved: [] };

const tokens = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;

/** A list or an object around a token. */
interface Holder {
  readonly path: string;
  readonly isObject: boolean;
  /** Of an object: the values so far, as they are written. */
  readonly values: Map<string, string>;
  /** Of the entry that is read: its name once that was read, and where its value begins. */
  name: string | undefined;
  from: number;
  /** Entries before it. */
  count: number;
}

/** What parsers hide of a valid JSON text. */
export function hiddenIn(text: string): HiddenByParsers {
  const repeated: { path: string; differs: boolean; before: string }[] = [];
  const inexact: { path: string; digits: string }[] = [];
  const halved: { path: string }[] = [];
  const holders: Holder[] = [];
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const holder = holders.at(-1);
    const path = holder === undefined ? "" : holder.path + pointer(holder.name ?? `${holder.count}`);
    if (token === "{" || token === "[") {
      const isObject = token === "{";
      holders.push({ path, isObject, values: new Map(), name: undefined, from: 0, count: 0 });
    } else if (holder !== undefined && (token === "," || token === "}" || token === "]")) {
      const { name, values } = holder;
      if (name !== undefined) {
        const value = text.slice(holder.from, index).trim();
        const before = values.get(name);
        if (before !== undefined) repeated.push({ path, differs: before !== value, before });
        values.set(name, value);
      }
      holder.name = undefined;
      holder.count++;
      if (token !== ",") holders.pop();
    } else if (holder !== undefined && token === ":") holder.from = index + 1;
    else if (holder?.isObject && holder.name === undefined) {
      holder.name = parsedText(token);
      if (isHalved(token)) halved.push({ path: holder.path + pointer(holder.name) });
    } else if (token.startsWith('"')) {
      if (isHalved(token)) halved.push({ path });
    } else if (isInexact(token)) inexact.push({ path, digits: token });
  }
  return { repeated, inexact, halved };
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
