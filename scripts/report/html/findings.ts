import type { Evidence } from "../../../schemas/types.ts";
import { counted } from "../../../schemas/words/format.ts";
import type { NotJudgedCause, ReportSection, ShownCheck, ShownLoad, ShownRequirement } from "../model.ts";
import type { Embedding } from "./embedding.ts";
import {
  anchor,
  excerptBlock,
  exchangeLine,
  type Html,
  html,
  loadChip,
  prose,
  quoted,
  verdictChip,
} from "./markup.ts";

/** One card for each requirement, with the checks that speak against it; then `more` cards. */
export function renderFindings(
  requirements: readonly ShownRequirement[],
  embedding: Embedding,
  more: readonly Html[] = [],
): Html {
  return html`<div class="cards">${requirements.map((requirement) => renderCard(requirement, embedding))}${more}</div>`;
}

/** A card for each load run that speaks against the target, with its reasons; figures and charts are further down. */
export function renderFailedLoad(load: readonly ShownLoad[]): Html[] {
  return load.flatMap(({ result: { verdict }, name, reasons }, index) => {
    if (verdict !== "fail" && verdict !== "slower") return [];
    return html`<article class="card fail" data-group data-verdict="fail" data-section="Load">
<h3>Load: ${quoted(name, 120)}</h3>
<div class="finding" data-item id="failed-load-${index}">
<p>${loadChip(verdict)} <a href="#load-${index}">figures and charts</a></p>
<ul class="reasons">${reasons.slice(0, 50).map((reason) => html`<li>${prose(reason, 600)}</li>`)}</ul>
</div>
</article>
`;
  });
}

function renderCard(requirement: ShownRequirement, embedding: Embedding): Html {
  const { id, section, level, statement, verdict, text, reported } = requirement;
  return html`<article class="card ${verdict}" id="${anchor(id)}" data-group data-verdict="${verdict}" data-section="${section}">
<h3>${quoted(statement, embedding.textLimit)}</h3>
<p class="about">${verdictChip(verdict)} <a class="id" href="#${anchor(id)}"><code>${id}</code></a> <span>${section}, ${level.toUpperCase()}</span></p>
${reported.length === 0 ? html`<p class="finding" data-item>${prose(text, embedding.textLimit)}</p>` : reported.map((check) => renderCheck(check, embedding))}
</article>
`;
}

function renderCheck(
  { id, title, parts, remarks, evidence, waiver }: ShownCheck,
  embedding: Embedding,
): Html {
  return html`<div class="finding" data-item id="${anchor(id)}">
<p><b>${quoted(title, embedding.textLimit)}</b>${remarks === "" ? undefined : html` <span class="often">${remarks.trim()}</span>`}</p>
${parts.length <= 1 ? html`<p class="reason">${prose(parts[0] ?? "", embedding.textLimit)}</p>` : html`<ul class="reason">${parts.slice(0, 20).map((part) => html`<li>${prose(part, embedding.textLimit)}</li>`)}</ul>`}
${waiver === undefined ? undefined : html`<p class="waived">Waived until ${waiver.expires} by ${quoted(waiver.owner, 100)}: ${quoted(waiver.reason)}</p>`}
${renderPlaces(evidence, embedding)}${renderSlot(embedding.slot(evidence), evidence.length)}
</div>
`;
}

/** Exchanges whose excerpts are shown at once: what was found, and what it was compared with. */
const mostPlaces = 2;

/** The exchange in a line, and where findings name places in its body, the body around the first of them. */
function renderPlaces(evidence: readonly Evidence[], embedding: Embedding): Html[] {
  const placed = evidence.filter(({ response }) => response.excerpts !== undefined).slice(0, mostPlaces);
  if (placed.length === 0 || !embedding.showsExcerpts) return evidence.slice(0, 1).map(exchangeLine);
  return placed.map((exchange) => {
    const [first] = exchange.response.excerpts ?? [];
    return html`${exchangeLine(exchange)}${first === undefined ? undefined : excerptBlock(first)}`;
  });
}

/** What opens to the exchanges of a slot, built by the page's script. */
export function renderSlot(slot: number | undefined, count: number): Html | undefined {
  if (slot === undefined) return undefined;
  return html`<details class="slot" data-slot="${slot}"><summary>Request, response, curl${count > 1 ? html` <span>(${counted(count, "exchange")})</span>` : undefined}</summary></details>`;
}

/** What was not judged, by the cause: that is what someone can fix. */
export function renderNotJudged(causes: readonly NotJudgedCause[], embedding: Embedding): Html {
  return html`<div class="cards">${causes.map(
    ({ cause, requirements, also }) => html`<article class="card inconclusive" data-group data-text-only>
<h3>${prose(cause, 2000)}</h3>
<ul class="plain">${requirements.map((requirement) => renderNotJudgedLine(requirement, embedding))}</ul>
${also.length > 0 ? html`<p class="about">Needed as well by ${also.map(({ id }) => html` <a class="id" href="#${anchor(id)}"><code>${id}</code></a>`)}</p>` : undefined}
</article>
`,
  )}</div>`;
}

function renderNotJudgedLine(requirement: ShownRequirement, embedding: Embedding): Html {
  const { id, statement, section, level, verdict } = requirement;
  return html`<li class="finding" data-item data-verdict="${verdict}" data-section="${section}" id="${anchor(id)}"><p>${quoted(statement, embedding.textLimit)}</p>
<p class="about">${verdictChip(verdict)} <a class="id" href="#${anchor(id)}"><code>${id}</code></a> <span>${section}, ${level.toUpperCase()}</span></p>
<details class="slot" data-row="${embedding.row(requirement)}"><summary>Its checks</summary></details></li>`;
}

/** Every requirement with its verdict, by the sections of the spec; those without a card open to their checks. */
export function renderCoverage(sections: readonly ReportSection[], embedding: Embedding): Html {
  return html`<div class="coverage">${sections.map(
    (section) => html`<details class="section" data-group>
<summary><span class="name">${quoted(section.name, 200)}</span>${bar(section)}<span class="counts">${section.text}</span></summary>
<ul class="plain">${section.requirements.map((requirement) => renderRow(requirement, embedding))}</ul>
</details>
`,
  )}</div>`;
}

function renderRow(requirement: ShownRequirement, embedding: Embedding): Html {
  const { id, statement, verdict, section } = requirement;
  const label = html`${verdictChip(verdict)} <span class="says">${quoted(statement, embedding.rowLimit)} <code>${id}</code></span>`;
  const data = html`class="row" data-item data-verdict="${verdict}" data-section="${section}"`;
  if (verdict !== "pass" && verdict !== "notApplicable")
    return html`<li ${data}><a href="#${anchor(id)}">${label}</a></li>`;
  return html`<li ${data}><details data-row="${embedding.row(requirement)}"><summary id="${anchor(id)}">${label}</summary></details></li>`;
}

// An SVG, since its widths are attributes: the page's policy lets no style attribute through.
function bar({ counts, requirements }: ReportSection): Html {
  let from = 0;
  const parts = counts.map(([verdict, count]) => {
    const width = (100 * count) / requirements.length;
    const part = html`<rect class="${verdict}" x="${from}" width="${width}" height="8"></rect>`;
    from += width;
    return part;
  });
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}
