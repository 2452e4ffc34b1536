import { clip } from "../../../schemas/words/format.ts";
import type { PlaceExcerpt } from "../document.ts";
import { plainProse, spansOf, visibleText } from "../text.ts";

const cellLength = 600;

/**
 * Text as a Markdown code span, also in a table cell, so that it is no link, image, mention or HTML. A pipe would end the
 * cell, so it is written as an entity between two spans.
 */
export function code(text: string, length: number = cellLength): string {
  return oneLine(text, length)
    .trim()
    .split("|")
    .map((part) => (part === "" ? "" : span(part)))
    .join("&#124;");
}

/**
 * Text as a Markdown sentence, also in a table cell: plain words stay as they are; everything else (names, addresses,
 * markup, text between backticks) becomes code spans.
 */
export function prose(text: string, length: number = cellLength): string {
  const parts = spansOf(oneLine(text, length)).map((span) =>
    span.code ? code(span.text, Number.POSITIVE_INFINITY) : plainOf(span.text),
  );
  // Adjacent code spans would be read as one.
  return parts.reduce((all, part) => all + (all.endsWith("`") && part.startsWith("`") ? " " : "") + part, "");
}

function plainOf(text: string): string {
  const runs: { plain: boolean; words: string[] }[] = [];
  for (const word of text.split(" ")) {
    const plain = word === "" || plainWord.test(word);
    const last = runs.at(-1);
    if (last?.plain === plain) last.words.push(word);
    else runs.push({ plain, words: [word] });
  }
  return runs.map(({ plain, words }) => (plain ? words.join(" ") : codeWithin(words.join(" ")))).join(" ");
}

// Punctuation around a name belongs to the sentence, not to the name: `(--rate)`, `(waivers.yaml,`.
function codeWithin(text: string): string {
  return text
    .split(/(?<=[^(\s]\)?[.,;:!?]?) (?=\()/)
    .map((part) => {
      const isPair =
        part.startsWith("(") &&
        /\)[.,;:!?]?$/.test(part) &&
        !/[()]/.test(part.slice(1).replace(/\)[.,;:!?]?$/, ""));
      const isOpened = part.startsWith("(") && !part.includes(")");
      const open = isPair || isOpened ? "(" : "";
      const inner = part.slice(open.length);
      const [, name = inner, mark = ""] =
        inner.match(isPair ? /^(.*)(\)[.,;:!?]?)$/ : /^(.*[^.,;:!?])([.,;:!?])$/) ?? [];
      return `${open}${code(name, Number.POSITIVE_INFINITY)}${mark}`;
    })
    .join(" ");
}

// Letters and digits with punctuation around them, or punctuation beside a code span: nothing that Markdown interprets.
const plainWord =
  /^[("]?(?:[+-](?=\d))?[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*(?:,\d{3})*(?:\.\d+)?[)"]?[.,;:?!]?$|^%\)?[.,;:]?$|^[(.,;:?!)]{1,3}$/u;

/** Text as a fenced code block, with a fence longer than any in the text. */
export function fenced(text: string, language = "text"): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${visibleText(text)}\n${fence}`;
}

/** A table; its cells are Markdown already. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Blocks folded under a summary line, joined into one, so that it is omitted as a whole or not at all. */
export function folded(summary: string, ...blocks: readonly string[]): string {
  return [`<details><summary>${summary}</summary>`, ...blocks, "</details>"].join("\n\n");
}

/** The lines of a place as a diff: what is there, and what is expected. With `most`, those around the place; empty without one. */
export function placeDiff(excerpt: PlaceExcerpt | undefined, most = Number.POSITIVE_INFINITY): string {
  const all = (excerpt?.lines ?? []).flatMap(({ text, mark, expected }) => {
    const sign = mark !== "place" ? " " : excerpt?.isReference ? "+" : "-";
    const indent = /^ */.exec(text)?.[0] ?? "";
    return [
      `${sign} ${clip(text, 400)}`,
      ...(expected === undefined ? [] : [`+ ${indent}${plainProse(expected)}`]),
    ];
  });
  const first = all.findIndex((line) => !line.startsWith(" "));
  if (first < 0) return "";
  const from = Math.max(0, Math.min(first - 3, all.length - most));
  return all.slice(most === Number.POSITIVE_INFINITY ? 0 : from, from + most).join("\n");
}

function oneLine(text: string, length: number): string {
  return visibleText(clip(text, length).replaceAll(/\s+/g, " "));
}

function span(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
