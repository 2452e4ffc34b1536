/**
 * Removes keys from everything that is shown or written. k6 and Node share it, so it uses only the language itself:
 * k6 has no Buffer, TextEncoder or URL.
 */

import {
  backslash,
  beginsEscape,
  carriageReturn,
  isLongRun,
  isSpecial,
  isUnfinished,
  lineFeed,
  readings,
} from "./redaction-escapes.ts";
import {
  type Form,
  type Forms,
  fold,
  formsBeginning,
  formsOf,
  isEndedByQuotation,
  mayBegin,
  type Secret,
} from "./redaction-forms.ts";

export type { Secret } from "./redaction-forms.ts";

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
  let forms: Forms | undefined;
  const longest = Math.max(0, ...given.map(({ key }) => key.length));

  function redact(text: string): string {
    if (given.length === 0) return text;
    forms ??= formsOf(given);
    // Not searched for before the loop: V8 would move that search into the loop, and repeat it for each character.
    let mark = notSearched;
    let result = "";
    let copied = 0;
    let next = text.charCodeAt(0);
    for (let at = 0; at < text.length; ) {
      const code = next;
      next = text.charCodeAt(at + 1);
      if (!mayBegin(forms, code, next)) {
        at += 1;
        continue;
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

interface Match {
  readonly end: number;
  readonly shownAs: string;
}

/** The longest form at this place. A form that is cut off by a mark of `excerpt` is removed without a name. */
function formAt(text: string, at: number, forms: Forms, mark: number): Match | undefined {
  const code = text.charCodeAt(at);
  if (!beginsEscape(code)) {
    const candidates = formsBeginning(forms.byFirst, code, text.charCodeAt(at + 1));
    return candidates === undefined ? undefined : longestOf(text, at, candidates, mark);
  }
  // In a longer run of backslashes, only the last ones can belong to a key.
  if (forms.byFirst[backslash] === undefined && isLongRun(text, at)) return undefined;
  if (isUnfinished(text, at, mark)) return { end: mark, shownAs: "" };
  const codes = readings(text, at).flatMap((reading) =>
    reading.code === backslash ? [backslash, text.charCodeAt(reading.end)] : [reading.code],
  );
  const candidates = [...new Set(codes.map(fold))].flatMap((first) => forms.byFirst[first]?.all ?? []);
  return longestOf(text, at, candidates, mark);
}

function longestOf(text: string, at: number, forms: readonly Form[], mark: number): Match | undefined {
  let longest: Match | undefined;
  for (const form of forms) {
    // A secret of the environment may begin like a mark, which does not cut it off then.
    const end = endOf(form, text, at, mark > at ? mark : none);
    if (end === cut) return { end: mark, shownAs: "" };
    if (end > (longest?.end ?? at)) longest = { end, shownAs: form.shownAs };
  }
  return longest;
}

const none = -1;
const cut = -2;
const notSearched = -3;

/** The end of the form that begins at `start`; `none` if it is not there, `cut` if a mark cuts it off. */
function endOf(form: Form, text: string, start: number, mark: number): number {
  const wanted = form.text;
  let index = 0;
  for (; index < wanted.length; index += 1) {
    const code = text.charCodeAt(start + index);
    if (isSpecial(code)) break;
    if (fold(code) !== wanted.charCodeAt(index)) return none;
  }
  if (index === wanted.length) return start + index;
  if (isEndedByQuotation(form, text, start + index)) return none;
  // Up to the first escape there is only one reading.
  let places: readonly number[] = [start + index];
  for (; index < wanted.length; index += 1) {
    const next = after(places, wanted.charCodeAt(index), text, index === 0);
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

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
