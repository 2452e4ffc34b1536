import { visibleText } from "./visible-text.ts";

/** HTML that is safe to put into HTML. Only `html` and `raw` make it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/**
 * A template whose every value is text: escaped, with unseen characters marked. Other `Html` is put in as it is, a
 * list one after the other, `undefined` as nothing. Attributes must be quoted.
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
