import type { Evidence } from "../../../schemas/contracts/evidence.ts";
import type { Finding } from "../../../schemas/contracts/finding.ts";
import { clip, counted } from "../../../schemas/words/format.ts";
import { headFact, headLines } from "../../../schemas/words/head-lines.ts";
import { place } from "../../../schemas/words/values.ts";
import type { NotJudgedCause } from "../report-parts.ts";
import type { ShownCheck, ShownFinding, ShownRequirement } from "../shown-requirements.ts";
import { bodyText, prettyJson } from "../text.ts";
import type { Embedding } from "./embedding.ts";
import {
  anchor,
  commandLine,
  excerptBlock,
  exchangeLine,
  type Html,
  html,
  prose,
  quoted,
  verdictChip,
} from "./markup.ts";

/** A card for each requirement with the checks that did not pass, then `more` cards. */
export function renderFindings(
  requirements: readonly ShownRequirement[],
  embedding: Embedding,
  more: readonly Html[] = [],
): Html {
  return html`<div class="cards">${requirements.map((requirement) => renderCard(requirement, embedding))}${more}</div>`;
}

function renderCard(requirement: ShownRequirement, embedding: Embedding): Html {
  const { id, section, level, statement, quote, verdict, text, replay, reported } = requirement;
  return html`<article class="card ${verdict}" id="${anchor(id)}" data-group data-verdict="${verdict}" data-section="${section}">
<p class="about">${verdictChip(verdict)} <a class="id" href="#${anchor(id)}"><code>${id}</code></a> <span>${level.toUpperCase()}, ${section}</span></p>
<h3>${quoted(statement, embedding.textLimit)}</h3>
${quote === undefined || !embedding.showsExcerpts ? undefined : html`<blockquote>${prose(quote, embedding.textLimit)}</blockquote>`}
${reported.length === 0 ? html`<p class="finding" data-item>${prose(text, embedding.textLimit)}</p>` : reported.map((check) => renderCheck(check, { embedding, replay }))}
</article>
`;
}

interface CardParts {
  readonly embedding: Embedding;
  readonly replay: string;
}

/** Number of findings of a check that are not folded. */
const mostFindings = 3;
/** Number of findings of a check with an excerpt. */
const mostPlaces = 2;

function renderCheck(check: ShownCheck, { embedding, replay }: CardParts): Html {
  const { id, title, remarks, evidence, waiver, found } = check;
  const lines = found.slice(0, 50).map((finding) => renderFact(finding, embedding));
  const more = lines.slice(mostFindings);
  const shown =
    found.length === 0
      ? html`<p class="reason">${prose(check.text, embedding.textLimit)}</p>`
      : html`<ul class="facts-found">${lines.slice(0, mostFindings)}</ul>`;
  const ticket = embedding.ticket(id);
  return html`<div class="finding" data-item id="${anchor(id)}">
<p class="title">${quoted(title, embedding.textLimit)}${remarks === "" ? undefined : html` <span class="often">${remarks.trim()}</span>`}</p>
${shown}${more.length === 0 ? undefined : html`<details class="more"><summary>${counted(more.length, "more finding")}</summary><ul class="facts-found">${more}</ul></details>`}
${waiver === undefined ? undefined : html`<p class="waived">Waived until ${waiver.expires} by ${quoted(waiver.owner, 100)}: ${quoted(waiver.reason)}</p>`}
${embedding.showsExcerpts ? renderShownBy(check) : evidence.slice(0, 1).map(exchangeLine)}
${embedding.showsExcerpts && evidence.length > 0 ? html`<p class="actions">${ticket === undefined ? undefined : html`<button type="button" data-ticket="${ticket}" hidden>Copy as ticket</button> `}<span class="again">Repeat: ${commandLine(replay)}</span></p>` : undefined}
${renderSlot(embedding.slot(evidence), evidence.length)}
</div>
`;
}

/** A finding, how often and where it occurred. */
function renderFact(
  { text, fix, often, pattern }: ShownFinding,
  { textLimit, showsExcerpts }: Embedding,
): Html {
  const where = showsExcerpts ? [...(often === undefined ? [] : [often]), ...pattern] : [];
  return html`<li>${prose([text, fix].filter((part) => part !== undefined).join(" "), textLimit)}${where.length === 0 ? undefined : html`<span class="where">${where.map((line) => html`<span>${prose(line, 300)}</span> `)}</span>`}</li>`;
}

/** Headings of two exchanges beside each other, where neither is the reference. */
const exchangeHeadings: Readonly<Record<string, readonly [string, string]>> = {
  "item-repeated": ["First", "Again"],
  "refused-after-wait": ["First, with the wait to keep", "Again, after that wait"],
};

/** Headings of places that show where the product is, not what is wrong. */
const placeHeadings: Readonly<Record<string, string>> = {
  "item-missing": "The page that has the missing product",
  "item-unexpected": "The only page that has the product",
};

/** Evidence of the first findings, beside the exchange that they were compared with. */
function renderShownBy({ found, evidence }: ShownCheck): Html[] {
  const placed = found.filter(({ data }) => evidence[data.exchange ?? 0] !== undefined).slice(0, mostPlaces);
  if (placed.length === 0) return evidence.slice(0, 1).map((exchange) => renderExchange(exchange));
  const once = new Set<string>();
  return placed.flatMap((finding) => {
    const { exchange = 0, path = "", comparedWith, comparedPath = path } = finding.data;
    const key = `${exchange} ${path} ${comparedWith}`;
    const shown = evidence[exchange];
    if (shown === undefined || once.has(key)) return [];
    once.add(key);
    const other = comparedWith === undefined ? undefined : evidence[comparedWith];
    const headings = exchangeHeadings[finding.data.code];
    const [before, after] = headings ?? ["Compared with", "Seen"];
    const placeHeading = placeHeadings[finding.data.code];
    const seen = renderExchange(shown, { finding, path, isReference: finding.placeIsRight });
    if (other === undefined)
      return html`${placeHeading === undefined ? undefined : html`<p class="exchange-heading">${placeHeading}</p>`}${seen}`;
    return html`<div class="beside"><div><p class="exchange-heading">${before}</p>${renderExchange(other, { path: comparedPath, isReference: headings === undefined })}</div><div><p class="exchange-heading">${after}</p>${seen}</div></div>`;
  });
}

/** Maximum number of lines of a body without an excerpt. */
const mostBodyLines = 14;

interface ExchangeParts {
  readonly finding?: ShownFinding;
  /** JSON Pointer to the place to show. */
  readonly path?: string;
  readonly isReference?: boolean;
}

function renderExchange(
  exchange: Evidence,
  { finding, path = "", isReference = false }: ExchangeParts = {},
): Html {
  const { excerpts = [] } = exchange.response;
  const excerpt =
    excerpts.find((one) => one.path === path) ?? (finding === undefined ? excerpts[0] : undefined);
  const data = finding?.data;
  const isInHead = data !== undefined && (headFact(data) !== undefined || data.code === "not-json");
  const body =
    excerpt === undefined || isInHead
      ? headBlock(exchange, data)
      : excerptBlock(excerpt, { expected: finding?.expected, isReference });
  return html`${exchangeLine(exchange)}${sentItem(exchange)}${body}${wholeBody(exchange)}`;
}

/** Maximum length of a batch item that is shown in one line. */
const longestItem = 300;

/** The batch item in the request that the excerpt of the response belongs to. */
function sentItem({ request }: Evidence): Html | undefined {
  const [excerpt] = request.excerpts ?? [];
  if (excerpt === undefined) return undefined;
  const item = excerpt.lines.flatMap(({ text, mark }) => (mark === "place" ? [text.trim()] : [])).join(" ");
  if (item.length > longestItem)
    return html`<div class="sent"><p class="exchange-heading">Sent</p>${excerptBlock(excerpt)}</div>`;
  return html`<p class="sent">Sent ${prose(place(excerpt.path))}: <code>${item.replace(/,$/, "")}</code></p>`;
}

/** A link to the complete body in the folder of the run. */
function wholeBody({ response: { cut } }: Evidence): Html | undefined {
  if (cut?.file === undefined) return undefined;
  return html`<p class="whole"><a href="${cut.file
    .split("/")
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/")}">The whole body</a> (${counted(cut.of, "character")})</p>`;
}

/** Status, relevant headers, and the beginning of the body. */
function headBlock(exchange: Evidence, finding: Finding | undefined): Html | undefined {
  const { response, request } = exchange;
  const lines = [
    ...headLines(exchange, finding).map(
      ({ text, isMarked, expected }) =>
        html`${isMarked ? html`<mark>${text}</mark>` : text}${expected === undefined ? undefined : html`   <ins>${expected}</ins>`}`,
    ),
    ...(finding?.details?.errorCode === undefined && response.body === ""
      ? []
      : bodyStart(bodyText(response, 4000))),
  ];
  const sent =
    request.body === undefined || finding === undefined || headFact(finding) !== "status"
      ? []
      : [html`<span class="head">${clip(request.body, 400)}</span>`, html``];
  return html`<pre class="excerpt" tabindex="0" role="group" aria-label="Response">${[...sent, ...lines].map((line, index, all) => html`${line}${index === all.length - 1 ? "" : "\n"}`)}</pre>`;
}

function bodyStart(body: string): Html[] {
  const lines = prettyJson(body).split("\n");
  const left = lines.length - mostBodyLines;
  return [
    html``,
    ...lines.slice(0, mostBodyLines).map((line) => html`${clip(line, 300)}`),
    ...(left > 0 ? [html`<span class="head">… ${counted(left, "more line")}</span>`] : []),
  ];
}

/** A fold that opens to the exchanges of a slot; the page's script fills it. */
export function renderSlot(slot: number | undefined, count: number): Html | undefined {
  if (slot === undefined) return undefined;
  return html`<details class="slot" data-slot="${slot}"><summary>Request, response, curl${count > 1 ? html` <span>(${counted(count, "exchange")})</span>` : undefined}</summary></details>`;
}

/** Requirements that were not judged, folded under their causes, since a cause is what can be fixed. */
export function renderNotJudged(causes: readonly NotJudgedCause[], embedding: Embedding): Html {
  return html`<div class="cards causes">${causes.map(
    ({ text, fix, requirements, also }) => html`<details class="card inconclusive" data-group data-text-only>
<summary data-stop><span class="name">${prose(text, 2000)}${fix === undefined ? undefined : html` <span class="fix">${prose(fix, 2000)}</span>`}</span> <span class="count">${counted(requirements.length + also.length, "requirement")}</span></summary>
<ul class="plain">${requirements.map((requirement) => renderNotJudgedLine(requirement, embedding))}</ul>
${also.length > 0 ? html`<p class="about">Also needed by ${also.map(({ id }) => html` <a class="id" href="#${anchor(id)}"><code>${id}</code></a>`)}</p>` : undefined}
</details>
`,
  )}</div>`;
}

/** One line for a requirement; it opens to its checks. */
function renderNotJudgedLine(requirement: ShownRequirement, embedding: Embedding): Html {
  const { id, statement, section, level, verdict } = requirement;
  return html`<li class="finding" data-item data-verdict="${verdict}" data-section="${section}" id="${anchor(id)}"><details data-row="${embedding.row(requirement)}"><summary><span>${quoted(statement, embedding.textLimit)} <small><code>${id}</code> ${level.toUpperCase()}, ${section}</small></span></summary></details></li>`;
}
