import type { RequirementResult, Results } from "../../../schemas/types.ts";
import { renderDrift, renderWaivers } from "./acceptance.ts";
import { renderDiscovered, renderRun } from "./background.ts";
import { renderCoverage } from "./coverage.ts";
import type { Embedding } from "./embedding.ts";
import { renderFilter } from "./filter.ts";
import { renderBrokenLoad, renderFindings, renderUnjudged } from "./findings.ts";
import { renderLoad } from "./load.ts";
import { type Html, html } from "./markup.ts";
import { section } from "./parts.ts";
import { sortRequirements } from "./sort-requirements.ts";
import { renderVerdict } from "./verdict.ts";
import { grouped } from "./words.ts";

/** What the keyboard does, as a dialog that `?` opens. */
function renderKeys(): Html {
  const keys = [
    ["/", "search"],
    ["j", "next finding"],
    ["k", "finding before"],
    ["↓ ↑", "the same, once at a finding"],
    ["Enter", "open or close it"],
    ["Esc", "close it, or clear the search"],
    ["?", "this"],
  ] as const;
  return html`<dialog aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl>${keys.map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`)}</dl>
<form method="dialog"><button>Close</button></form></dialog>`;
}

interface PagePart {
  readonly id: string;
  readonly title: string;
  readonly count?: number;
  readonly body: Html;
}

/** From here on the browser lays out only what is near the screen. */
const manyRequirements = 300;

/** Everything that the page shows, in the order in which a release is decided. */
export function renderBody(results: Results, embedding: Embedding): Html {
  const { requirements } = results;
  const sorted = sortRequirements(results);
  const parts = pageParts(results, sorted, embedding);
  return html`<a class="skip" href="#main">Skip to the findings</a>
<div class="page${requirements.length > manyRequirements ? " many" : ""}">
${renderVerdict(results, sorted)}
<nav class="contents" aria-label="On this page"><ul>${parts.map(({ id, title, count }) => html`<li><a href="#${id}">${title}${count === undefined ? undefined : html` <span>${grouped(count)}</span>`}</a></li>`)}</ul></nav>
<main id="main">
${renderFilter(requirements)}
<p class="note">Without script the page shows the verdict, the findings and the tables. Requests, answers and charts open with script; results.json has them too.</p>
${parts.map(({ id, title, body }) => section(id, title, body))}
</main>
</div>
${renderKeys()}
`;
}

function pageParts(
  results: Results,
  { broken, waived, worthALook, unjudged }: ReturnType<typeof sortRequirements>,
  embedding: Embedding,
): PagePart[] {
  const { waivers = [], drift, load, requirements } = results;
  const findings = (
    id: string,
    title: string,
    list: readonly RequirementResult[],
    more: readonly Html[] = [],
  ): PagePart[] =>
    list.length + more.length === 0
      ? []
      : [{ id, title, count: list.length + more.length, body: renderFindings(list, embedding, more) }];
  return [
    ...findings("broken", "What broke", broken, renderBrokenLoad(load)),
    ...(unjudged.length === 0
      ? []
      : [
          {
            id: "unjudged",
            title: "Could not be judged",
            count: unjudged.length,
            body: renderUnjudged(unjudged, embedding),
          },
        ]),
    ...(waivers.length + waived.length === 0
      ? []
      : [
          {
            id: "waivers",
            title: "Waivers",
            count: waivers.length,
            body: html`${waivers.length === 0 ? undefined : renderWaivers(waivers, requirements)}${renderFindings(waived, embedding)}`,
          },
        ]),
    ...(drift === undefined
      ? []
      : [
          {
            id: "drift",
            title: "Changes since the baseline",
            count: drift.changes.length,
            body: renderDrift(drift),
          },
        ]),
    ...findings("worth-a-look", "Worth a look", worthALook),
    ...(load.length === 0
      ? []
      : [
          {
            id: "load",
            title: "Load",
            count: load.length,
            body: html`${load.map((result, index) => renderLoad(result, index, embedding))}`,
          },
        ]),
    ...(requirements.length === 0
      ? []
      : [
          {
            id: "coverage",
            title: "Coverage of the spec",
            count: requirements.length,
            body: renderCoverage(requirements, embedding),
          },
        ]),
    { id: "discovered", title: "What was discovered", body: renderDiscovered(results) },
    { id: "run", title: "How it was run", body: renderRun(results) },
  ];
}
