import type { Evidence, LoadResult, RequirementResult } from "../../../schemas/types.ts";
import { type Html, html, raw } from "./markup.ts";
import { clip } from "./visible-text.ts";
import { loadWords, type Mark, verdictMarks, verdictWords } from "./words.ts";

const loadMarks = { pass: "good", slower: "bad", fail: "bad", invalid: "unsure" } as const satisfies Record<
  LoadResult["verdict"],
  Mark
>;

/** A short word in the colour of its meaning, with a sign, so that colour never says it alone. */
export function chip(mark: Mark, word: string): Html {
  return html`<span class="chip ${mark}">${word}</span>`;
}

export function verdictChip(verdict: RequirementResult["verdict"]): Html {
  return chip(verdictMarks[verdict], verdictWords[verdict]);
}

export function loadChip(verdict: LoadResult["verdict"]): Html {
  return chip(loadMarks[verdict], loadWords[verdict]);
}

/** Text of a target or of the results in a sentence of ours: its reading order stays its own. */
export function quoted(text: string, length = 300): Html {
  return html`<bdi>${clip(text, length)}</bdi>`;
}

/** One exchange in a line: `GET /v1/… → 404`. */
export function exchangeLine({ request, response }: Evidence): Html {
  const url = URL.canParse(request.url) ? request.url.slice(new URL(request.url).origin.length) : request.url;
  return html`<p class="line"><code>${clip(request.method, 20)} ${clip(url, 160)}</code> → <b>${response.status}</b></p>`;
}

/** A section of the page under its heading; `id` is also its place in the contents. */
export function section(id: string, title: string, ...body: readonly (Html | undefined)[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${body}
</section>
`;
}

/**
 * A table with a head of columns; the first cell of each row is its head. With `seen: false` the caption is only for
 * those who do not see the heading above it; `figures` are columns of short numbers.
 */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (Html | string | number | undefined)[])[],
  { seen = true, figures = false }: { seen?: boolean; figures?: boolean } = {},
): Html {
  return html`<div class="table${figures ? " figures" : ""}" role="group" aria-label="${caption}" tabindex="0"><table><caption${seen ? undefined : raw(' class="unseen"')}>${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>
`;
}

/** Names and their values. */
export function facts(entries: readonly (readonly [string, Html | string | number | undefined])[]): Html {
  const known = entries.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
