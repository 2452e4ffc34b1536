import { requirements as allRequirements, type Requirement } from "../../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../../conformance/requirements/requirement.ts";
import { counted } from "../../../schemas/words/format.ts";
import type { Report } from "../model.ts";
import type { ReportSection, ShownRequirement } from "../shown-requirements.ts";
import type { Embedding } from "./embedding.ts";
import { anchor, chip, type Html, html, prose, quoted, verdictChip } from "./markup.ts";

/**
 * The requirements in the order of the spec, each with its verdict. Those that no check can judge from outside have the
 * reason. Requirements without a card open to their checks.
 */
export function renderCoverage(report: Report, embedding: Embedding): Html {
  const whole = report.results.scope === undefined;
  return html`<div class="coverage">${report.sections.map((section) => renderSection(section, { embedding, whole }))}</div>`;
}

interface CoverageParts {
  readonly embedding: Embedding;
  /** Whether the whole suite ran, so that a requirement without a result is one that cannot be judged. */
  readonly whole: boolean;
}

const order: readonly string[] = allRequirements.map(({ id }) => id);

function renderSection(section: ReportSection, { embedding, whole }: CoverageParts): Html {
  const { name, requirements, text } = section;
  const judged = new Set(requirements.map(({ id }) => id));
  const outside = whole
    ? allRequirements.filter(
        (one) =>
          sections[sectionOf(one.id)] === name && !judged.has(one.id) && one.treatment.kind !== "judged",
      )
    : [];
  const place = (id: string) => (order.includes(id) ? order.indexOf(id) : order.length);
  const rows = [
    ...requirements.map((one) => ({ at: place(one.id), row: renderRow(one, embedding) })),
    ...outside.map((one) => ({ at: place(one.id), row: renderOutside(one) })),
  ].toSorted((one, other) => one.at - other.at);
  const beside = outside.length === 0 ? "" : `, ${counted(outside.length, "more", "more")} not checked`;
  return html`<details class="section" data-group>
<summary><span class="name">${quoted(name, 200)}</span>${bar(section)}<span class="counts">${text}${beside}</span></summary>
<ul class="plain">${rows.map(({ row }) => row)}</ul>
</details>
`;
}

function renderRow(requirement: ShownRequirement, embedding: Embedding): Html {
  const { id, verdict, section } = requirement;
  const label = html`${verdictChip(verdict)} ${renderSays(requirement, embedding.rowLimit)}`;
  const data = html`class="row" data-item data-verdict="${verdict}" data-section="${section}"`;
  if (verdict !== "pass" && verdict !== "notApplicable")
    return html`<li ${data}><a href="#${anchor(id)}">${label}</a></li>`;
  return html`<li ${data}><details data-row="${embedding.row(requirement)}"><summary id="${anchor(id)}">${label}</summary></details></li>`;
}

function renderSays(
  { id, quote, statement }: Pick<ShownRequirement, "id" | "quote" | "statement">,
  limit: number,
): Html {
  return html`<span class="says">${quote === undefined ? undefined : html`<q>${prose(quote, limit)}</q> `}<span class="statement">${quoted(statement, limit)} <code>${id}</code></span></span>`;
}

/** A requirement that no check judges, with the reason. */
function renderOutside({ id, quote, statement, treatment }: Requirement): Html {
  const why =
    treatment.kind === "excluded"
      ? treatment.why
      : treatment.kind === "gap"
        ? `The specification does not show ${treatment.what}.`
        : "It binds clients; shelfcheck's own client complies with it.";
  return html`<li class="row outside">${chip("plain", "Not checked")} <span class="says"><q>${prose(quote, 400)}</q> <span class="statement">${quoted(statement, 400)} ${quoted(why, 400)} <code>${id}</code></span></span></li>`;
}

// An SVG, because its widths are attributes: the page's policy forbids style attributes.
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
