/** How a character of a key may be written in a text: escaped for JSON, a URL, HTML, XML or a shell, also several times. */

export const backslash = 0x5c;
export const quotationMark = 0x22;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;

const percentSign = 0x25;
const apostrophe = 0x27;
const ellipsis = 0x2026;
const deepest = 64;
const longRun = "\\".repeat(deepest + 1);
const longestUnfinished = 5 * deepest;
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export function beginsEscape(code: number): boolean {
  return (code >= percentSign && code <= apostrophe) || code === backslash;
}

/** Whether the character begins an escape, a line break within a form, or a mark of a cut text. */
export function isSpecial(code: number): boolean {
  return beginsEscape(code) || code === lineFeed || code === carriageReturn || code === ellipsis;
}

/** One way to read the character at a place, and where the next one begins. */
export interface Reading {
  readonly code: number;
  readonly end: number;
}

/** All readings at a place: the character itself, and the character of an escape. */
export function readings(text: string, at: number): Reading[] {
  const code = text.charCodeAt(at);
  const found: Reading[] = [{ code, end: at + 1 }];
  if (!beginsEscape(code)) return found;
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

/** Whether more backslashes follow than any nested escape has. */
export function isLongRun(text: string, at: number): boolean {
  return text.startsWith(longRun, at);
}

/** Whether nothing, or only the beginning of an escape, is between this place and the mark of a cut text at `mark`. */
export function isUnfinished(text: string, at: number, mark: number): boolean {
  if (mark < at || mark > at + longestUnfinished) return false;
  const unfinished =
    /(?:\\{0,64}(?:u0{0,2}[0-9a-f]?|x[0-9a-f]?)?|%(?:25){0,64}[0-9a-f]?|&(?:amp;){0,64}(?:#0{0,8}[0-9]{0,3}|#x0{0,8}[0-9a-f]{0,2}|[a-z]{0,4})|'(?:\\'?|"(?:'"?)?)?)(?=… \([0-9,]+ (?:more )?characters\))/iy;
  unfinished.lastIndex = at;
  return unfinished.test(text);
}
