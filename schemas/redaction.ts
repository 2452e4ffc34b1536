/**
 * What keeps keys out of everything that is shown or written. k6 and Node share it, so it uses the language alone:
 * k6 has no Buffer, no TextEncoder and no URL.
 */

/** A key, and the text that stands in its place. It holds visible ASCII characters, as an HTTP header may carry them. */
export interface Secret {
  readonly key: string;
  readonly shownAs: string;
}

/** The environment variables that hold the keys where the config names no others; reports show a key by its variable. */
export const keyVariables = {
  primary: "SHELFCHECK_API_KEY",
  sameOrg: "SHELFCHECK_SAME_ORG_API_KEY",
  otherOrg: "SHELFCHECK_OTHER_ORG_API_KEY",
} as const;

/**
 * Shortest key that is taken: a shorter one also stands where nobody echoed it, in words, prices and markup, and could
 * not be taken out of them without spoiling them.
 */
export const shortestKey = 8;

/** A value of several words, such as `Basic dXNlcjpwYXNz` or a cookie: what echoes it may leave some of them out. */
export function secretsOfHeader(value: string, shownAs: string): Secret[] {
  const parts = value.split(/[ ,;=]+/).filter((part) => part.length >= shortestKey);
  return [...new Set([value, ...parts])].map((key) => ({ key, shownAs }));
}

/** Replaces every key, in whatever form it travels: as it is, in other case, escaped, in base64, in hexadecimal. */
export interface TextRedaction {
  /** The text without keys. Before a mark of `excerpt`, the beginning of a key goes as well. */
  redact(text: string): string;
  /** The text without keys, then cut to `length` characters, with a mark that says so and how many there were. */
  excerpt(text: string, length: number): string;
}

/** Creates the redaction for some keys. An empty key is none. It costs memory from its first use on. */
export function createRedaction(secrets: readonly Secret[]): TextRedaction {
  const given = secrets.filter(({ key }) => key !== "");
  let forms: FormsByFirst | undefined;
  const longest = Math.max(0, ...given.map(({ key }) => key.length));

  function redact(text: string): string {
    if (given.length === 0) return text;
    forms ??= formsByFirst(given);
    // Not searched for before the loop: V8 would move that search into the loop, and repeat it for each character.
    let mark = notSearched;
    let result = "";
    let copied = 0;
    for (let at = 0; at < text.length; ) {
      if (mark !== none && mark < at) mark = text.indexOf(markBegins, at);
      const found = formAt(text, at, forms, mark);
      if (found === undefined) {
        at += 1;
        continue;
      }
      result += text.slice(copied, at) + found.shownAs;
      at = found.end;
      copied = at;
    }
    return copied === 0 && result === "" ? text : result + text.slice(copied);
  }

  return {
    redact,
    excerpt(text, length) {
      // Far enough beyond the cut for a key there to be whole, so that its name can stand for it.
      const window = text.slice(0, 2 * length + longestEscape * longest);
      const mark = markOf(text);
      const clean = window === text ? redact(text) : redact(window + mark).slice(0, -mark.length);
      if (window === text && clean.length <= length) return clean;
      const end = isHighSurrogate(clean.charCodeAt(length - 1)) ? length - 1 : length;
      return clean.slice(0, end) + mark;
    },
  };
}

const markBegins = "… (";

/** What `excerpt` puts behind a text that it cut. */
export function markOf(text: string): string {
  return `${markBegins}${text.length} characters)`;
}
const longestEscape = 6;

/** One spelling of a key, folded as the texts are that it is compared with. */
interface Form {
  readonly text: string;
  readonly shownAs: string;
}

/** At the code of the first character: the forms that begin with it. */
type FormsByFirst = readonly (readonly Form[] | undefined)[];

interface Match {
  readonly end: number;
  readonly shownAs: string;
}

/** The longest form that begins here; one that reaches a mark of `excerpt` unfinished goes without a name. */
function formAt(text: string, at: number, forms: FormsByFirst, mark: number): Match | undefined {
  const code = text.charCodeAt(at);
  if (!isSpecial(code)) {
    const candidates = forms[fold(code)];
    return candidates === undefined ? undefined : longestOf(text, at, candidates, mark);
  }
  // Of a longer run only the last of them can belong to a key.
  if (code === backslash && forms[backslash] === undefined && text.startsWith(longRun, at)) return undefined;
  if (code !== ellipsis && isUnfinished(text, at, mark)) return { end: mark, shownAs: "" };
  const codes = readings(text, at).flatMap((reading) =>
    reading.code === backslash ? [backslash, text.charCodeAt(reading.end)] : [reading.code],
  );
  const candidates = [...new Set(codes.map(fold))].flatMap((first) => forms[first] ?? []);
  return longestOf(text, at, candidates, mark);
}

function longestOf(text: string, at: number, forms: readonly Form[], mark: number): Match | undefined {
  let longest: Match | undefined;
  for (const form of forms) {
    const end = endOf(form.text, text, at, mark);
    if (end === cut) return { end: mark, shownAs: "" };
    if (end > (longest?.end ?? at)) longest = { end, shownAs: form.shownAs };
  }
  return longest;
}

const none = -1;
const cut = -2;
const notSearched = -3;

/** Where the form that begins at `start` ends: a number of characters or escapes later, `none`, or `cut` off by a mark. */
function endOf(form: string, text: string, start: number, mark: number): number {
  let index = 0;
  for (; index < form.length; index += 1) {
    const code = text.charCodeAt(start + index);
    if (isSpecial(code)) break;
    if (fold(code) !== form.charCodeAt(index)) return none;
  }
  // Up to the first escape there is one way to read.
  let places: readonly number[] = [start + index];
  for (; index < form.length; index += 1) {
    const next = after(places, form.charCodeAt(index), text, index === 0);
    if (next.read.some((one) => isUnfinished(text, one, mark))) return cut;
    if (next.ends.length === 0) return none;
    places = next.ends;
  }
  return Math.max(...places);
}

/**
 * Where reading goes on once `wanted` was read, and the places that it was read from: an encoder may have put backslashes
 * and line breaks before it.
 */
function after(
  places: readonly number[],
  wanted: number,
  text: string,
  isFirst: boolean,
): { readonly read: readonly number[]; readonly ends: readonly number[] } {
  const ends = new Set<number>();
  const read = [...places];
  const maySkip = (code: number): boolean =>
    code === backslash
      ? !isFirst || !isAlphanumeric(wanted)
      : !isFirst && (code === lineFeed || code === carriageReturn);
  for (let next = 0; next < read.length; next += 1) {
    let skipped = 0;
    for (const { code, end } of readings(text, read[next] ?? 0)) {
      if (fold(code) === wanted) ends.add(end);
      if (maySkip(code)) skipped = Math.max(skipped, end);
    }
    if (skipped > 0 && !read.includes(skipped)) read.push(skipped);
  }
  return { read, ends: [...ends] };
}

/** A character that a text can be read as from some place on, and where it goes on behind. */
interface Reading {
  readonly code: number;
  readonly end: number;
}

const backslash = 0x5c;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const ellipsis = 0x2026;
const deepest = 64;
const longRun = "\\".repeat(deepest + 1);
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The character itself, and what it begins when it is an escape of JSON, a URL, HTML, XML or a shell, however deep. */
function readings(text: string, at: number): Reading[] {
  if (at >= text.length) return [];
  const code = text.charCodeAt(at);
  const found: Reading[] = [{ code, end: at + 1 }];
  if (!isSpecial(code)) return found;
  const repeated = { "\\": "\\", "%": "25", "&": "amp;" }[text.charAt(at)];
  if (repeated !== undefined) {
    let end = at + 1;
    for (let depth = 1; depth < deepest && text.startsWith(repeated, end); depth += 1) {
      end += repeated.length;
      found.push({ code, end });
    }
  }
  for (const quote of ["'\\''", "'\"'\"'"]) {
    if (text.startsWith(quote, at)) found.push({ code, end: at + quote.length });
  }
  const escaping =
    /\\{1,64}(?:(?:u00|x)([0-9a-f]{2})|([nr]))|%(?:25){0,64}([0-9a-f]{2})|&(?:amp;){0,64}(?:#0{0,8}([0-9]{1,3})|#x0{0,8}([0-9a-f]{1,2})|(amp|lt|gt|quot|apos));/iy;
  escaping.lastIndex = at;
  const match = escaping.exec(text);
  if (match === null) return found;
  const [whole, json, lineBreak, percent, decimal, hexadecimal, name] = match;
  const hex = json ?? percent ?? hexadecimal;
  const escaped =
    lineBreak !== undefined
      ? lineFeed
      : hex !== undefined
        ? Number.parseInt(hex, 16)
        : decimal !== undefined
          ? Number(decimal)
          : (named[(name ?? "").toLowerCase()] ?? "").charCodeAt(0);
  found.push({ code: escaped, end: at + whole.length });
  return found;
}

/** True when nothing but the beginning of an escape, or nothing at all, stands between here and a mark of `excerpt`. */
function isUnfinished(text: string, at: number, mark: number): boolean {
  if (mark - at < 0 || mark - at > 5 * deepest) return false;
  const unfinished =
    /(?:\\{0,64}(?:u0{0,2}[0-9a-f]?|x[0-9a-f]?)?|%(?:25){0,64}[0-9a-f]?|&(?:amp;){0,64}(?:#0{0,8}[0-9]{0,3}|#x0{0,8}[0-9a-f]{0,2}|[a-z]{0,4})|'(?:\\'?|"(?:'"?)?)?)(?=… \([0-9,]+ (?:more )?characters\))/iy;
  unfinished.lastIndex = at;
  return unfinished.test(text);
}

function formsByFirst(secrets: readonly Secret[]): FormsByFirst {
  const byFirst: Form[][] = [];
  for (const { key, shownAs } of secrets) {
    const spellings = [key, key.toLowerCase(), key.toUpperCase()];
    const texts = [key, ...spellings.flatMap((spelling) => [inHexadecimal(spelling), ...inBase64(spelling)])];
    for (const text of new Set(texts.map(folded))) {
      const first = text.charCodeAt(0);
      byFirst[first] ??= [];
      byFirst[first].push({ text, shownAs });
    }
  }
  return byFirst;
}

function inHexadecimal(text: string): string {
  return bytesOf(text)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * The text in base64, also where other text stands before or after it, as in `user:key`: the characters that it alone
 * decides after 0, 1 or 2 other bytes, and the same with the end that follows when it comes last.
 */
function inBase64(text: string): string[] {
  const bytes = bytesOf(text);
  return [0, 1, 2].flatMap((offset) => {
    const bits = [...Array<number>(offset).fill(0), ...bytes];
    const all = Array.from({ length: Math.ceil((bits.length * 8) / 6) }, (_, index) => {
      const from = Math.floor((index * 6) / 8);
      const pair = ((bits[from] ?? 0) << 8) | (bits[from + 1] ?? 0);
      return alphabet.charAt((pair >> (10 - ((index * 6) % 8))) & 63);
    }).join("");
    const begin = Math.ceil((offset * 8) / 6);
    const alone = all.slice(begin, Math.floor((bits.length * 8) / 6));
    const end = all.slice(begin);
    const padded = end.padEnd(end.length + ((4 - (all.length % 4)) % 4), "=");
    return [alone, end, padded];
  });
}

function bytesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index) & 0xff);
}

function folded(text: string): string {
  return Array.from(text, (character) => String.fromCharCode(fold(character.charCodeAt(0)))).join("");
}

/** Upper and lower case are one, and so are the two alphabets of base64. */
function fold(code: number): number {
  if (code > 0x5f) return code;
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  if (code === 0x2d) return 0x2b;
  return code === 0x5f ? 0x2f : code;
}

/** What may begin an escape, a line break or a mark of `excerpt`: & % \ ' and so on. */
function isSpecial(code: number): boolean {
  if (code > 0x27) return code === backslash || code === ellipsis;
  return code >= 0x25 || code === lineFeed || code === carriageReturn;
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
