import type { RequirementResult } from "../../../schemas/types.ts";
import { anchor } from "./anchor.ts";
import type { Embedding } from "./embedding.ts";
import { type Html, html } from "./markup.ts";
import { quoted, verdictChip } from "./parts.ts";
import { grouped, verdictWords } from "./words.ts";

type Verdict = RequirementResult["verdict"];
const verdicts = Object.keys(verdictWords) as Verdict[];

/** Every requirement with its verdict, by the sections of the spec; those without a card open to their checks. */
export function renderCoverage(requirements: readonly RequirementResult[], embedding: Embedding): Html {
  const bySection = Map.groupBy(requirements, ({ section }) => section);
  return html`<div class="coverage">${[...bySection].map(
    ([name, group]) => html`<details class="section" data-group>
<summary><span class="name">${quoted(name, 200)}</span>${bar(group)}<span class="counts">${counts(group)}</span></summary>
<ul class="plain">${group.map((requirement) => renderRow(requirement, embedding))}</ul>
</details>
`,
  )}</div>`;
}

function renderRow(requirement: RequirementResult, embedding: Embedding): Html {
  const { id, statement, verdict, section } = requirement;
  const words = html`${verdictChip(verdict)} <span class="says">${quoted(statement, embedding.rowLimit)} <code>${id}</code></span>`;
  const data = html`class="row" data-item data-verdict="${verdict}" data-section="${section}"`;
  if (verdict !== "pass" && verdict !== "notApplicable")
    return html`<li ${data}><a href="#${anchor(id)}">${words}</a></li>`;
  return html`<li ${data}><details data-row="${embedding.row(requirement)}"><summary id="${anchor(id)}">${words}</summary></details></li>`;
}

function counts(group: readonly RequirementResult[]): string {
  return verdicts
    .map((verdict) => [verdict, of(group, verdict)] as const)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${grouped(count)} ${verdictWords[verdict].toLowerCase()}`)
    .join(", ");
}

// An SVG, since its widths are attributes: the page's policy lets no style attribute through.
function bar(group: readonly RequirementResult[]): Html {
  let from = 0;
  const parts = verdicts.map((verdict) => {
    const width = (100 * of(group, verdict)) / group.length;
    const part = html`<rect class="${verdict}" x="${from}" width="${width}" height="8"></rect>`;
    from += width;
    return width === 0 ? undefined : part;
  });
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>`;
}

function of(group: readonly RequirementResult[], verdict: Verdict): number {
  return group.filter((requirement) => requirement.verdict === verdict).length;
}
