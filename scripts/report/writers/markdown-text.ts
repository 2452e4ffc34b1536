import type { ShownPlace } from "../model.ts";
import { oneLine, plainProse, spansOf, visibleText } from "../text.ts";

/**
 * A code span, also in a table cell: no link, image, mention or HTML. A pipe would end the cell, so it is an
 * entity between two spans.
 */
export function code(text: string): string {
  return oneLine(text)
    .trim()
    .split("|")
    .map((part) => (part === "" ? "" : span(part)))
    .join("&#124;");
}

/** A sentence, also in a table cell: backticks become code spans, and the rest is escaped. */
export function prose(sentence: string): string {
  const parts = spansOf(oneLine(sentence)).map((one) => (one.code ? code(one.text) : escaped(one.text)));
  // Adjacent code spans would be read as one.
  const text = parts.reduce(
    (all, part) => all + (all.endsWith("`") && part.startsWith("`") ? " " : "") + part,
    "",
  );
  // At the beginning of a line, it would be a list, a heading or a rule.
  return text.replace(/^(\s*)(\d+)(?=[.)] )/, "$1$2\\").replace(/^\s*(?=[-+=])/, "\\");
}

/** Nothing for Markdown to interpret. GitHub makes links and mentions of escaped text, but not of code. */
function escaped(text: string): string {
  return text
    .split(" ")
    .map((word) =>
      /[@#$]|:\/\/|www\./i.test(word)
        ? word.replace(/^(.+?)([.,;:]*)$/, (_, name: string, mark: string) => code(name) + mark)
        : word.replaceAll("|", "&#124;").replaceAll(/[\\`*[\]<>~]|(?<!\w)_|_(?!\w)/g, "\\$&"),
    )
    .join(" ");
}

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

/** The lines of a place as a diff: what is there, and what is expected; empty where no line is marked. */
export function placeDiff({ lines, isReference }: ShownPlace): string {
  if (lines.every(({ mark }) => mark !== "place")) return "";
  return lines
    .flatMap(({ text, mark, expected }) => {
      const sign = mark !== "place" ? " " : isReference ? "+" : "-";
      const indent = /^ */.exec(text)?.[0] ?? "";
      return [`${sign} ${text}`, ...(expected === undefined ? [] : [`+ ${indent}${plainProse(expected)}`])];
    })
    .join("\n");
}

function span(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
