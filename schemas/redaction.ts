/**
 * Removes keys from everything that is shown or written. k6 and Node share it, so it uses only the language itself:
 * k6 has no Buffer, TextEncoder or URL.
 */

/** A key of visible ASCII characters, and the text that replaces it. */
export interface Secret {
  readonly key: string;
  readonly shownAs: string;
}

/** Default names of the environment variables with the keys; reports show the name in place of the key. */
export const keyVariables = {
  primary: "SHELFCHECK_API_KEY",
  sameOrg: "SHELFCHECK_SAME_ORG_API_KEY",
  otherOrg: "SHELFCHECK_OTHER_ORG_API_KEY",
} as const;

/**
 * Minimum length of a key. A shorter one could occur by chance in words, prices or markup, which its redaction would
 * damage.
 */
export const shortestKey = 8;

/** For a value of several words, such as `Basic dXNlcjpwYXNz` or a cookie: an echo may contain only some of them. */
export function secretsOfHeader(value: string, shownAs: string): Secret[] {
  const parts = value.split(/[ ,;=]/).filter((part) => part.length >= shortestKey);
  return [...new Set([value, ...parts])].map((key) => ({ key, shownAs }));
}

/** Replaces keys, also in other case, escaped, in base64 or in hexadecimal. */
export interface TextRedaction {
  /** The text without keys. The beginning of a key right before a cut mark of `excerpt` is removed too. */
  redact(text: string): string;
  /** The text without keys, then cut to `length` characters, with a mark that gives the original length. */
  excerpt(text: string, length: number): string;
}

/** Creates a redaction. Empty keys are ignored. Its tables are built at the first use, to save memory in k6. */
export function createRedaction(secrets: readonly Secret[]): TextRedaction {
  const given = secrets.filter(({ key }) => key !== "");
  let forms: FormsByFirst | undefined;
  let starts: Uint8Array | undefined;
  const longest = Math.max(0, ...given.map(({ key }) => key.length));

  function redact(text: string): string {
    if (given.length === 0) return text;
    forms ??= formsByFirst(given);
    starts ??= new Uint8Array(ascii * ascii);
    // Not searched for before the loop: V8 would move that search into the loop, and repeat it for each character.
    let mark = notSearched;
    let result = "";
    let copied = 0;
    let next = text.charCodeAt(0);
    for (let at = 0; at < text.length; ) {
      const code = next;
      next = text.charCodeAt(at + 1);
      if (code < ascii && next < ascii) {
        const pair = code * ascii + next;
        if (starts[pair] === unknown) starts[pair] = mayStart(code, next, forms) ? possible : impossible;
        if (starts[pair] === impossible) {
          at += 1;
          continue;
        }
      }
      if (mark !== none && mark < at) mark = text.indexOf(markBegins, at);
      const found = formAt(text, at, forms, mark);
      if (found === undefined) {
        at += 1;
        continue;
      }
      result += text.slice(copied, at) + found.shownAs;
      at = found.end;
      next = text.charCodeAt(at);
      copied = at;
    }
    return result + text.slice(copied);
  }

  return {
    redact,
    excerpt(text, length) {
      // Long enough for a key at the cut to be complete, so that its name can replace it.
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

/** The mark that `excerpt` appends to a cut text. */
export function markOf(text: string): string {
  return `${markBegins}${text.length} characters)`;
}
const longestEscape = 6;

/** One spelling of a key, folded like the texts that it is compared with. */
interface Form {
  readonly text: string;
  readonly shownAs: string;
}

/** Forms with the same first character. */
interface FormsOfFirst {
  readonly all: Form[];
  /** Whether one of them is nothing but this character. */
  isShort: boolean;
  /** By the code of their second character. */
  readonly bySecond: (Form[] | undefined)[];
}

/** Forms by the code of their first character. */
type FormsByFirst = readonly (FormsOfFirst | undefined)[];

interface Match {
  readonly end: number;
  readonly shownAs: string;
}

/** Number of ASCII characters. */
const ascii = 128;

// Whether a form may start with a pair of ASCII characters. It is looked up for each place of a text, hence remembered.
const unknown = 0;
const possible = 1;
const impossible = 2;

/** Whether a form, or an escape of its first character, may start with these two characters. */
function mayStart(code: number, next: number, forms: FormsByFirst): boolean {
  if (!isSpecial(code) || code === lineFeed) return startingWith(code, next, forms) !== undefined;
  if (code !== backslash || next !== quotationMark) return true;
  return forms[backslash] !== undefined || forms[quotationMark] !== undefined;
}

/** Whether `\"` is at this place: the most frequent escape in a report, since bodies are strings of JSON. */
function isQuotation(text: string, at: number): boolean {
  return text.charCodeAt(at) === backslash && text.charCodeAt(at + 1) === quotationMark;
}

/** The forms that may start with two characters, the first of which starts no escape. */
function startingWith(code: number, next: number, forms: FormsByFirst): readonly Form[] | undefined {
  const ofFirst = forms[fold(code)];
  if (ofFirst === undefined) return undefined;
  // Few places have the first two characters of a form, so most of the text needs no further comparison.
  return ofFirst.isShort || isSpecial(next) ? ofFirst.all : ofFirst.bySecond[fold(next)];
}

/** The longest form at this place. A form that is cut off by a mark of `excerpt` is removed without a name. */
function formAt(text: string, at: number, forms: FormsByFirst, mark: number): Match | undefined {
  const code = text.charCodeAt(at);
  if (!isSpecial(code) || code === lineFeed) {
    const candidates = startingWith(code, text.charCodeAt(at + 1), forms);
    return candidates === undefined ? undefined : longestOf(text, at, candidates, mark);
  }
  // In a longer run of backslashes, only the last ones can belong to a key.
  if (forms[backslash] === undefined && code === backslash && text.startsWith(longRun, at)) return undefined;
  if (code !== ellipsis && isUnfinished(text, at, mark)) return { end: mark, shownAs: "" };
  const codes = readings(text, at).flatMap((reading) =>
    reading.code === backslash ? [backslash, text.charCodeAt(reading.end)] : [reading.code],
  );
  const candidates = [...new Set(codes.map(fold))].flatMap((first) => forms[first]?.all ?? []);
  return longestOf(text, at, candidates, mark);
}

function longestOf(text: string, at: number, forms: readonly Form[], mark: number): Match | undefined {
  let longest: Match | undefined;
  for (const form of forms) {
    // A secret of the environment may begin like a mark, which does not cut it off then.
    const end = endOf(form.text, text, at, mark > at ? mark : none);
    if (end === cut) return { end: mark, shownAs: "" };
    if (end > (longest?.end ?? at)) longest = { end, shownAs: form.shownAs };
  }
  return longest;
}

const none = -1;
const cut = -2;
const notSearched = -3;

/** The end of the form that begins at `start`; `none` if it is not there, `cut` if a mark cuts it off. */
function endOf(form: string, text: string, start: number, mark: number): number {
  let index = 0;
  for (; index < form.length; index += 1) {
    const code = text.charCodeAt(start + index);
    if (isSpecial(code)) break;
    if (fold(code) !== form.charCodeAt(index)) return none;
  }
  if (index === form.length) return start + index;
  const wanted = form.charCodeAt(index);
  const mayBeQuotation = wanted === backslash || wanted === quotationMark;
  if (!mayBeQuotation && index > 0 && isQuotation(text, start + index)) return none;
  // Up to the first escape there is only one reading.
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
 * Reads the character `wanted` at each of the places. `ends`: where reading continues; `read`: the places including
 * those after backslashes and line breaks, which an encoder may have inserted before it.
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

/** One way to read the character at a place, and where the next one begins. */
interface Reading {
  readonly code: number;
  readonly end: number;
}

const backslash = 0x5c;
const quotationMark = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const ellipsis = 0x2026;
const deepest = 64;
const longRun = "\\".repeat(deepest + 1);
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** All readings at a place: the character itself, and the character of an escape (JSON, URL, HTML, XML, shell; nested too). */
function readings(text: string, at: number): Reading[] {
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

/** Whether at most an incomplete escape is between this place and a mark of `excerpt`. */
function isUnfinished(text: string, at: number, mark: number): boolean {
  if (mark - at < 0 || mark - at > 5 * deepest) return false;
  const unfinished =
    /(?:\\{0,64}(?:u0{0,2}[0-9a-f]?|x[0-9a-f]?)?|%(?:25){0,64}[0-9a-f]?|&(?:amp;){0,64}(?:#0{0,8}[0-9]{0,3}|#x0{0,8}[0-9a-f]{0,2}|[a-z]{0,4})|'(?:\\'?|"(?:'"?)?)?)(?=… \([0-9,]+ (?:more )?characters\))/iy;
  unfinished.lastIndex = at;
  return unfinished.test(text);
}

function formsByFirst(secrets: readonly Secret[]): FormsByFirst {
  const byFirst: FormsOfFirst[] = [];
  for (const { key, shownAs } of secrets) {
    const spellings = [key, key.toLowerCase(), key.toUpperCase()];
    const texts = [key, ...spellings.flatMap((spelling) => [inHexadecimal(spelling), ...inBase64(spelling)])];
    for (const text of new Set(texts.map(folded))) {
      const [first, second] = [text.charCodeAt(0), text.charCodeAt(1)];
      byFirst[first] ??= { isShort: false, all: [], bySecond: [] };
      const group = byFirst[first];
      const form = { text, shownAs };
      group.all.push(form);
      if (text.length === 1) group.isShort = true;
      group.bySecond[second] ??= [];
      group.bySecond[second].push(form);
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
 * The text in base64, also as part of a longer text such as `user:key`: for each offset of 0, 1 or 2 bytes, the
 * characters that depend only on this text, and the same with its last characters and padding.
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

/** Makes upper and lower case equal, and the two alphabets of base64. */
function fold(code: number): number {
  if (code > 0x5f) return code;
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  if (code === 0x2d) return 0x2b;
  return code === 0x5f ? 0x2f : code;
}

/** Whether the character may begin an escape, a line break or a mark of `excerpt`. */
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
