import type { RequirementResult } from "../../../schemas/types.ts";
import { type Html, html } from "./markup.ts";
import { quoted } from "./parts.ts";
import { verdictWords } from "./words.ts";

/** Search and filters; hidden until the page's script makes them work. */
export function renderFilter(requirements: readonly RequirementResult[]): Html {
  const verdicts = (Object.keys(verdictWords) as RequirementResult["verdict"][]).filter((verdict) =>
    requirements.some((requirement) => requirement.verdict === verdict),
  );
  const sections = [...new Set(requirements.map(({ section }) => section))];
  return html`<form class="filter" role="search" hidden>
<div class="fields">
<label class="search"><span>Search</span><input type="search" name="search" autocomplete="off" spellcheck="false" placeholder="id, sentence, reason" aria-keyshortcuts="/"></label>
<label class="by-section"><span>Section</span><select name="section"><option value="">All sections</option>${sections.map((name) => html`<option value="${name}">${quoted(name, 100)}</option>`)}</select></label>
<fieldset><legend>Verdicts</legend><div class="toggles">${verdicts.map((verdict) => html`<label class="toggle"><input type="checkbox" name="verdict" value="${verdict}"> ${verdictWords[verdict]}</label>`)}</div></fieldset>
</div>
<p class="found"><output name="found" aria-live="polite"></output> <button type="button" hidden>Clear</button></p>
</form>
`;
}
