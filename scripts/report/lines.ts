/**
 * Text of a target made harmless for a terminal: control characters (escape sequences start with one) and those
 * that reverse the reading order are shown as code points, line breaks and tabs as spaces.
 */
export function printable(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Cut to a length, with the number of characters left off. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length)}… (${text.length - length} more characters)`;
}

/** Breaks text into lines of a width, each with the same indent; a longer word is broken hard. */
export function wrap(text: string, { width, indent = "" }: { width: number; indent?: string }): string[] {
  const room = Math.max(10, width - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((whole) => pieces(whole, room))) {
    if (line !== "" && line.length + 1 + word.length > room) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  if (line !== "") lines.push(line);
  return lines.map((part) => indent + part);
}

function pieces(word: string, room: number): string[] {
  const result: string[] = [];
  for (let start = 0; start < word.length; start += room) result.push(word.slice(start, start + room));
  return result;
}
