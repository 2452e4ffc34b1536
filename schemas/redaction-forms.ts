/** The spellings of a key that no escape explains: as it is, in base64 and in hexadecimal. */

import { backslash, beginsEscape, isSpecial, quotationMark } from "./redaction-escapes.ts";

/** A key of visible ASCII characters, and the text that replaces it. */
export interface Secret {
  readonly key: string;
  readonly shownAs: string;
}

/** One spelling of a key, folded like the texts that it is compared with. */
export interface Form {
  readonly text: string;
  readonly shownAs: string;
  /** Whether it has a quotation mark or a backslash. */
  readonly hasQuotation: boolean;
}

/** All forms of some keys. */
export interface Forms {
  /** By the code of their first character. */
  readonly byFirst: readonly (FormsOfFirst | undefined)[];
  /** Whether a form may begin with a pair of ASCII characters, as far as it is known: see `mayBegin`. */
  readonly pairs: Uint8Array;
}

/** Forms with the same first character. */
interface FormsOfFirst {
  readonly all: readonly Form[];
  /** Whether one of them is nothing but this character. */
  readonly isAlone: boolean;
  /** By the code of their second character. */
  readonly bySecond: readonly (readonly Form[] | undefined)[];
}

const ascii = 128;

/** All forms of these keys, which are not empty. */
export function formsOf(secrets: readonly Secret[]): Forms {
  const all = secrets.flatMap(({ key, shownAs }) => {
    const spellings = [key, key.toLowerCase(), key.toUpperCase()];
    const texts = [key, ...spellings.flatMap((spelling) => [inHexadecimal(spelling), ...inBase64(spelling)])];
    return [...new Set(texts.map(folded))].map((text) => ({
      text,
      shownAs,
      hasQuotation: /[\\"]/.test(text),
    }));
  });
  const byFirst = grouped(all, 0).map((ofFirst) => ({
    all: ofFirst,
    isAlone: ofFirst.some(({ text }) => text.length === 1),
    bySecond: grouped(ofFirst, 1),
  }));
  return { byFirst, pairs: new Uint8Array(ascii * ascii) };
}

/** By the code of the character at this index. */
function grouped(forms: readonly Form[], index: number): Form[][] {
  const groups: Form[][] = [];
  for (const form of forms) {
    const code = form.text.charCodeAt(index);
    groups[code] ??= [];
    groups[code].push(form);
  }
  return groups;
}

/**
 * Whether a form may begin with these two characters: plain, or with an escape or a line break among them. Most places of a
 * text are passed over because of it. Every pair above ASCII may, and the last character of a text.
 */
export function mayBegin(forms: Forms, code: number, next: number): boolean {
  // At the end of a text, `next` is not a number.
  if (!(code < ascii && next < ascii)) return true;
  const known = forms.pairs[code * ascii + next];
  return known === unknown ? learn(forms, code, next) : known === possible;
}

const unknown = 0;
const possible = 1;
const impossible = 2;

function learn({ byFirst, pairs }: Forms, code: number, next: number): boolean {
  const may = beginsForm(byFirst, code, next);
  pairs[code * ascii + next] = may ? possible : impossible;
  return may;
}

function beginsForm(byFirst: Forms["byFirst"], code: number, next: number): boolean {
  if (!beginsEscape(code)) return formsBeginning(byFirst, code, next) !== undefined;
  // The most frequent escape in a report, since bodies are strings of JSON.
  if (code !== backslash || next !== quotationMark) return true;
  return byFirst[backslash] !== undefined || byFirst[quotationMark] !== undefined;
}

/** The forms that may begin with these two characters, the first of which begins no escape. */
export function formsBeginning(
  byFirst: Forms["byFirst"],
  code: number,
  next: number,
): readonly Form[] | undefined {
  const ofFirst = byFirst[fold(code)];
  if (ofFirst === undefined) return undefined;
  return ofFirst.isAlone || isSpecial(next) ? ofFirst.all : ofFirst.bySecond[fold(next)];
}

/**
 * Whether `\"` is at this place and the form has none of it, so that it ends here. It is the most frequent escape in a
 * report, since bodies are strings of JSON.
 */
export function isEndedByQuotation(form: Form, text: string, at: number): boolean {
  return !form.hasQuotation && text.charCodeAt(at) === backslash && text.charCodeAt(at + 1) === quotationMark;
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
export function fold(code: number): number {
  if (code > 0x5f) return code;
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  if (code === 0x2d) return 0x2b;
  return code === 0x5f ? 0x2f : code;
}
