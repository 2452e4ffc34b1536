/**
 * Text of a target for a reader's eyes: characters that would be unseen or that reverse the reading order stand as
 * marks (`␀`, `‹U+202E›`), so that nothing looks other than it is. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, mark);
}

function mark(character: string): string {
  if (character === "\n" || character === "\t") return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\u2039U+${code.toString(16).toUpperCase().padStart(4, "0")}\u203a`;
}

const grouping = new Intl.NumberFormat("en");

/** Cut to at most `length` characters, with a note of how many are left off; never inside a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = text.slice(0, isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
  return `${kept}… (${grouping.format(text.length - kept.length)} more characters)`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
