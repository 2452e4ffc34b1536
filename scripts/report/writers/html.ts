import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import { capitalized, clip, counted, grouped, minute, statusName } from "../../../schemas/words/format.ts";
import { place as placeName } from "../../../schemas/words/values.ts";
import {
  type Block,
  type Blocks,
  blocksFor,
  type Card,
  type CardFinding,
  type CardsBlock,
  columnsFor,
  type Fact,
  type FilterKeys,
  type FoldBlock,
  type LabelledRow,
  type ListBlock,
  type PlaceBlock,
  type PlaceExcerpt,
  partsFor,
  type RowsBlock,
  type SectionBlock,
  type TableBlock,
  type Text,
  type TextPart,
  titleFor,
} from "../document.ts";
import { bodyText, durationText, prettyJson } from "../text.ts";
import type { Tone } from "../tones.ts";
import { anchor, commandLine, type Html, html, prose, raw } from "./markup.ts";
import { lineChart } from "./svg.ts";

/** Maximum number of cards of a page: more are counted. */
const mostCards = 200;
/** The same of labelled rows of a page, and of rows of a table. */
const mostRows = 1000;
/** Exchanges and tickets of a page, in bytes: those that are left out are in `results.json`. */
const mostBytes = 3_000_000;
const mostExchanges = 10;
const longestBody = 4000;
const longestCommand = 10_000;
const longestSentence = 1500;
/** Number of facts of a finding that are not folded, and in total. */
const [fewestFacts, mostFacts] = [3, 50];
/** Well below the 65,536 characters of a GitHub issue. */
const longestTicket = 20_000;
const longestName = 300;

/** Writes blocks as HTML. */
export class HtmlWriter {
  /** Name of the file that has what is left out here. */
  readonly #whole: string;
  #cardsLeft = mostCards;
  #rowsLeft = mostRows;
  #bytesLeft = mostBytes;

  constructor(whole: string) {
    this.#whole = whole;
  }

  /** @param depth 0 for blocks of the page, 1 for blocks of a part of it. */
  blocks(blocks: Blocks, depth = 0): Html[] {
    const shown = blocksFor("html", blocks);
    return shown.flatMap((block, at) => {
      if (block.kind !== "chart") return [this.#block(block, depth)];
      // Charts that follow each other stand beside each other.
      if (shown[at - 1]?.kind === "chart") return [];
      const end = shown.findIndex(({ kind }, next) => next > at && kind !== "chart");
      const group = shown.slice(at, end < 0 ? undefined : end);
      return [html`<div class="charts">${group.map((one) => this.#block(one, depth))}</div>`];
    });
  }

  #block(block: Block, depth: number): Html {
    switch (block.kind) {
      case "section":
        return this.#section(block, depth);
      case "paragraph":
        return html`<p>${this.text(block.text)}</p>`;
      case "list":
        return this.#list(block);
      case "table":
        return this.#table(block);
      case "facts":
        return html`<dl class="facts">${block.facts.map(([name, value]) => (value === undefined ? undefined : html`<div><dt>${name}</dt><dd>${this.text(value)}</dd></div>`))}</dl>`;
      case "cards":
        return this.#cards(block);
      case "rows":
        return this.#rows(block, depth);
      case "fold":
        return this.#fold(block, depth);
      case "exchange":
        return this.#exchanges(block.exchanges);
      case "place":
        return this.#place(block);
      case "chart":
        return lineChart(block);
      case "columns":
        return html`<div class="first">${block.columns.map((column) => {
          const body = this.blocks(column.blocks, depth);
          return body.length === 0 ? undefined : html`<div><h2>${column.title}</h2>${body}</div>`;
        })}</div>`;
      default:
        return block satisfies never;
    }
  }

  /** A text in one line. */
  text(text: Text): Html {
    return html`${partsFor("html", text).map((part) => this.#part(part))}`;
  }

  #part(part: Exclude<TextPart, { readonly only: unknown }>): Html {
    if (typeof part === "string") return part === "" ? html`` : prose(part, longestSentence);
    if ("own" in part) return html`${part.own}`;
    if ("code" in part) return html`<code>${clip(part.code, longestName)}</code>`;
    if ("command" in part) return commandLine(part.command);
    if ("strong" in part) return html`<b>${this.text(part.strong)}</b>`;
    if ("faint" in part) return html`<small>${this.text(part.faint)}</small>`;
    if ("tone" in part) return chip(part.tone, part.label);
    if ("link" in part) return html`<a href="${addressOf(part.to)}">${this.text(part.link)}</a>`;
    if ("address" in part) return outside(part.address);
    if ("time" in part) return html`<time datetime="${part.time}">${minute(part.time)}</time>`;
    return html`${part.lines
      .map((line) => this.text(line))
      .filter((line) => line.text !== "")
      .map((line, at) => html`${at === 0 ? undefined : raw("<br>")}${line}`)}`;
  }

  #section(section: SectionBlock, depth: number): Html {
    const title = titleFor("html", section);
    if (title === undefined) return html`${this.blocks(section.blocks, depth)}`;
    const { id, blocks } = section;
    if (depth === 0)
      return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${this.text(title)}</h2>
${this.blocks(blocks, 1)}
</section>
`;
    const heading = depth === 1 ? html`<h3>${this.text(title)}</h3>` : html`<h4>${this.text(title)}</h4>`;
    const body = html`${heading}${this.blocks(blocks, depth + 1)}`;
    return id === undefined
      ? html`<div class="part">${body}</div>`
      : html`<article class="box" id="${anchor(id)}">${body}</article>`;
  }

  #list({ items, ordered, most }: ListBlock): Html {
    const lines = items.slice(0, mostRows).map((item) => {
      if (typeof item !== "object" || !("below" in item)) return html`<li>${this.text(item)}</li>`;
      return html`<li>${this.text({ lines: [item.text, ...item.below] })}</li>`;
    });
    const rest = this.#rest(items.length, most?.one ?? "line", most?.many);
    return ordered ? html`<ol>${lines}</ol>${rest}` : html`<ul>${lines}</ul>${rest}`;
  }

  #rest(all: number, one: string, many = `${one}s`, shown = mostRows): Html | undefined {
    if (all <= shown) return undefined;
    return html`<p class="faint">${counted(all - shown, `more ${one} is`, `more ${many} are`)} in ${this.#whole}.</p>`;
  }

  #table(block: TableBlock): Html {
    const { caption, rows, most } = block;
    const cell = (text: Text | undefined) => {
      const shown = this.text(text ?? "");
      return shown.text === "" ? html`–` : shown;
    };
    const columns = columnsFor("html", block).map(({ head, at }) => {
      const shown = typeof head === "string" ? html`${capitalized(head)}` : this.text(head);
      return { at, shown };
    });
    const [first, ...others] = columns;
    return html`<div class="table" role="group" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption>
<thead><tr>${columns.map(({ shown }) => html`<th scope="col">${shown}</th>`)}</tr></thead>
<tbody>${rows.slice(0, mostRows).map(({ cells }) => html`<tr><th scope="row">${cell(cells[first?.at ?? 0])}</th>${others.map(({ at }) => html`<td>${cell(cells[at])}</td>`)}</tr>`)}</tbody></table></div>
${this.#rest(rows.length, most?.one ?? "row", most?.many)}`;
  }

  #cards({ cards, nouns }: CardsBlock): Html {
    const shown = cards.slice(0, this.#cardsLeft);
    this.#cardsLeft -= shown.length;
    return html`<div class="cards">${shown.map((card) => this.#card(card))}</div>${this.#rest(cards.length, nouns.card, undefined, shown.length)}`;
  }

  #card({ tone, label, id, about, title, quote, keys, findings }: Card): Html {
    return html`<article class="card ${tone}" id="${anchor(id)}" data-group${filterKeys(keys)}>
<p class="about faint">${chip(tone, label)} <a class="id" href="#${anchor(id)}"><code>${id}</code></a> <span>${this.text(about)}</span></p>
${findings.map((finding, at) => this.#finding(finding, at === 0 ? this.#rule(title, quote) : undefined))}
</article>
`;
  }

  /** What the spec demands, below the fact. */
  #rule(title: Text, quote: string | undefined): Html {
    return html`<p class="rule faint">${this.text(title)}${quote === undefined ? undefined : html` <q>${this.text(quote)}</q>`}</p>`;
  }

  #finding(
    { id, title, facts, remarks = [], also = [], places, exchanges, command, ticket }: CardFinding,
    rule: Html | undefined,
  ): Html {
    const [main, ...others] = facts.slice(0, mostFacts);
    const lines = others.map((fact) => this.#fact(fact));
    const more = lines.slice(fewestFacts);
    const aside = remarks.map((remark) => this.text(remark)).filter(({ text }) => text !== "");
    const copied = exchanges.length === 0 ? undefined : this.#ticket(ticket?.());
    const button = copied && html`<button type="button" class="copy-ticket" hidden>Copy as ticket</button> `;
    const head = main === undefined ? undefined : this.text(main.text);
    const shown = places === undefined ? undefined : this.blocks(places(), 2);
    // The first finding of a card has the rule; the others are often the same in another place.
    const place =
      shown === undefined || rule !== undefined
        ? shown
        : html`<details class="more"><summary>Where it shows</summary>${shown}</details>`;
    return html`<div class="finding" data-item${id === undefined ? undefined : html` id="${anchor(id)}"`}>
${head === undefined ? undefined : html`<h3>${head}</h3>`}${rule}
${title === undefined ? undefined : html`<p class="faint">${this.text(title)}</p>`}
${aside.map((remark) => html`<p class="faint">${remark}</p>`)}
${place}
${also.length === 0 ? undefined : html`<p class="faint">Found by ${also.length + 1} checks, also by: ${also.map((one, at) => html`${at === 0 ? "" : "; "}<span id="${anchor(one.id)}">${this.text(one.title)}</span>`)}</p>`}
${whereLines(main?.where ?? [], (line) => this.text(line))}
${lines.length === 0 ? undefined : html`<ul class="facts-found">${lines.slice(0, fewestFacts)}</ul>`}${more.length === 0 ? undefined : html`<details class="more"><summary>${grouped(more.length)} more</summary><ul class="facts-found">${more}</ul></details>`}
${exchanges.length === 0 || command === undefined ? undefined : html`<p class="actions">${button}<span>Replay: ${commandLine(command)}</span></p>`}
${copied}${exchanges.length === 0 ? undefined : this.#exchanges(exchanges)}
</div>
`;
  }

  #fact({ text, where = [] }: Fact): Html {
    return html`<li>${this.text(text)}${whereLines(where, (line) => this.text(line))}</li>`;
  }

  #rows({ rows }: RowsBlock, depth: number): Html {
    const shown = rows.slice(0, this.#rowsLeft);
    this.#rowsLeft -= shown.length;
    return html`<ul class="rows">${shown.map((row) => this.#row(row, depth))}</ul>${this.#rest(rows.length, "row", undefined, shown.length)}`;
  }

  #row({ tone, label, text, id, to, keys, blocks = [] }: LabelledRow, depth: number): Html {
    const shown = html`${tone === undefined || label === undefined ? undefined : chip(tone, label)} <span class="says">${this.text(text)}</span>`;
    const item = keys === undefined ? undefined : html` data-item${filterKeys(keys)}`;
    const named = id === undefined ? undefined : html` id="${anchor(id)}"`;
    const inner = this.blocks(blocks, depth + 1);
    if (inner.length > 0)
      return html`<li class="row"${item}${named}><details><summary>${shown}</summary><div class="opened">${inner}</div></details></li>`;
    if (to !== undefined)
      return html`<li class="row"${item}${named}><a href="${addressOf(to)}">${shown}</a></li>`;
    return html`<li class="row"${item}${named}><div>${shown}</div></li>`;
  }

  #fold({ title, tone, aside, open = false, filtered, blocks }: FoldBlock, depth: number): Html {
    const body = this.blocks(blocks, depth + 1);
    const state = open ? raw(" open") : undefined;
    if (!filtered)
      return html`<details class="more"${state}><summary>${this.text(title)}</summary>${body}</details>`;
    return html`<details class="card fold ${tone ?? "plain"}" data-group${state}>
<summary><span class="name">${this.text(title)}</span>${aside === undefined ? undefined : html`<span class="aside faint">${this.text(aside)}</span>`}</summary>
${body}
</details>
`;
  }

  /** A fold that opens to exchanges, as far as there is room. */
  #exchanges(exchanges: readonly Evidence[]): Html {
    const shown = exchanges.slice(0, mostExchanges).map((exchange) => this.#ifRoom(exchangeParts(exchange)));
    const count =
      exchanges.length > 1 ? html` <span>(${counted(exchanges.length, "exchange")})</span>` : undefined;
    const isWhole = shown.length === exchanges.length && !shown.includes(undefined);
    const rest = isWhole ? undefined : html`<p class="faint">${this.#whole} has all of them.</p>`;
    return html`<details class="slot"><summary>Request, response, curl${count}</summary>${shown}${rest}</details>`;
  }

  /** The text of a ticket, for a button that the script shows. */
  #ticket(text: string | undefined): Html | undefined {
    if (text === undefined) return undefined;
    return this.#ifRoom(html`<pre class="ticket" hidden>${clip(text, longestTicket)}</pre>`);
  }

  #ifRoom(part: Html): Html | undefined {
    const bytes = Buffer.byteLength(part.text);
    if (bytes > this.#bytesLeft) return undefined;
    this.#bytesLeft -= bytes;
    return part;
  }

  #place(place: PlaceBlock): Html {
    if (place.beside === undefined) return this.#exchangeAt(place);
    return html`<div class="beside"><div>${this.#exchangeAt(place.beside)}</div><div>${this.#exchangeAt(place)}</div></div>`;
  }

  #exchangeAt({ heading, exchange, excerpt }: PlaceBlock): Html {
    return html`${heading === undefined ? undefined : html`<p class="faint">${heading}</p>`}${exchangeLine(exchange)}${this.#sentItem(exchange)}${excerpt === undefined ? undefined : this.#excerpt(excerpt)}${wholeBody(exchange)}`;
  }

  /** The batch item in the request that the excerpt of the response belongs to. */
  #sentItem({ request }: Evidence): Html | undefined {
    const [excerpt] = request.excerpts ?? [];
    if (excerpt === undefined) return undefined;
    const item = excerpt.lines.flatMap(({ text, mark }) => (mark === "place" ? [text.trim()] : [])).join(" ");
    if (item.length > longestName)
      return html`<div class="sent faint"><p class="faint">Sent</p>${this.#excerpt({ name: "Item of the request", lines: excerpt.lines })}</div>`;
    return html`<p class="sent faint">Sent ${this.text(placeName(excerpt.path))}: <code>${item.replace(/,$/, "")}</code></p>`;
  }

  /** Lines of a response, what a finding is about highlighted. */
  #excerpt({ name, lines, isReference = false }: PlaceExcerpt): Html {
    const shown = lines.map(({ text, mark, expected }, index) => {
      const line = clip(text, 400);
      const content = line.trimStart();
      const indent = line.slice(0, line.length - content.length);
      const wanted = expected === undefined ? undefined : html`\n${indent}<ins>${this.text(expected)}</ins>`;
      const end = index === lines.length - 1 ? "" : "\n";
      if (mark === "place") return html`${indent}<mark>${content}</mark>${wanted}${end}`;
      return mark === "left-out" ? html`<span class="faint">${line}</span>${end}` : html`${line}${end}`;
    });
    return html`<pre class="excerpt${isReference ? " reference" : ""}" tabindex="0" role="group" aria-label="${clip(name, longestName)}">${shown}</pre>`;
  }
}

/** How often and where, below a fact. */
function whereLines(lines: readonly string[], shown: (line: string) => Html): Html | undefined {
  return lines.length === 0
    ? undefined
    : html`<span class="where faint">${lines.map((line) => html`<span>${shown(line)}</span> `)}</span>`;
}

/** A label with a colour and a sign, so that colour is never the only information. */
function chip(tone: Tone, label: string): Html {
  return html`<span class="chip ${tone}">${capitalized(label)}</span>`;
}

function filterKeys(keys: FilterKeys | undefined): Html | undefined {
  return keys === undefined
    ? undefined
    : html` data-verdict="${keys.verdict}" data-section="${keys.section}"`;
}

function addressOf(to: string): string {
  if (to.startsWith("#")) return `#${anchor(to.slice(1))}`;
  return to
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");
}

function outside(address: string): Html {
  const leads = URL.canParse(address) && ["http:", "https:"].includes(new URL(address).protocol);
  const shown = html`<bdi>${clip(address, 120)}</bdi>`;
  return leads ? html`<a href="${address}" rel="noreferrer noopener">${shown}</a>` : shown;
}

/** One exchange: the request, the response, and the command that sends the request again. */
function exchangeParts({ request, response, curl, startedAt }: Evidence): Html {
  const sent = startedAt === undefined ? "" : `, sent at ${startedAt.slice(11, 23)} UTC`;
  const start = `${clip(request.method, 40)} ${clip(request.url, 2000)}`;
  const body = request.body === undefined ? undefined : clip(request.body, longestBody);
  return html`<div class="exchange">
<div><p class="heading">Request</p>${textBlock("Request", [start, ...headerLines(request.headers)], body)}</div>
<div><p class="heading">Response <span class="faint">${statusName(response.status)}${sent}, ${durationText(response)}</span></p>${textBlock("Response", headerLines(response.headers), prettyJson(bodyText(response, longestBody)))}</div>
<div class="curl"><p class="heading">Repeat</p>${textBlock("Command to repeat the request", [], clip(curl, longestCommand))}</div>
</div>`;
}

/** A scrollable block that can be focused; the head is dimmed. */
function textBlock(label: string, head: readonly string[], body = ""): Html {
  const gap = head.length > 0 && body !== "" ? "\n\n" : "";
  return html`<pre tabindex="0" role="group" aria-label="${label}">${head.length === 0 ? undefined : html`<span class="faint">${head.join("\n")}</span>`}${gap}${body}</pre>`;
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${clip(name, 200)}: ${clip(value, 1000)}`);
}

/** One exchange in a line: `GET /v1/… → 404`. */
function exchangeLine({ request, response }: Evidence): Html {
  const url = URL.canParse(request.url) ? request.url.slice(new URL(request.url).origin.length) : request.url;
  return html`<p class="line faint"><code>${clip(request.method, 20)} ${clip(url, 160)}</code> → <b>${statusName(response.status)}</b></p>`;
}

/** A link to the complete body in the folder of the page. */
function wholeBody({ response: { cut } }: Evidence): Html | undefined {
  if (cut?.file === undefined) return undefined;
  return html`<p><a href="${addressOf(cut.file)}">The whole body</a> (${grouped(cut.of)} characters)</p>`;
}
