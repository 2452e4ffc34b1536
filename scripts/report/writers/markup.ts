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

/** Longest text of a page. Results are cut where they are assembled; a page stays usable if one was not. */
export const longestText = 25_000;

/**
 * An HTML template. Values are escaped, invisible characters marked; `Html` is inserted as it is, lists item
 * by item, `undefined` as nothing. Attributes must be quoted.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) text += renderValue(value) + (strings[index + 1] ?? "");
  return new Html(text);
}

/** Text that is HTML already: our own script, style and drawings. */
export function raw(text: string): Html {
  return new Html(text);
}

function renderValue(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(renderValue).join("");
  return escaped(clip(String(value), longestText)).text;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text that is short enough, or cut already. */
export function escaped(text: string): Html {
  return new Html(visibleText(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? ""));
}

/**
 * A sentence, isolated so that it cannot change the reading order. Backticks become code elements; what is
 * the id of a place of the page leads there.
 */
export function prose(text: string, ids?: ReadonlySet<string>): Html {
  const spans = spansOf(clip(text, longestText)).map((span) => {
    const shown = escaped(span.text);
    if (!span.code) return shown;
    const code = html`<code>${shown}</code>`;
    return ids?.has(span.text) ? html`<a href="#${anchor(span.text)}">${code}</a>` : code;
  });
  return html`<bdi>${spans}</bdi>`;
}

/** Element id: that of an item, with characters escaped that HTML or a URL would not take. */
export function anchor(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9._/-]/g, (character) => `~${character.charCodeAt(0).toString(16)}`);
}
