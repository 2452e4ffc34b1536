import type { CheckResult, LoadResult, RequirementResult } from "../../../schemas/types.ts";
import { defaultWords } from "../../../schemas/words/finding-words.ts";
import { findingText } from "../../../schemas/words/index.ts";
import { unjudgedCauses } from "../unjudged.ts";
import { anchor } from "./anchor.ts";
import type { Embedding } from "./embedding.ts";
import { type Html, html } from "./markup.ts";
import { exchangeLine, loadChip, quoted, verdictChip } from "./parts.ts";
import { toldChecks } from "./sort-requirements.ts";
import { counted } from "./words.ts";

/** One card for each requirement, with the checks that told against it; then `more` cards. */
export function renderFindings(
  requirements: readonly RequirementResult[],
  embedding: Embedding,
  more: readonly Html[] = [],
): Html {
  return html`<div class="cards">${requirements.map((requirement) => renderCard(requirement, embedding))}${more}</div>`;
}

/** Whether a load run speaks against the target. */
export function isBroken({ verdict }: LoadResult): boolean {
  return verdict === "fail" || verdict === "slower";
}

/** A card for each load run that speaks against the target, with its reasons; figures and charts are further down. */
export function renderBrokenLoad(load: readonly LoadResult[]): Html[] {
  return load.flatMap((result, index) => {
    if (!isBroken(result)) return [];
    const { scenario, profile, verdict, findings } = result;
    return html`<article class="card fail" data-group data-verdict="fail" data-section="Load">
<h3>Load: ${quoted(scenario, 60)}, profile ${quoted(profile, 60)}</h3>
<div class="finding" data-item id="broken-load-${index}">
<p>${loadChip(verdict)} <a href="#load-${index}">figures and charts</a></p>
<ul class="reasons">${findings.slice(0, 50).map((finding) => html`<li>${quoted(findingText(finding, defaultWords), 600)}</li>`)}</ul>
</div>
</article>
`;
  });
}

function renderCard(requirement: RequirementResult, embedding: Embedding): Html {
  const { id, section, level, statement, verdict, reason } = requirement;
  const checks = toldChecks(requirement);
  return html`<article class="card ${verdict}" id="${anchor(id)}" data-group data-verdict="${verdict}" data-section="${section}">
<h3>${quoted(statement, embedding.textLimit)}</h3>
<p class="about">${verdictChip(verdict)} <a class="id" href="#${anchor(id)}"><code>${id}</code></a> <span>${section}, ${level.toUpperCase()}</span></p>
${checks.length === 0 ? html`<p class="finding" data-item>${quoted(reason, embedding.textLimit)}</p>` : checks.map((check) => renderCheck(check, embedding))}
</article>
`;
}

function renderCheck(check: CheckResult, embedding: Embedding): Html {
  const { id, title, reason, occurrences = 1, evidence, waiver } = check;
  const often =
    occurrences > 1 ? html` <span class="often">seen ${counted(occurrences, "time")}</span>` : undefined;
  const [first] = evidence;
  return html`<div class="finding" data-item id="${anchor(id)}">
<p><b>${quoted(title, embedding.textLimit)}</b>${often}</p>
<p class="reason">${quoted(reason, embedding.textLimit)}</p>
${waiver === undefined ? undefined : html`<p class="waived">Waived until ${waiver.expires} by ${quoted(waiver.owner, 100)}: ${quoted(waiver.reason)}</p>`}
${first === undefined ? undefined : exchangeLine(first)}${renderSlot(embedding.slot(evidence), evidence.length)}
</div>
`;
}

/** What opens to the exchanges of a slot, built by the page's script. */
export function renderSlot(slot: number | undefined, count: number): Html | undefined {
  if (slot === undefined) return undefined;
  return html`<details class="slot" data-slot="${slot}"><summary>Request, answer, curl${count > 1 ? html` <span>(${counted(count, "exchange")})</span>` : undefined}</summary></details>`;
}

/** What could not be judged, by the cause: that is what someone can mend. */
export function renderUnjudged(unjudged: readonly RequirementResult[], embedding: Embedding): Html {
  return html`<div class="cards">${unjudgedCauses(unjudged).map(
    ({ cause, requirements, also }) => html`<article class="card inconclusive" data-group data-text-only>
<h3>${quoted(cause, 2000)}</h3>
<ul class="plain">${requirements.map((requirement) => renderUnjudgedLine(requirement, embedding))}</ul>
${also.length > 0 ? html`<p class="about">Needed as well by ${also.map(({ id }) => html` <a class="id" href="#${anchor(id)}"><code>${id}</code></a>`)}</p>` : undefined}
</article>
`,
  )}</div>`;
}

function renderUnjudgedLine(requirement: RequirementResult, embedding: Embedding): Html {
  const { id, statement, section, level, verdict } = requirement;
  return html`<li class="finding" data-item data-verdict="${verdict}" data-section="${section}" id="${anchor(id)}"><p>${quoted(statement, embedding.textLimit)}</p>
<p class="about">${verdictChip(verdict)} <a class="id" href="#${anchor(id)}"><code>${id}</code></a> <span>${section}, ${level.toUpperCase()}</span></p>
<details class="slot" data-row="${embedding.row(requirement)}"><summary>Its checks</summary></details></li>`;
}
