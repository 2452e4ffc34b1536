/**
 * Removes keys from everything that is shown or written. k6 and Node share it, so it uses only the language itself:
 * k6 has no Buffer, TextEncoder or URL.
 *
 * What is hidden, in upper or lower case, and however its characters are escaped (`anyEscape`), also twice:
 * - a whole key, alone or within `user:key`, also in base64 or hexadecimal. The name of its variable replaces it;
 * - each run of 8 characters or more of a key, and of 12 or more of its base64 or hexadecimal: a target may return halves of it
 *   at two places, and a cut or a lost connection may end a body. A text that no shell expands replaces it, since it is no key.
 *
 * What is not hidden, so that ordinary texts stay readable: shorter runs; runs of words, short numbers and alphabets, such as
 * `catalog-staging` of the key `catalog-staging-1`, which is also a host; a key that is encrypted, compressed or hashed.
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

/** A shorter key could occur by chance in words, prices or markup, which its redaction would damage. */
export const shortestKey = 8;

/** For values of several words, as `Basic dXNlcjpwYXNz` or a cookie: an echo may contain only some of them. */
export function secretsOfHeader(value: string, shownAs: string): Secret[] {
  const parts = value.split(/[ ,;=]/).filter((part) => part.length >= shortestKey);
  return [...new Set([value, ...parts])].map((key) => ({ key, shownAs }));
}

export interface TextRedaction {
  redact(text: string): string;
  /** The text without keys, then cut to `length` characters, with a mark that gives the original length. */
  excerpt(text: string, length: number): string;
}

interface RedactionOptions {
  /** Whether parts of keys are hidden. Default: true */
  readonly parts?: boolean;
  /** Keeps results for texts that recur. Default: it does not, to save memory in k6 */
  readonly remembering?: (redact: (text: string) => string) => (text: string) => string;
}

/** Empty keys are ignored. What it looks for is built at the first use, to save memory in k6. */
export function createRedaction(
  secrets: readonly Secret[],
  { parts = true, remembering = (hide) => hide }: RedactionOptions = {},
): TextRedaction {
  const longest = Math.max(0, ...secrets.map(({ key }) => key.length));
  let forms: Form[] | undefined;
  let expression: RegExp | undefined;

  const redact = remembering((text) => {
    forms ??= secrets.flatMap((secret) => formsOf(secret, parts));
    if (forms.length === 0) return text;
    expression ??= expressionFor(forms);
    let result = "";
    let copied = 0;
    for (const { from, to, form, isWhole } of withoutOverlaps(matchesIn(text, forms, expression))) {
      result += text.slice(copied, from) + (isWhole ? form.shownAs : form.partShownAs);
      copied = to;
    }
    return result + text.slice(copied);
  });

  return {
    redact,
    excerpt(text, length) {
      // Long enough for a key at the cut to be complete, so that its name can replace it.
      const window = text.slice(0, 2 * length + longestEscape * longest);
      const clean = redact(window);
      if (window === text && clean.length <= length) return clean;
      const last = clean.charCodeAt(length - 1);
      const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
      return clean.slice(0, isHighSurrogate ? length - 1 : length) + markOf(text);
    },
  };
}

/** The mark that `excerpt` appends to a cut text. */
export function markOf(text: string): string {
  return `… (${text.length} characters)`;
}
const longestEscape = 8;

/** Where a form or a part of it is hidden. */
interface Match {
  readonly from: number;
  readonly to: number;
  readonly form: Form;
  readonly isWhole: boolean;
}

/** Each stretch once. Where several overlap, a whole key names it. */
function withoutOverlaps(matches: Match[]): Match[] {
  matches.sort((a, b) => a.from - b.from || Number(b.isWhole) - Number(a.isWhole) || b.to - a.to);
  const kept: Match[] = [];
  for (const match of matches) {
    const last = kept.at(-1);
    if (last === undefined || match.from >= last.to) kept.push(match);
    else {
      const name = match.isWhole && !last.isWhole ? match : last;
      kept.splice(-1, 1, { ...name, from: last.from, to: Math.max(last.to, match.to) });
    }
  }
  return kept;
}

// How a character is spelled. Texts and keys are read alike, so that a key with escapes in itself is found.

/** Backslashes of a string within a string within a string. */
const backslashes = "(?<!\\\\)\\\\+";
const ampersand = "&(?:amp;)*";

/** Each escape, also of an escape; groups as in `characterOf`. Pure, so that only what redacts in k6 has it. */
const anyEscape = /* @__PURE__ */ new RegExp(
  /* @__PURE__ */ [
    // By number: JSON and JavaScript, URLs, HTML
    `${backslashes}(?:u00|x)([0-9a-f]{2})`,
    "%(?:25)*([0-9a-f]{2})",
    `${ampersand}#x0*([0-9a-f]{1,2});`,
    `${ampersand}#0*([0-9]{1,3});`,
    // By name: HTML, JSON Pointers
    `${ampersand}(amp|lt|gt|quot|apos);`,
    "~([01])",
    // JSON, a shell's quotes
    `${backslashes}([^a-z0-9\\\\])`,
    `'(?:\\\\'|"'")(')`,
    // Line breaks, which wrap base64, and a backslash that escapes nothing
    `${backslashes}[nr]?`,
    "[\\r\\n]+(?! )",
  ].join("|"),
  "gi",
);
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function characterOf(groups: readonly string[]): string {
  const [, json, url, html, decimal, name, pointer, escaped, quoted] = groups;
  const hexadecimal = json ?? url ?? html;
  if (hexadecimal !== undefined) return String.fromCharCode(Number.parseInt(hexadecimal, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  if (pointer !== undefined) return pointer === "0" ? "~" : "/";
  return named[name?.toLowerCase() ?? ""] ?? escaped ?? quoted ?? "";
}

/** A text whose escapes are read, and where a range of it is in the original. */
interface ReadText {
  readonly text: string;
  original(from: number, to: number): readonly [from: number, to: number];
}

/** Escapes may stand within each other: a URL in HTML. */
const deepest = 2;

/** The text as it is, and with its escapes read. */
function viewsOf(original: string): ReadText[] {
  const views: ReadText[] = [{ text: original, original: (from, to) => [from, to] }];
  for (const outer of views) {
    const text = outer.text.replaceAll(anyEscape, (...match) => characterOf(match));
    if (views.length > deepest || text === outer.text) break;
    // Made when a key is found, which is rare.
    let places: Uint32Array | undefined;
    views.push({
      text,
      original(from, to) {
        places ??= placesIn(outer.text);
        return outer.original(places[2 * from] ?? 0, places[2 * to - 1] ?? 0);
      },
    });
  }
  return views;
}

/** Where each character is spelled: its beginning, then its end. In numbers, to save memory in k6. */
function placesIn(text: string): Uint32Array {
  const places = new Uint32Array(2 * text.length);
  let count = 0;
  let at = 0;
  function add(end: number): void {
    places.set([at, end], count);
    count += 2;
    at = end;
  }
  for (const match of text.matchAll(anyEscape)) {
    while (at < match.index) add(at + 1);
    const end = at + match[0].length;
    if (characterOf(match) === "") at = end;
    else add(end);
  }
  while (at < text.length) add(at + 1);
  return places;
}

// How a key is spelled as a whole.

/** One spelling of a key, folded like the texts that it is compared with. */
interface Form {
  readonly text: string;
  /** With its case, if words in it are to be recognised. */
  readonly plain?: string;
  readonly shownAs: string;
  readonly partShownAs: string;
  /** How many characters of it are hidden at least, and how many from its first one on are the whole key. */
  readonly least: number;
  readonly whole: number;
}

const leastOfKey = 8;
const leastOfEncoding = 12;

/** All forms of a key: as it is, in hexadecimal and in base64, also of the key in one case. */
function formsOf({ key, shownAs }: Secret, parts: boolean): Form[] {
  const partShownAs = `[part of ${/(?<=\$\{?)\w+/.exec(shownAs) ?? shownAs}]`;
  const form = (text: string, atLeast: number, whole = text.length) => {
    const least = parts && key.length >= shortestKey ? Math.min(atLeast, whole) : whole;
    return { text: folded(text), shownAs, partShownAs, least, whole };
  };
  const plain = viewsOf(key).map(({ text }) => ({ ...form(text, leastOfKey), plain: text }));
  const encoded = [key, key.toLowerCase(), key.toUpperCase()].flatMap((text) => {
    const bytes = Array.from(text, (one) => one.charCodeAt(0) & 0xff);
    const digits = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const inBase64 = [0, 1, 2].map((offset) => base64(bytes, offset));
    return [[digits] as const, ...inBase64].map(([all, whole]) => form(all, leastOfEncoding, whole));
  });
  return [...plain, ...encoded].filter(({ whole }) => whole > 0);
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 of bytes after `offset` others, without what depends on those, and how much is whole without the next. */
function base64(bytes: readonly number[], offset: number): [text: string, whole: number] {
  const bits = [...Array<number>(offset).fill(0), ...bytes]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  const characters = (bits.match(/.{1,6}/g) ?? []).map((six) =>
    alphabet.charAt(Number.parseInt(six.padEnd(6, "0"), 2)),
  );
  const padding = "=".repeat((4 - (characters.length % 4)) % 4);
  const begin = Math.ceil((offset * 8) / 6);
  return [characters.slice(begin).join("") + padding, Math.floor(bits.length / 6) - begin];
}

/**
 * Whether these occur where there is no key, also in results and scripts: words or short numbers with others
 * between, such as `api-key-2024` or `otherOrg`, or an alphabet.
 */
function areWords(text: string): boolean {
  if (`${alphabet.toLowerCase()} 0123456789abcdef`.includes(text.toLowerCase())) return true;
  return /[a-z]{3}/i.test(text) && text.split(/[^a-z0-9]+/i).every((piece) => word.test(piece));
}

const word = /^(?:[A-Z]?[a-z]{0,12}|[A-Z]{0,12}|[A-Z]?[a-z]{2,12}(?:[A-Z][a-z]{2,12})+)[0-9]{0,4}$/;

/** Makes equal: cases, and the two alphabets of base64. Each character keeps its place: İ would become two. */
function folded(text: string): string {
  return text.replaceAll("İ", "i").toLowerCase().replaceAll("-", "+").replaceAll("_", "/");
}

// How the forms are found.

/** Finds four characters of the forms, from so many places of each that what is hidden has some of them. */
function expressionFor(forms: readonly Form[]): RegExp {
  const few = Math.min(4, ...forms.map(({ least }) => least));
  const all = new Set<string>();
  for (const { text, least } of forms) {
    for (let at = 0; at + few <= text.length; at += least - few + 1) all.add(text.slice(at, at + few));
  }
  const literals = [...all].map((characters) => characters.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  return new RegExp(literals.join("|"), "g");
}

function matchesIn(text: string, forms: readonly Form[], expression: RegExp): Match[] {
  const matches: Match[] = [];
  for (const view of viewsOf(text)) {
    const compared = folded(view.text);
    expression.lastIndex = 0;
    for (let found = expression.exec(compared); found !== null; found = expression.exec(compared)) {
      let after = found.index + 1;
      for (const form of forms) {
        let at = form.text.indexOf(found[0]);
        for (; at >= 0; at = form.text.indexOf(found[0], at + 1)) {
          const match = matchAround(compared, found.index, form, at);
          if (match === undefined) continue;
          const [from, to] = view.original(match.from, match.to);
          // Of two secrets that differ in case, the one that it is.
          const own = view.text.slice(match.from, match.to);
          matches.push({ ...match, from, to, form: forms.find(({ plain }) => plain === own) ?? form });
          after = Math.max(after, match.to);
        }
      }
      expression.lastIndex = after;
    }
  }
  return matches;
}

/** The run around a place where text and form agree, if it is hidden. */
function matchAround(text: string, at: number, form: Form, inForm: number): Match | undefined {
  const shift = at - inForm;
  const agree = (place: number) => text.charCodeAt(place + shift) === form.text.charCodeAt(place);
  let [from, to] = [inForm, inForm];
  while (from > 0 && agree(from - 1)) from -= 1;
  while (to < form.text.length && agree(to)) to += 1;
  if (to - from < form.least) return undefined;
  const isWhole = from === 0 && to >= form.whole;
  if (!isWhole && form.plain !== undefined && areWords(form.plain.slice(from, to))) return undefined;
  return { from: from + shift, to: to + shift, form, isWhole };
}
