/**
 * Removes keys from everything that is shown or written. k6 and Node share it, so it uses only the language itself:
 * k6 has no Buffer, TextEncoder or URL.
 *
 * What is hidden, in upper or lower case, and however its characters are escaped (`escapes`):
 * - a whole key, alone or within `user:key`, also in base64 or hexadecimal. The name of its variable replaces it;
 * - each run of 8 characters or more of a key, and of 12 or more of its base64 or hexadecimal. So no half of a key of 16
 *   characters is left where a target returns the halves at two places, or where a cut or a lost connection ends a body.
 *   A text that no shell expands replaces it, since it is no key.
 *
 * What is not hidden, so that ordinary texts stay readable:
 * - shorter runs, also at a cut;
 * - runs of words, short numbers and alphabets, such as `catalog-staging` of the key `catalog-staging-1`, which is also a host. Of a key
 *   of words only the whole is a secret;
 * - a key in smaller pieces, reversed, encrypted, compressed or hashed: any text could be one.
 *
 * Why 8: in 24 MB of documentation and code, 529 runs of 5 characters of 300 random keys occur, 4 of 6, none of 7 or more.
 * Of 12 keys of words such as `staging-api-key`, 576 runs of 8 occur and 23 of 12, but none that has a part which is no word.
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

/** What is shown in place of the secret in a variable: a shell expands it. */
export function placeholderOf(variable: string): string {
  return `$${variable}`;
}

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

/** Replaces keys and their parts. */
export interface TextRedaction {
  redact(text: string): string;
  /** The text without keys, then cut to `length` characters, with a mark that gives the original length. */
  excerpt(text: string, length: number): string;
}

/** Creates a redaction. Empty keys are ignored. What it looks for is built at the first use, to save memory in k6. */
export function createRedaction(
  secrets: readonly Secret[],
  { parts = true }: { readonly parts?: boolean } = {},
): TextRedaction {
  const given = secrets.filter(({ key }) => key !== "");
  const longest = Math.max(0, ...given.map(({ key }) => key.length));
  let index: Index | undefined;

  function redact(text: string): string {
    if (given.length === 0) return text;
    index ??= indexOf(given, parts);
    let result = "";
    let copied = 0;
    for (const { from, to, shownAs } of withoutOverlaps(matchesIn(text, index))) {
      result += text.slice(copied, from) + shownAs;
      copied = to;
    }
    return result + text.slice(copied);
  }

  return {
    redact,
    excerpt(text, length) {
      // Long enough for a key at the cut to be complete, so that its name can replace it.
      const window = text.slice(0, 2 * length + longestEscape * longest);
      const clean = redact(window);
      if (window === text && clean.length <= length) return clean;
      const end = isHighSurrogate(clean.charCodeAt(length - 1)) ? length - 1 : length;
      return clean.slice(0, end) + markOf(text);
    },
  };
}

/** The mark that `excerpt` appends to a cut text. */
export function markOf(text: string): string {
  return `… (${text.length} characters)`;
}
const longestEscape = 8;

/** Where something is hidden, and what replaces it. */
interface Match {
  readonly from: number;
  to: number;
  readonly form: Form;
  readonly shownAs: string;
}

/** The leftmost and longest ones; of a part, what does not belong to a key. */
function withoutOverlaps(matches: Match[]): Match[] {
  const isKey = ({ form, shownAs }: Match) => shownAs === form.shownAs;
  matches.sort((a, b) => a.from - b.from || Number(isKey(b)) - Number(isKey(a)) || b.to - a.to);
  const kept: Match[] = [];
  for (const match of matches) {
    const last = kept.at(-1);
    if (last === undefined || match.from >= last.to) kept.push(match);
    else if (isKey(match) && !isKey(last) && match.to >= last.to) {
      last.to = match.from;
      if (last.from === last.to) kept.pop();
      kept.push(match);
    } else if (match.to - last.to >= leastOfKey) {
      kept.push({ ...match, from: last.to, shownAs: match.form.partShownAs });
    }
  }
  return kept;
}

// How a character is spelled. A text and a key are read alike, so that a key with escapes in itself is found too.

/** Backslashes of a string within a string within a string. */
const backslashes = String.raw`(?<!\\)\\+`;
const ampersand = "&(?:amp;)*";
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Each escape, also of an escape, with the group that spells a character. */
const escapes: readonly (readonly [source: string, read: (spelled: string) => string])[] = [
  // JSON and JavaScript
  [`${backslashes}(?:u00|x)([0-9a-f]{2})`, fromHexadecimal],
  [`${backslashes}([^a-z0-9\\\\])`, asItIs],
  // Line breaks, which wrap base64, and a backslash that escapes nothing
  [`${backslashes}([nr]?)`, () => ""],
  ["([\\r\\n]+)(?! )", () => ""],
  // URLs
  ["%(?:25)*([0-9a-f]{2})", fromHexadecimal],
  // HTML and XML
  [`${ampersand}#0*([0-9]{1,3});`, (decimal) => String.fromCharCode(Number(decimal))],
  [`${ampersand}#x0*([0-9a-f]{1,2});`, fromHexadecimal],
  [`${ampersand}(${Object.keys(named).join("|")});`, (name) => named[name.toLowerCase()] ?? ""],
  // JSON Pointers
  ["~([01])", (digit) => (digit === "0" ? "~" : "/")],
  // A shell's quotes
  [`'(?:\\\\'|"'")(')`, asItIs],
];

function fromHexadecimal(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function asItIs(character: string): string {
  return character;
}

/** A text whose escapes are read. */
interface ReadText {
  readonly text: string;
  /** Where a character of it is in the original. */
  original(place: number): { readonly from: number; readonly to: number };
}

/** Escapes may stand within each other: a URL in JSON in HTML. */
const deepest = 3;

/** Undefined if there is no escape. */
function readEscapes(outer: ReadText, anyEscape: RegExp): ReadText | undefined {
  let text = "";
  let copied = 0;
  /** Where each escape was, and where its character ends in the result. */
  const read: {
    readonly from: number;
    readonly to: number;
    readonly end: number;
    readonly spells: boolean;
  }[] = [];
  for (const match of outer.text.matchAll(anyEscape)) {
    const group = match.findIndex((spelled, at) => at > 0 && spelled !== undefined);
    const character = escapes[group - 1]?.[1](match[group] ?? "") ?? "";
    text += outer.text.slice(copied, match.index) + character;
    copied = match.index + match[0].length;
    read.push({ from: match.index, to: copied, end: text.length, spells: character !== "" });
  }
  if (copied === 0) return undefined;
  return {
    text: text + outer.text.slice(copied),
    original(place) {
      const before = read.findLastIndex(({ end }) => end <= place);
      const next = read[before + 1];
      if (next?.spells && next.end === place + 1)
        return { from: outer.original(next.from).from, to: outer.original(next.to - 1).to };
      const { to = 0, end = 0 } = read[before] ?? {};
      return outer.original(to + place - end);
    },
  };
}

function itself(place: number) {
  return { from: place, to: place + 1 };
}

function withoutEscapes(text: string, anyEscape: RegExp): string {
  let read = text;
  for (let depth = 0; depth < deepest; depth += 1)
    read = readEscapes({ text: read, original: itself }, anyEscape)?.text ?? read;
  return read;
}

/** In the text as it is, and with its escapes read. */
function matchesIn(text: string, index: Index): Match[] {
  const found: Match[] = [];
  let read: ReadText | undefined = { text, original: itself };
  for (let depth = 0; depth <= deepest && read !== undefined; depth += 1) {
    const { original } = read;
    for (const match of search(read.text, index))
      found.push({ ...match, from: original(match.from).from, to: original(match.to - 1).to });
    read = readEscapes(read, index.anyEscape);
  }
  return found;
}

// How a key is spelled as a whole.

/** One spelling of a key, folded like the texts that it is compared with. */
interface Form {
  readonly text: string;
  /** With its case, if words in it are to be recognised. */
  readonly plain: string | undefined;
  readonly shownAs: string;
  readonly partShownAs: string;
  /** How many characters of it are hidden at least. */
  readonly least: number;
}

const leastOfKey = 8;
const leastOfEncoding = 12;

/** All forms of a key: as it is, in base64 and in hexadecimal, also of the key in one case. */
function formsOf({ key, shownAs }: Secret, read: string, parts: boolean): Form[] {
  const partShownAs = `[part of ${/\w+/.exec(shownAs)?.[0] ?? shownAs}]`;
  const form = (text: string, least: number, plain?: string): Form => ({
    text: folded(text),
    plain,
    shownAs,
    partShownAs,
    least: parts && key.length >= shortestKey ? Math.min(text.length, least) : text.length,
  });
  const encoded = [key, key.toLowerCase(), key.toUpperCase()].flatMap((one) => [
    inHexadecimal(one),
    ...inBase64(one),
  ]);
  return [
    ...[key, read].map((text) => form(text, leastOfKey, text)),
    ...encoded.map((text) => form(text, leastOfEncoding)),
  ];
}

/**
 * Whether these characters occur where there is no key, also in results and scripts: words or short numbers with others between,
 * such as `api-key-2024` or `otherOrg`, or an alphabet.
 */
function areWords(text: string): boolean {
  if (alphabets.some((one) => one.includes(text.toLowerCase()))) return true;
  return /[a-z]{3}/i.test(text) && text.split(/[^a-z0-9]+/i).every((piece) => word.test(piece));
}

const word = /^(?:[A-Z]?[a-z]{0,12}|[A-Z]{0,12}|[A-Z]?[a-z]{2,12}(?:[A-Z][a-z]{2,12})+)[0-9]{0,4}$/;

function inHexadecimal(text: string): string {
  return bytesOf(text)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const alphabets = [alphabet.toLowerCase(), "0123456789abcdef"];

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

// How the forms are found.

/**
 * The forms by each few characters in a row. Whatever is hidden has `least` characters, so only each `step`th place of a
 * text must be looked at: one of these few characters begins there.
 */
interface Index {
  readonly anyEscape: RegExp;
  readonly few: number;
  readonly step: number;
  readonly places: ReadonlyMap<string, readonly { readonly form: Form; readonly at: number }[]>;
}

function indexOf(secrets: readonly Secret[], parts: boolean): Index {
  // Keys rarely have quotation marks, and `\"` is the most frequent escape of a report, since bodies are strings of JSON.
  const passedOver = secrets.some(({ key }) => key.includes('"')) ? "" : '(?!\\\\")';
  const anyEscape = new RegExp(`${passedOver}(?:${escapes.map(([source]) => source).join("|")})`, "gi");
  const forms = new Map<string, Form>();
  for (const secret of secrets) {
    for (const form of formsOf(secret, withoutEscapes(secret.key, anyEscape), parts))
      if (form.text !== "" && !forms.has(form.text)) forms.set(form.text, form);
  }
  const least = Math.min(...[...forms.values()].map((form) => form.least));
  const few = Math.min(4, least);
  const places = new Map<string, { form: Form; at: number }[]>();
  for (const form of forms.values()) {
    for (let at = 0; at + few <= form.text.length; at += 1) {
      const characters = form.text.slice(at, at + few);
      const known = places.get(characters);
      if (known === undefined) places.set(characters, [{ form, at }]);
      else known.push({ form, at });
    }
  }
  return { anyEscape, few, step: least - few + 1, places };
}

function search(text: string, { few, step, places }: Index): Match[] {
  const found: Match[] = [];
  const compared = folded(text);
  for (let at = 0, next = step; at + few <= text.length; at = next, next = at + step) {
    for (const { form, at: inForm } of places.get(compared.slice(at, at + few)) ?? []) {
      const match = matchAround(compared, at, form, inForm);
      if (match === undefined) continue;
      found.push(match);
      next = Math.max(next, match.to);
    }
  }
  return found;
}

/** The run around a place where text and form agree, if it is hidden. */
function matchAround(text: string, at: number, form: Form, inForm: number): Match | undefined {
  const shift = at - inForm;
  const agree = (place: number) => text.charCodeAt(place + shift) === form.text.charCodeAt(place);
  let [from, to] = [inForm, inForm];
  while (from > 0 && agree(from - 1)) from -= 1;
  while (to < form.text.length && agree(to)) to += 1;
  if (to - from < form.least) return undefined;
  const isWhole = to - from === form.text.length;
  if (!isWhole && form.plain !== undefined && areWords(form.plain.slice(from, to))) return undefined;
  return { from: from + shift, to: to + shift, form, shownAs: isWhole ? form.shownAs : form.partShownAs };
}

/** Makes upper and lower case equal, and the two alphabets of base64. Each character keeps its place: İ would become two. */
function folded(text: string): string {
  return text.replaceAll("İ", "i").toLowerCase().replaceAll("-", "+").replaceAll("_", "/");
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
