import type { Waiver } from "../../../schemas/contracts/config.ts";
import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import {
  between,
  capitalized,
  counted,
  grouped,
  milliseconds,
  minute,
  statusName,
} from "../../../schemas/words/format.ts";
import {
  type Item,
  type ItemFinding,
  itemLabels,
  type Report,
  type ShownPlace,
  type Suite,
  type Table,
  type Tone,
  withAlso,
} from "../model.ts";
import { bodyText, plainProse, prettyJson, repeatText } from "../text.ts";
import type { PageAssets } from "./bundle-page.ts";
import { anchor, escaped, type Html, html, longestText, prose, raw } from "./markup.ts";
import { renderPage } from "./page.ts";
import { lineChart } from "./svg.ts";

const byTime = (one: Evidence, other: Evidence) => (one.startedAt ?? "").localeCompare(other.startedAt ?? "");

/** Findings of an item that are not folded. */
const fewestFindings = 3;
const quiet: ReadonlySet<Tone> = new Set(["good", "plain"]);

/**
 * A self-contained page. It sends no request, shows text of a target only as text, and without JavaScript
 * lacks only the filter and the buttons.
 */
export function writeHtml(report: Report, assets: PageAssets): string {
  const { label, of } = report.headline;
  const title = `${capitalized(label)}: ${plainProse(of)} (shelfcheck)`;
  return renderPage(title, new HtmlWriter(report).body(), assets);
}

class HtmlWriter {
  readonly #report: Report;
  /** Places of the page that sentences can lead to. */
  readonly #ids: ReadonlySet<string>;

  constructor(report: Report) {
    this.#report = report;
    this.#ids = new Set(
      report.suites.flatMap(({ id, items }) => [id, ...items.flatMap(withAlso).map((one) => one.id)]),
    );
  }

  body(): Html {
    const { headline, suites, about } = this.#report;
    return html`<a class="skip" href="#main">Skip to the results</a>
<div class="page">
${this.#headline()}
<nav class="contents" aria-label="On this page">
<ul>${suites.map(contentsOf)}<li><a href="#about">About</a></li></ul>
</nav>
<main id="main">
${renderFilter(suites.flatMap(({ items }) => items))}
${suites.map((suite) => this.#suite(suite))}
<section class="suite plain" id="about"><div><h2>About</h2></div>
<dl class="facts">
${about.map(([name, value]) => html`<div><dt>${name}</dt><dd>${this.#text(value)}</dd></div>`)}
</dl>
${ifAny(headline.files, filesBeside)}
</section>
</main>
</div>`;
  }

  #text(sentence: string): Html {
    return prose(sentence, this.#ids);
  }

  #lines(sentences: readonly string[]): Html[] {
    return sentences.map((sentence) => html`<li>${this.#text(sentence)}</li>`);
  }

  #headline(): Html {
    const { tone, label, of, why, counts, notes, next, exitCode, startedAt, finishedAt } =
      this.#report.headline;
    return html`<header class="verdict ${tone}" id="verdict">
<p class="faint">${this.#text(of)}</p>
<h1><span class="word">${capitalized(label)}</span> ${this.#text(why)}</h1>
${ifAny(notes, (all) => html`<ul>${this.#lines(all)}</ul>`)}
${ifAny(next, (line) => html`<p class="commands">${command("Next", line)}</p>`)}
<ul class="where">
${this.#lines(counts)}
<li><time datetime="${startedAt}">${minute(startedAt)}</time>, ${between(startedAt, finishedAt)}</li>
<li>Exit code <b>${exitCode}</b></li>
</ul>
</header>`;
  }

  /** Folded to a line without a failure. What passed is folded below charts and tables, unless it is all. */
  #suite(suite: Suite): Html {
    const { id, title, tone, summary, items, tables, lines, charts, startedAt } = suite;
    const isFolded = quiet.has(tone);
    const isOnlyItems = isFolded && charts.length + tables.length === 0;
    const isRest = (item: Item) => !isOnlyItems && quiet.has(item.tone);
    const heading = html`<h2>${title}</h2> <span class="summary">${prose(summary)} ${startedAt && minute(startedAt)}</span>`;
    const body = html`${lines.map((line) => html`<p>${this.#text(line)}</p>`)}
${items.filter((item) => !isRest(item)).map((item) => this.#item(item))}
${ifAny(charts, (all) => html`<div class="charts">${all.map(lineChart)}</div>`)}
${tables.map((table) => this.#table(table, title))}
${ifAny(items.filter(isRest), (all) => fold(countsOf(all), html`${all.map((item) => this.#item(item))}`))}`;
    return isFolded
      ? html`<details class="suite ${tone}" id="${anchor(id)}"><summary>${heading}</summary>
${body}
</details>
`
      : html`<section class="suite ${tone}" id="${anchor(id)}"><div>${heading}</div>
${body}
</section>
`;
  }

  /** What failed is open, and its line says what was found; that of the others, what was judged. */
  #item(item: Item): Html {
    const { id, title, verdict, tone, about, quote, also, said, evidence } = item;
    const { commands, waivers = [] } = item;
    const fact = verdict === "fail" || verdict === "error" || verdict === "warn" ? said[0] : undefined;
    const shown = said.find(({ places }) => places.length > 0);
    const findings = said.flatMap(
      (one) => this.#finding(one, evidence, { isShown: one === shown, isNamed: one === fact }) ?? [],
    );
    const more = findings.slice(fewestFindings);
    const exchanges = evidence.length > 1 ? ` (${counted(evidence.length, "exchange")})` : "";
    const data = html`data-verdict="${verdict}" data-sections="${sectionsOf(item).join("\n")}"`;
    return html`<details class="item ${tone}" id="${anchor(id)}" ${data}${fact && raw(" open")}>
<summary>
<span class="chip ${tone}">${capitalized(itemLabels[verdict])}</span>
${fact === undefined ? html`<span>${prose(title)}</span>` : html`<b>${prose(fact.message)}</b>`}
<code class="faint">${id}</code>
</summary>
<div class="opened">
<p class="faint">${about}${about && fact && html`: ${this.#text(title)}`}
${ifAny(quote, (words) => html`<q>${this.#text(words)}</q>`)} <a href="#${anchor(id)}">Link</a></p>
${ifAny(also, (all) => html`<ul>${all.map((one) => html`<li id="${anchor(one.id)}">Also: ${prose(one.title)} <code>${one.id}</code></li>`)}</ul>`)}
${findings.slice(0, fewestFindings)}
${ifAny(more, (all) => fold(`${grouped(all.length)} more`, html`${all}`))}
${waivers.map(waived)}
<p class="commands">${commands.map((one) => command(one.label, one.command))}</p>
${ifAny(evidence, (all) => fold(`Request, response, curl${exchanges}`, html`${all.toSorted(byTime).map(renderExchange)}`, "evidence"))}
</div>
</details>
`;
  }

  /** An open item's line says its first finding. Only first places are open: others often show the same. */
  #finding(
    { check, message, fix, where, places }: ItemFinding,
    evidence: readonly Evidence[],
    { isShown, isNamed }: { readonly isShown: boolean; readonly isNamed: boolean },
  ): Html | undefined {
    const sites = places.map((place) => this.#place(place, evidence));
    const shown = ifAny(sites, (all) => html`<div class="places">${all}</div>`);
    const parts = [
      isNamed ? undefined : html`<p class="fact">${this.#text(message)}</p>`,
      ifAny(check, (title) => html`<p class="faint">${this.#text(title)}</p>`),
      ifAny(where, (all) => html`<ul class="where faint">${this.#lines(all)}</ul>`),
      ifAny(fix, (sentence) => html`<p>${this.#text(sentence)}</p>`),
      isShown ? shown : ifAny(shown, (all) => fold("Where it shows", all)),
    ].filter((part) => part !== undefined);
    return ifAny(parts, (all) => html`<div class="finding">${all}</div>`);
  }

  /** Lines of a response, what a finding is about highlighted. */
  #place({ heading, exchange, lines, isReference }: ShownPlace, evidence: readonly Evidence[]): Html {
    const source = evidence[exchange];
    const shown = lines.map(({ text, mark, expected }) => {
      const content = text.trimStart();
      const indent = text.slice(0, text.length - content.length);
      const wanted = expected === undefined ? undefined : html`\n${indent}<ins>${this.#text(expected)}</ins>`;
      if (mark === "place") return html`${indent}<mark>${content}</mark>${wanted}\n`;
      return mark === "left-out" ? html`<span class="faint">${text}</span>\n` : html`${text}\n`;
    });
    const tone = isReference ? raw(` class="good"`) : undefined;
    return html`<div>${ifAny(heading, (name) => html`<p class="heading">${prose(name)}</p>`)}
${ifAny(source, exchangeLine)}
${ifAny(shown, (all) => pre(plainProse(heading ?? "Where it shows"), html`${all}`, tone))}</div>`;
  }

  #table({ title, head, figures = [], rows }: Table, above: string): Html {
    const caption = title === above ? undefined : html`<caption>${title}</caption>`;
    const align = (at: number) => (figures.includes(at) ? raw(` class="figure"`) : undefined);
    const cell = (text: string) => (text === "" ? html`–` : this.#text(text));
    const row = ({ cells: [first = "", ...others], tone }: Table["rows"][number]) =>
      html`<tr class="${tone}"><th scope="row"${align(0)}>${cell(first)}</th>
${others.map((text, at) => html`<td${align(at + 1)}>${cell(text)}</td>`)}</tr>`;
    return html`<div class="table" role="group" aria-label="${title}" tabindex="0"><table>${caption}
<thead><tr>${head.map((name, at) => html`<th scope="col"${align(at)}>${this.#text(name)}</th>`)}</tr></thead>
<tbody>${rows.map(row)}</tbody></table></div>
`;
  }
}

/** Where a filter finds an item. */
function sectionsOf(item: Item): string[] {
  return withAlso(item).flatMap(({ section }) => section ?? []);
}

/** A suite, with what failed in it. */
function contentsOf({ id, title, tone, items }: Suite): Html {
  const failed = items.filter(({ tone }) => tone === "bad");
  const rows = failed.map((item) => html`<li><a class="bad" href="#${anchor(item.id)}">${item.id}</a></li>`);
  const count =
    items.length === 0 ? undefined : html`<span>${grouped(items.flatMap(withAlso).length)}</span>`;
  return html`<li${quiet.has(tone) ? raw(` class="folded"`) : undefined}><a href="#${anchor(id)}"><bdi>${title}</bdi> ${count}</a>${ifAny(rows, (all) => html`<ul>${all}</ul>`)}</li>`;
}

/** `89 passed, 2 not applicable` */
function countsOf(items: readonly Item[]): string {
  const counts = Map.groupBy(items, ({ verdict }) => itemLabels[verdict]);
  return [...counts].map(([label, { length }]) => `${grouped(length)} ${label}`).join(", ");
}

/** Search and filters; hidden until the page's script has started. */
function renderFilter(items: readonly Item[]): Html | undefined {
  if (items.length < 2) return undefined;
  const sections = [...new Set(items.flatMap(sectionsOf))];
  const verdicts = (Object.keys(itemLabels) as Item["verdict"][]).filter((id) =>
    items.some((item) => item.verdict === id),
  );
  return html`<form class="filter" role="search" hidden>
<label><span>Search</span><input type="search" name="search" autocomplete="off" spellcheck="false"></label>
${ifAny(sections, sectionField)}
<fieldset><legend>Verdicts</legend>
${verdicts.map((id) => html`<label class="toggle"><input type="checkbox" name="verdict" value="${id}"> ${capitalized(itemLabels[id])}</label>`)}
</fieldset>
<p class="faint"><output name="found" aria-live="polite"></output> <button type="button" hidden>Clear</button></p>
</form>
`;
}

function sectionField(sections: readonly string[]): Html {
  const options = sections.map((name) => html`<option value="${name}">${name}</option>`);
  return html`<label><span>Section</span><select name="section"><option value="">All sections</option>${options}</select></label>`;
}

function filesBeside(files: Report["headline"]["files"]): Html {
  const links = files.map(({ name, path }) => html`<li><a href="${addressOf(path)}">${name}</a></li>`);
  return html`<p class="heading">Beside this page</p><ul class="where">${links}</ul>`;
}

function waived({ id, expires, owner, ticket, reason }: Waiver): Html {
  return html`<p>Waiver of <code>${id}</code> until ${expires} by ${owner}, ${outside(ticket)}: ${reason}</p>`;
}

/** A command, which the script gives a button that copies it. */
function command(label: string, line: string): Html {
  return html`<span class="command"><span class="faint">${label}</span> <code>${line}</code></span> `;
}

/** One exchange: the request, the response, and the command that sends the request again. */
function renderExchange(exchange: Evidence): Html {
  const { request, response, curl, startedAt } = exchange;
  const sent = startedAt === undefined ? "" : `, requested at ${startedAt.slice(11, 23)} UTC`;
  const start = `${request.method} ${request.url}`;
  const body = escaped(prettyJson(bodyText(response, longestText)));
  return html`<div class="exchange">
<div><p class="heading">Request</p>${textBlock("Request", [start, ...headerLines(request.headers)], html`${request.body}`)}</div>
<div><p class="heading">Response ${statusName(response.status)}${sent}, after ${milliseconds(response.milliseconds)}</p>
${textBlock("Response", headerLines(response.headers), body)}</div>
</div><p class="commands">${command("curl", curl)}${repeatText(exchange)}</p>`;
}

/** A message with its head, which is dimmed. */
function textBlock(label: string, head: readonly string[], body: Html): Html {
  const gap = head.length > 0 && body.text !== "" ? "\n\n" : "";
  return pre(label, html`<span class="faint">${head.join("\n")}</span>${gap}${body}`);
}

/** A scrollable block that can be focused. */
function pre(label: string, text: Html, attributes?: Html): Html {
  return html`<pre${attributes} tabindex="0" role="group" aria-label="${label}">${text}</pre>`;
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** One exchange in a line: `GET /v1/… → 404`. */
function exchangeLine({ request, response }: Evidence): Html {
  const url = URL.canParse(request.url) ? request.url.slice(new URL(request.url).origin.length) : request.url;
  return html`<p class="faint"><code>${request.method} ${url}</code> → <b>${statusName(response.status)}</b></p>`;
}

/** A file beside the page. */
function addressOf(path: string): string {
  return path
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");
}

function outside(address: string): Html {
  const leads = URL.canParse(address) && ["http:", "https:"].includes(new URL(address).protocol);
  const shown = html`<bdi>${address}</bdi>`;
  return leads ? html`<a href="${address}" rel="noreferrer noopener">${shown}</a>` : shown;
}

function fold(summary: string, body: Html, name = ""): Html {
  return html`<details class="more ${name}"><summary>${summary}</summary>${body}</details>`;
}

/** Nothing for what is not there, and for an empty list. */
function ifAny<Value>(value: Value | undefined, shown: (value: Value) => Html): Html | undefined {
  return value === undefined || (Array.isArray(value) && value.length === 0) ? undefined : shown(value);
}
