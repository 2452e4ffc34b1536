/**
 * The table of spellings: how a target, an encoder or a shell may write a key. An escape spells one character, an
 * encoding the whole key. k6 and Node share it, so it uses only the language itself: k6 has no Buffer or URL.
 */

/** A key of visible ASCII characters, and the text that replaces it. */
export interface Secret {
  readonly key: string;
  readonly shownAs: string;
}

/**
 * Minimum length of a key. A shorter one could occur by chance in words, prices or markup, which its redaction would
 * damage.
 */
export const shortestKey = 8;

/** One spelling of a whole key, before escapes and folded like the texts that it is compared with. */
export interface Form {
  readonly text: string;
  /** What replaces it. */
  readonly shownAs: string;
  /** What replaces a part of it. */
  readonly partShownAs: string;
  /** The least part that is hidden: a number of characters. */
  readonly least: number;
  /** The key with its case, if this is no encoding. */
  readonly plain?: string;
}

export const backslash = 0x5c;
export const quotationMark = 0x22;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
const ellipsis = 0x2026;

/** Levels of escapes within escapes that are read: JSON in a string of JSON in a string of JSON. */
const deepest = 3;
const backslashes = `\\\\{1,${2 ** deepest}}`;
const ampersand = `&(?:amp;){0,${deepest}}`;
const percentSign = `%(?:25){0,${deepest}}`;

const named: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  ast: "*",
  bsol: "\\",
  colon: ":",
  comma: ",",
  commat: "@",
  dollar: "$",
  equals: "=",
  excl: "!",
  grave: "`",
  gt: ">",
  hat: "^",
  lcub: "{",
  lowbar: "_",
  lpar: "(",
  lsqb: "[",
  lt: "<",
  num: "#",
  percnt: "%",
  period: ".",
  plus: "+",
  quest: "?",
  quot: '"',
  rcub: "}",
  rpar: ")",
  rsqb: "]",
  semi: ";",
  sol: "/",
  verbar: "|",
};

/** One kind of escape: an expression, and the code of the character that its group spells. */
type Escape<Expression> = readonly [Expression, (spelled: string) => number];

/** By the character that begins the escape. */
const escapes: Readonly<Record<string, readonly Escape<string>[]>> = {
  // JSON, JavaScript
  "\\": [
    [`${backslashes}(?:u00|x)([0-9a-f]{2})`, fromHexadecimal],
    [`${backslashes}([nr])`, () => lineFeed],
    [`(${backslashes})`, () => backslash],
  ],
  // URL
  "%": [
    [`${percentSign}([0-9a-f]{2})`, fromHexadecimal],
    [`(${percentSign})`, () => codeOf("%")],
  ],
  // HTML, XML
  "&": [
    [`${ampersand}#0{0,8}([0-9]{1,3});`, Number],
    [`${ampersand}#x0{0,8}([0-9a-f]{1,2});`, fromHexadecimal],
    [`${ampersand}(${Object.keys(named).join("|")});`, (name) => codeOf(named[name.toLowerCase()] ?? "")],
    [`(${ampersand})`, () => codeOf("&")],
  ],
  // JSON Pointer
  "~": [["~([01])", (digit) => codeOf(digit === "0" ? "~" : "/")]],
  // a shell
  "'": [[`'\\\\''|'"'"'`, () => codeOf("'")]],
};

/** How many characters each level adds to an escaped character that begins escapes itself. */
const steps: Readonly<Record<string, number>> = { "\\": 1, "%": 2, "&": 4 };

/** One way to read the character at a place, and where the next one begins. */
export interface Reading {
  readonly code: number;
  readonly end: number;
}

/** By code; compiled at the first use, since most virtual users of k6 never redact. */
let compiled: readonly (readonly Escape<RegExp>[] | undefined)[] | undefined;

/** All readings at a place: the character itself, and those that an escape there spells. */
export function readings(text: string, at: number): Reading[] {
  const code = text.charCodeAt(at);
  const found: Reading[] = [{ code, end: at + 1 }];
  if (!beginsEscape(code)) return found;
  compiled ??= compile();
  for (const [expression, spelled] of compiled[code] ?? []) {
    expression.lastIndex = at;
    const match = expression.exec(text);
    if (match !== null) found.push({ code: spelled(match[1] ?? ""), end: at + match[0].length });
  }
  // Of fewer levels: a key may itself contain two backslashes, or `%25`.
  const step = steps[text.charAt(at)];
  if (step === undefined) return found;
  for (let end = (found.at(-1)?.end ?? 0) - step; end > at + 1; end -= step) found.push({ code, end });
  return found;
}

function compile(): (readonly Escape<RegExp>[])[] {
  const byCode: (readonly Escape<RegExp>[])[] = [];
  for (const [first, ofFirst] of Object.entries(escapes)) {
    byCode[codeOf(first)] = ofFirst.map(([source, spelled]) => [new RegExp(source, "iy"), spelled]);
  }
  return byCode;
}

/** The beginning of an escape that a cut mark interrupts. */
const unfinished = new RegExp(
  String.raw`(?:\\{0,8}(?:u0{0,2}[0-9a-f]?|x[0-9a-f]?)?|${percentSign}[0-9a-f]?|${ampersand}(?:#0{0,8}[0-9]{0,3}|#x0{0,8}[0-9a-f]{0,2}|[a-z]{0,6})|~|'(?:\\'?|"(?:'"?)?)?)(?=… \([0-9,]+ (?:more )?characters\))`,
  "iy",
);
const longestUnfinished = 32;

/** Whether nothing, or only the beginning of an escape, is between this place and the mark of a cut text at `mark`. */
export function isUnfinished(text: string, at: number, mark: number): boolean {
  if (mark < at || mark > at + longestUnfinished) return false;
  unfinished.lastIndex = at;
  return unfinished.test(text);
}

/** Whether the character begins an escape: `%`, `&`, `'`, a backslash or `~`. */
export function beginsEscape(code: number): boolean {
  return (code >= 0x25 && code <= 0x27) || code === backslash || code === 0x7e;
}

/** Whether the character begins an escape, a line break within a key, or a mark of a cut text. */
export function isSpecial(code: number): boolean {
  return beginsEscape(code) || code === lineFeed || code === carriageReturn || code === ellipsis;
}

/** Makes upper and lower case equal, and the two alphabets of base64. */
export function fold(code: number): number {
  if (code > 0x5f) return code;
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  if (code === 0x2d) return 0x2b;
  return code === 0x5f ? 0x2f : code;
}

/** A text with every character folded. */
export function folded(text: string): string {
  return Array.from({ length: text.length }, (_, at) => String.fromCharCode(fold(text.charCodeAt(at)))).join(
    "",
  );
}

/** All forms of a key: as it is, reversed, in base64 and in hexadecimal, also of the key in one case. */
export function formsOf({ key, shownAs }: Secret): Form[] {
  const name = /\w+/.exec(shownAs)?.[0] ?? shownAs;
  const partShownAs = `[part of ${name}]`;
  const plain: Form = { text: folded(key), shownAs, partShownAs, least: leastPart(key), plain: key };
  const backwards = Array.from(key).reverse().join("");
  const reversed: Form = { ...plain, text: folded(backwards), shownAs: partShownAs, plain: backwards };
  const encoded = [key, key.toLowerCase(), key.toUpperCase()].flatMap((one) => [
    inHexadecimal(one),
    ...inBase64(one),
  ]);
  const ofTexts = [...new Set(encoded.map(folded))].map((text) => ({
    text,
    shownAs,
    partShownAs,
    least: mostOfPart,
  }));
  return [plain, ...(key.length >= shortestKey && key !== backwards ? [reversed] : []), ...ofTexts];
}

const fewestOfPart = 8;
const mostOfPart = 12;

/** How long a part of a key is at least that is hidden: see redaction.ts. */
function leastPart(key: string): number {
  return Math.min(mostOfPart, Math.max(fewestOfPart, Math.ceil(key.length / 2)));
}

/** Whether a part of a form is hidden: it is long enough, and not a short one of words such as `catalog-s`. */
export function isTelling({ least, plain }: Form, from: number, length: number): boolean {
  if (length < least) return false;
  if (length >= mostOfPart || plain === undefined) return true;
  return !plain
    .slice(from, from + length)
    .split(/[-_.:]/)
    .every((word) => /^(?:[A-Za-z]?[a-z]*|[A-Z]+)$/.test(word));
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

function fromHexadecimal(digits: string): number {
  return Number.parseInt(digits, 16);
}

function codeOf(character: string): number {
  return character.charCodeAt(0);
}
