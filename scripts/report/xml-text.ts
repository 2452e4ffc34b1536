import { clip, visibleText } from "./html/visible-text.ts";

/**
 * Text as XML 1.0 may hold it: characters that it forbids, even escaped, stand as marks, and so do those that are
 * not seen or that reverse the reading order. Escaping is the builder's. At most `length` characters of it.
 */
export function xmlText(text: string, length: number): string {
  // Cut first and after: marks are longer than what they mark, and a megabyte need not be looked at whole.
  const marked = visibleText(clip(text, length)).replaceAll(
    /[\uFFFE\uFFFF]/g,
    (character) => `\u2039U+${character.charCodeAt(0).toString(16).toUpperCase()}\u203a`,
  );
  return clip(marked, length + 40);
}

/** The same in one line, for an attribute: parsers make spaces of line breaks there. */
export function xmlLine(text: string, length: number): string {
  return xmlText(clip(text, length).replaceAll(/\s+/g, " "), length);
}
