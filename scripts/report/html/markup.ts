import type { Evidence, Excerpt } from "../../../schemas/contracts/evidence.ts";
import type { RequirementResult } from "../../../schemas/contracts/results.ts";
import { verdictLabels } from "../../../schemas/verdicts.ts";
import { capitalized, clip } from "../../../schemas/words/format.ts";
import type { ShownLoad } from "../shown-load.ts";
import { spansOf, visibleText } from "../text.ts";
import { type Tone, verdictTones } from "../tones.ts";

/** Escaped HTML. Only `html` and `raw` create it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

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

/** A label with a colour and a sign, so that colour is never the only information. */
export function chip(tone: Tone, word: string): Html {
  return html`<span class="chip ${tone}">${word}</span>`;
}

/** The verdict of a requirement or check as a coloured label. */
export function verdictChip(verdict: RequirementResult["verdict"]): Html {
  return chip(verdictTones[verdict], capitalized(verdictLabels[verdict]));
}

/** The verdict of a load run as a coloured label. */
export function loadChip({ tone, label }: Pick<ShownLoad, "tone" | "label">): Html {
  return chip(tone, capitalized(label));
}

/** Text of a target within our sentence, isolated so that it cannot change the reading order. */
export function quoted(text: string, length = 300): Html {
  return html`<bdi>${clip(text, length)}</bdi>`;
}

/** A sentence of `schemas/words/`, with code elements for text between backticks. */
export function prose(text: string, length = 300): Html {
  return html`<bdi>${spansOf(clip(text, length)).map((span) => (span.code ? html`<code>${span.text}</code>` : html`${span.text}`))}</bdi>`;
}

/** A command line, wrapped between its arguments only. */
export function commandLine(text: string): Html {
  const words = clip(text, 400).split(" ");
  return html`<code class="command">${words.map((word, at) => html`${at === 0 ? "" : " "}<span>${word}</span>`)}</code>`;
}

/** One exchange in a line: `GET /v1/… → 404`. */
export function exchangeLine({ request, response }: Evidence): Html {
  const url = URL.canParse(request.url) ? request.url.slice(new URL(request.url).origin.length) : request.url;
  return html`<p class="line"><code>${clip(request.method, 20)} ${clip(url, 160)}</code> → <b>${response.status}</b></p>`;
}

interface ExcerptStyle {
  /** Expected content of the place, shown below it. */
  readonly expected?: string | undefined;
  /** The place is right, and shown for comparison. */
  readonly isReference?: boolean;
}

/** The body around a place that a finding names, with the place highlighted. */
export function excerptBlock(
  { path, lines }: Excerpt,
  { expected, isReference = false }: ExcerptStyle = {},
): Html {
  const last = lines.findLastIndex(({ mark }) => mark === "place");
  const shown = lines.map(({ text, mark }, index) => {
    const line = clip(text, 400);
    const end = index === lines.length - 1 ? "" : "\n";
    const content = line.trimStart();
    const indent = line.slice(0, line.length - content.length);
    if (mark === "place") {
      const wanted =
        index !== last || expected === undefined
          ? undefined
          : html`\n${indent}<ins>${prose(`expected ${expected}`, 300)}</ins>`;
      return html`${indent}<mark>${content}</mark>${wanted}${end}`;
    }
    return mark === "left-out" ? html`<span class="head">${line}</span>${end}` : html`${line}${end}`;
  });
  return html`<pre class="excerpt${isReference ? " reference" : ""}" tabindex="0" role="group" aria-label="Body around ${clip(path, 100) || "its root"}">${shown}</pre>`;
}

/** A section of the page under its heading; `id` is also its place in the contents. */
export function section(id: string, title: string, ...body: readonly (Html | undefined)[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${body}
</section>
`;
}

/** The head of a column, with a note below it. */
export interface ColumnHead {
  readonly label: string;
  readonly note?: string | undefined;
}

/**
 * A table with column heads; the first cell of each row is its head. `seen: false` hides the caption from sighted readers,
 * who have the heading above it. `figures` is for columns of short numbers: on a phone each row is a block, in which each
 * number has the label of its column above it.
 */
export function table(
  caption: string,
  heads: readonly (string | ColumnHead)[],
  rows: readonly (readonly (Html | string | number | undefined)[])[],
  { seen = true, figures = false }: { seen?: boolean; figures?: boolean } = {},
): Html {
  const columns = heads.map((head): ColumnHead => (typeof head === "string" ? { label: head } : head));
  const labelOf = (column: number) => {
    const { label, note } = columns[column] ?? {};
    return html` data-column="${note === undefined ? label : `${label}\n${note}`}"`;
  };
  // As blocks, the elements of a table may lose their meaning for screen readers.
  const as = (role: string) => (figures ? html` role="${role}"` : undefined);
  return html`<div class="table${figures ? " figures" : ""}" role="group" aria-label="${caption}" tabindex="0"><table${as("table")}><caption${seen ? undefined : raw(' class="unseen"')}>${caption}</caption>
<thead${as("rowgroup")}><tr${as("row")}>${columns.map(({ label, note }) => html`<th scope="col"${as("columnheader")}>${label}${note === undefined ? undefined : html`<small>${note}</small>`}</th>`)}</tr></thead>
<tbody${as("rowgroup")}>${rows.map(
    ([first, ...rest]) =>
      html`<tr${as("row")}><th scope="row"${as("rowheader")}>${first}</th>${rest.map((cell, index) => html`<td${as("cell")}${figures ? labelOf(index + 1) : undefined}>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>
`;
}

/** Names and their values. */
export function facts(entries: readonly (readonly [string, Html | string | number | undefined])[]): Html {
  const known = entries.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Element id of a requirement or check: its own id, with characters escaped that HTML or a URL would not take. */
export function anchor(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9._/-]/g, (character) => `~${character.charCodeAt(0).toString(16)}`);
}
