import { clip, counted, grouped } from "../../schemas/words/format.ts";
import { spansOf, visibleText } from "./text.ts";
import type { Tone } from "./tones.ts";

const cellLength = 300;

/**
 * Text as a Markdown code span, also in a cell of a table: no link, picture, mention or HTML comes of it. A pipe, which
 * would end the cell, stands between two spans.
 */
export function code(text: string, length: number = cellLength): string {
  return oneLine(text, length)
    .split("|")
    .map((part) => (part === "" ? "" : span(part)))
    .join("&#124;");
}

/**
 * Text as a Markdown sentence, also in a cell of a table: plain words stand as they are, all else (names, addresses,
 * markup, what stands between backticks already) in code spans.
 */
export function prose(text: string, length: number = cellLength): string {
  const parts = spansOf(oneLine(text, length)).map((span) =>
    span.code ? code(span.text, Number.POSITIVE_INFINITY) : plainOf(span.text),
  );
  // Two code spans side by side would be read as one.
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

// The mark that ends a part of the sentence is not the name's.
function codeWithin(text: string): string {
  const [, name = text, mark = ""] = text.match(/^(.*[^.,;:!?])([.,;:!?])$/) ?? [];
  return code(name, Number.POSITIVE_INFINITY) + mark;
}

// Letters and digits, with the marks of a sentence around them, or marks beside a code span: nothing that Markdown has
// a use for.
const plainWord =
  /^[("]?(?:[+-](?=\d))?[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*(?:,\d{3})*(?:\.\d+)?[)"]?[.,;:?!]?$|^%\)?[.,;:]?$|^[(.,;:?!)]{1,3}$/u;

/** Text as a fenced block: a fence longer than any in it. */
export function fenced(text: string, language = "text"): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${visibleText(text)}\n${fence}`;
}

/** A table; its cells are Markdown already. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Blocks folded away under a line of our own; one block to the outside, so that it is left off whole or not at all. */
export function folded(summary: string, ...blocks: readonly string[]): string {
  return [`<details><summary>${summary}</summary>`, ...blocks, "</details>"].join("\n\n");
}

/** Says how much of a list is shown, where that is not all, and which page beside this file has the rest. */
export function leftOut(page: string, shown: number, all: number, one: string, many = `${one}s`): string[] {
  return shown < all ? [`${grouped(shown)} of ${counted(all, one, many)} shown: see \`${page}\`.`] : [];
}

/** Changes of the contract; breaking ones stand out. */
export function driftTable(changes: readonly DriftRow[]): string {
  const rows = changes.map(({ label, tone, text, rule }) => [
    tone === "bad" ? `**${label}**` : label,
    prose(text, 600),
    code(rule),
  ]);
  return table(["rank", "change", "rule"], rows);
}

/** A change of the contract as a row shows it. */
export interface DriftRow {
  readonly label: string;
  readonly tone: Tone;
  readonly text: string;
  readonly rule: string;
}

function oneLine(text: string, length: number): string {
  return visibleText(clip(text, length).replaceAll(/\s+/g, " ")).trim();
}

function span(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
