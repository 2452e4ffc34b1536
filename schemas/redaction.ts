/**
 * Removes keys from everything that is shown or written. k6 and Node share it.
 *
 * What is hidden, however its characters are escaped, and in upper or lower case (`spellings.ts`):
 * - a whole key, also in base64, alone or within `user:key`, and in hexadecimal. The name of its variable replaces it;
 * - each part of a key, of the key reversed, or of one of these encodings, from half of the key on: at least 8 characters, and
 *   never more than 12. So neither half remains where a target returns the halves in two places, in the name of a field,
 *   or where a cut or a lost connection ends a body. A text that no shell expands replaces it, since it is no key;
 * - each beginning of a key, however short, before the mark of a cut text.
 *
 * What is not hidden, so that ordinary text stays readable:
 * - shorter parts: 7 characters such as `catalog` or `sk_live` say little of a key, and occur by chance;
 * - parts of 8 to 11 characters that are words, such as `catalog-s` of `catalog-staging-1`;
 * - parts that also occur in texts that are no secret, such as the base URL;
 * - a key in pieces shorter than that, with other characters between, or encrypted, compressed or hashed: any text could be one.
 */

import {
  backslash,
  beginsEscape,
  carriageReturn,
  type Form,
  fold,
  folded,
  formsOf,
  isSpecial,
  isTelling,
  isUnfinished,
  lineFeed,
  quotationMark,
  readings,
  type Secret,
  shortestKey,
} from "./spellings.ts";

export { type Secret, shortestKey } from "./spellings.ts";

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

/** For a value of several words, such as `Basic dXNlcjpwYXNz` or a cookie: an echo may contain only some of them. */
export function secretsOfHeader(value: string, shownAs: string): Secret[] {
  const parts = value.split(/[ ,;=]/).filter((part) => part.length >= shortestKey);
  return [...new Set([value, ...parts])].map((key) => ({ key, shownAs }));
}

/** Replaces keys and their parts. */
export interface TextRedaction {
  /** The text without keys. The beginning of a key right before a cut mark of `excerpt` is removed too. */
  redact(text: string): string;
  /** The text without keys, then cut to `length` characters, with a mark that gives the original length. */
  excerpt(text: string, length: number): string;
}

/** What is hidden of the keys. */
export interface RedactionOptions {
  /** Whether parts of keys are hidden too, and reversed keys. The default is true. */
  readonly parts?: boolean | undefined;
  /** Texts that are no secret: what a key has in common with them is not hidden alone. */
  readonly known?: readonly string[] | undefined;
}

/** Creates a redaction. Empty keys are ignored. Its tables are built at the first use, to save memory in k6. */
export function createRedaction(secrets: readonly Secret[], options: RedactionOptions = {}): TextRedaction {
  const given = secrets.filter(({ key }) => key !== "");
  const longest = Math.max(0, ...given.map(({ key }) => key.length));
  let index: Index | undefined;

  function redact(text: string): string {
    if (given.length === 0) return text;
    index ??= indexOf(given, options);
    const { kinds, may, hasQuotation } = index;
    // Not searched for before the loop: V8 would move that search into the loop, and repeat it for each character.
    let mark = notSearched;
    let reader = createReader(text, mark);
    let result = "";
    let copied = 0;
    let three = kindOf(text.charCodeAt(0)) * kindCount + kindOf(text.charCodeAt(1));
    for (let at = 0; at < text.length; ) {
      const code = text.charCodeAt(at + 2);
      let kind = code < ascii ? (kinds[code] ?? 0) : kindOf(code);
      // The most frequent escape in a report, since bodies are strings of JSON. It ends a key.
      if (code === backslash && !hasQuotation && text.charCodeAt(at + 3) === quotationMark) kind = anyOther;
      three = ((three * kindCount) & threeKinds) | kind;
      if (may[three] === 0) {
        at += 1;
        continue;
      }
      if (mark !== none && mark < at) {
        mark = text.indexOf(markBegins, at);
        reader = createReader(text, mark);
      }
      const found = matchAt(at, index, reader);
      if (found === undefined) {
        at += 1;
        continue;
      }
      result += text.slice(copied, at) + found.shownAs;
      at = found.end;
      copied = at;
      three = kindOf(text.charCodeAt(at)) * kindCount + kindOf(text.charCodeAt(at + 1));
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
const ascii = 128;
const none = -1;
const notSearched = -2;

/** A place in a form with which a match may begin: its first character, or that of a part. */
interface Start {
  readonly form: Form;
  readonly from: number;
  /** Whether a part that begins here is no secret. */
  readonly isKnown: boolean;
}

/**
 * The starts by the kinds of their first three characters: characters fall into 32 kinds, so that most places of a text are
 * passed over with one look into a small table.
 */
interface Index {
  readonly kinds: Uint8Array;
  /** Whether a match may begin with three kinds. */
  readonly may: Uint8Array;
  readonly byThree: ReadonlyMap<number, readonly Start[]>;
  readonly byFirst: ReadonlyMap<number, readonly Start[]>;
  /** Whether a key has a quotation mark or a backslash. */
  readonly hasQuotation: boolean;
  /** Whether a form has fewer than three characters. */
  readonly hasShort: boolean;
}

const kindCount = 32;
const threeKinds = kindCount ** 3 - 1;
/** The kind of characters that begin an escape, and of the end of a text: any character may be there. */
const special = 0;
const anyOther = kindCount - 1;

function kindOf(code: number): number {
  return Number.isNaN(code) || isSpecial(code) ? special : fold(code) % kindCount || anyOther;
}

function indexOf(secrets: readonly Secret[], { parts = true, known = [] }: RedactionOptions): Index {
  const byThree = new Map<number, Start[]>();
  const byFirst = new Map<number, Start[]>();
  const may = new Uint8Array(kindCount ** 3);
  may.fill(1, 0, kindCount ** 2);
  const texts = known.map(folded);
  const forms = secrets.flatMap(formsOf).filter((form) => parts || form.shownAs !== form.partShownAs);
  for (const form of forms) {
    const { text, least } = form;
    const last = parts ? Math.max(0, text.length - least) : 0;
    for (let from = 0; from <= last; from += 1) {
      const part = text.slice(from, from + least);
      const start = {
        form,
        from,
        isKnown: !parts || text.includes(markBegins) || texts.some((one) => one.includes(part)),
      };
      if (from > 0 && start.isKnown) continue;
      const first = kindOf(text.charCodeAt(from)) * kindCount ** 2;
      const second = first + kindOf(text.charCodeAt(from + 1)) * kindCount;
      const third = second + kindOf(text.charCodeAt(from + 2));
      add(byFirst, text.charCodeAt(from), start);
      add(byThree, third, start);
      may[third] = 1;
      may[second + special] = 1;
      may.fill(1, first, first + (text.length < 3 ? kindCount ** 2 : kindCount));
    }
  }
  return {
    kinds: Uint8Array.from({ length: ascii }, (_, code) => kindOf(code)),
    may,
    byThree,
    byFirst,
    hasQuotation: secrets.some(({ key }) => /[\\"]/.test(key)),
    hasShort: forms.some(({ text }) => text.length < 3),
  };
}

function add(starts: Map<number, Start[]>, key: number, start: Start): void {
  const known = starts.get(key);
  if (known === undefined) starts.set(key, [start]);
  else known.push(start);
}

interface Match {
  readonly end: number;
  readonly shownAs: string;
}

/**
 * What is hidden at this place: the longest key, otherwise the longest part up to where a key begins. A key that is cut off by
 * a mark of `excerpt` is removed without a name.
 */
function matchAt(at: number, index: Index, reader: Reader): Match | undefined {
  const { text, mark } = reader;
  if (beginsEscape(text.charCodeAt(at)) && isUnfinished(text, at, mark)) return { end: mark, shownAs: "" };
  const { whole, part } = longestAt(at, index, reader);
  if (whole !== undefined || part === undefined) return whole;
  for (let next = at + 1; next < part.end; next += 1) {
    if (longestAt(next, index, reader).whole !== undefined) return { ...part, end: next };
  }
  return part;
}

function longestAt(
  at: number,
  index: Index,
  reader: Reader,
): { readonly whole?: Match | undefined; readonly part?: Match | undefined } {
  let whole: Match | undefined;
  let part: Match | undefined;
  for (const { form, from, isKnown } of startsAt(at, index, reader)) {
    const { length, end, isCut } = walk(form.text, from, at, reader, index.hasQuotation);
    // A secret of the environment may begin like a mark, which does not cut it off then.
    if (isCut && from === 0 && at < end) return { whole: { end, shownAs: "" } };
    if (length === form.text.length) {
      if (end > (whole?.end ?? at)) whole = { end, shownAs: form.shownAs };
    } else if (!isKnown && at !== reader.mark && end > (part?.end ?? at) && isTelling(form, from, length)) {
      part = { end, shownAs: form.partShownAs };
    }
  }
  return { whole, part };
}

/** The starts that are possible at this place. */
function startsAt(
  at: number,
  { byThree, byFirst, hasShort }: Index,
  { text, next }: Reader,
): readonly Start[] {
  const first = text.charCodeAt(at);
  const second = kindOf(text.charCodeAt(at + 1));
  const third = kindOf(text.charCodeAt(at + 2));
  if (!beginsEscape(first) && second !== special && third !== special && !hasShort) {
    return byThree.get((kindOf(first) * kindCount + second) * kindCount + third) ?? [];
  }
  const found: Start[] = [];
  for (const option of next(at).options) {
    const starts = byFirst.get(option.code);
    if (starts === undefined || !isFirstOption(option)) continue;
    const after = next(option.end);
    for (const start of starts) {
      const wanted = start.form.text.charCodeAt(start.from + 1);
      const isPossible =
        Number.isNaN(wanted) || after.isCut || after.options.some(({ code }) => code === wanted);
      if (isPossible && !found.includes(start)) found.push(start);
    }
  }
  return found;
}

/** How many characters of a form are at a place, from one of them on, and where they end. */
interface Walked {
  readonly length: number;
  readonly end: number;
  /** Whether a mark cuts the form off. */
  readonly isCut: boolean;
}

function walk(
  form: string,
  from: number,
  start: number,
  { text, mark, next: nextOf }: Reader,
  hasQuotation: boolean,
): Walked {
  let next = from;
  let end = start;
  for (; next < form.length; next += 1) {
    const code = text.charCodeAt(end);
    if (isSpecial(code)) break;
    if (fold(code) !== form.charCodeAt(next)) return { length: next - from, end, isCut: false };
    end += 1;
  }
  const isEnded =
    next === form.length ||
    (!hasQuotation && text.charCodeAt(end) === backslash && text.charCodeAt(end + 1) === quotationMark);
  if (isEnded) return { length: next - from, end, isCut: false };
  // Up to the first escape there is only one reading.
  let places = [end];
  for (; next < form.length; next += 1) {
    const ends: number[] = [];
    for (const place of places) {
      const { options, isCut } = nextOf(place);
      if (isCut && place > start) return { length: next - from, end: mark, isCut };
      for (const option of options) {
        const isNext = option.code === form.charCodeAt(next) && (next > from || isFirstOption(option));
        if (isNext && !ends.includes(option.end)) ends.push(option.end);
      }
    }
    if (ends.length === 0) break;
    places = ends;
  }
  return { length: next - from, end: Math.max(...places), isCut: false };
}

/** A text in which the characters at a place are read once, however many keys may be there. */
interface Reader {
  readonly text: string;
  /** The next cut mark. */
  readonly mark: number;
  readonly next: (place: number) => Next;
}

/** What may be read at a place, also behind backslashes and line breaks that an encoder inserted. */
interface Next {
  readonly options: readonly Option[];
  /** Whether a mark cuts a key off here. */
  readonly isCut: boolean;
}

/** A character, folded, and where reading continues. */
interface Option {
  readonly code: number;
  readonly end: number;
  readonly skipped: "nothing" | "backslashes" | "line breaks";
}

/** How many backslashes or line breaks an encoder may insert before a character. */
const mostSkipped = 4;
/** So that the memory for a long text stays small: places are read again soon or never. */
const mostKept = 4096;

function createReader(text: string, mark: number): Reader {
  const known = new Map<number, Next>();
  const next = (place: number): Next => {
    const kept = known.get(place);
    if (kept !== undefined) return kept;
    if (known.size >= mostKept) known.clear();
    const read = readNext(text, place, mark);
    known.set(place, read);
    return read;
  };
  return { text, mark, next };
}

function readNext(text: string, place: number, mark: number): Next {
  const options: Option[] = [];
  let isCut = false;
  const places: { at: number; skipped: Option["skipped"] }[] = [{ at: place, skipped: "nothing" }];
  for (const { at, skipped } of places) {
    isCut ||= isUnfinished(text, at, mark);
    let [end, after] = [0, skipped];
    for (const reading of readings(text, at)) {
      options.push({ code: fold(reading.code), end: reading.end, skipped });
      const isLineBreak = reading.code === lineFeed || reading.code === carriageReturn;
      if ((isLineBreak || reading.code === backslash) && reading.end > end) {
        end = reading.end;
        after = isLineBreak ? "line breaks" : after === "nothing" ? "backslashes" : after;
      }
    }
    if (end > 0 && places.length <= mostSkipped) places.push({ at: end, skipped: after });
  }
  return { options, isCut };
}

/** Whether a key may begin with what is read: no line break was skipped, and a backslash only as an escape. */
function isFirstOption({ code, skipped }: Option): boolean {
  return skipped === "nothing" || (skipped === "backslashes" && !isAlphanumeric(code));
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
