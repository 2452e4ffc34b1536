import { clip } from "../../../schemas/words/format.ts";
import { spansOf, visibleText } from "../text.ts";

/** Escaped HTML. Only `html` and `raw` create it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/**
 * An HTML template. Values are escaped, with marks for invisible characters; `Html` is inserted as it is, lists item by
 * item, `undefined` as nothing. Attributes must be quoted.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) text += renderValue(value) + (strings[index + 1] ?? "");
  return new Html(text);
}

/** Text that is HTML already: our own script, style and data. */
export function raw(text: string): Html {
  return new Html(text);
}

function renderValue(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(renderValue).join("");
  return escapeHtml(visibleText(String(value)));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** A sentence of `schemas/words/`, with code elements for text between backticks, isolated so that it cannot change the reading order. */
export function prose(text: string, length: number): Html {
  return html`<bdi>${spansOf(clip(text, length)).map((span) => (span.code ? html`<code>${span.text}</code>` : html`${span.text}`))}</bdi>`;
}

/** A command line, wrapped between its arguments only. */
export function commandLine(text: string): Html {
  const words = clip(text, 400).split(" ");
  return html`<code class="command">${words.map((word, at) => html`${at === 0 ? "" : " "}<span>${word}</span>`)}</code>`;
}

/** Element id: the id of a requirement or check, with characters escaped that HTML or a URL would not take. */
export function anchor(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9._/-]/g, (character) => `~${character.charCodeAt(0).toString(16)}`);
}
