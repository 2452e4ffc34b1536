import type { Results } from "../../../schemas/types.ts";
import { renderBody } from "./body.ts";
import { Embedding } from "./embedding.ts";
import { embeddedJson } from "./fit-exchanges.ts";
import { type Html, html, raw } from "./markup.ts";
import { loadPageAssets, type PageAssets } from "./page-assets.ts";
import { renderPageHead } from "./page-head.ts";
import { grouped, runWords } from "./words.ts";

/** The page's size stays below this up to 5,000 findings at least: exchanges take what the texts leave. */
const mostBytes = 9_500_000;
const mostTextBytes = 8_000_000;

/**
 * The report as one self-contained HTML page: no request leaves it, text of a target is only ever text, and the
 * verdict and the failures are there without script.
 *
 * @param assets Script and style, when the caller renders several pages and bundled them once.
 */
export async function renderHtml(results: Results, assets?: PageAssets): Promise<string> {
  const { script, style } = assets ?? (await loadPageAssets());
  const { body, embedding } = renderToFit(results);
  const room = mostBytes - Buffer.byteLength(body.text) - script.length - style.length;
  const charts = results.load.map(({ scenario, profile, series, percentiles }) => ({
    name: `${scenario} (${profile})`,
    ...(series === undefined ? {} : { series }),
    ...(percentiles === undefined ? {} : { percentiles }),
  }));
  const { data, cutAt } = embedding.data(Math.max(0, room), charts);
  const title = html`${runWords[results.verdict]}: ${results.command} of ${results.target.name} (shelfcheck)`;
  return html`<!doctype html>
<html lang="en">
${renderPageHead({ title, style, script })}
<body>
${body}
${cutAt === undefined ? undefined : html`<p class="cut">Bodies are cut to ${grouped(cutAt)} characters here, to keep the page small; results.json has them whole.</p>`}
<script type="application/json" id="page-data">${raw(embeddedJson(data))}</script>
</body>
</html>
`.text;
}

// Texts are short enough almost always; a target that fills each with marked or escaped characters gets less of them.
function renderToFit(results: Results): { body: Html; embedding: Embedding } {
  for (const scale of [1, 0.5, 0.2]) {
    const embedding = new Embedding(results, scale);
    const body = renderBody(results, embedding);
    if (Buffer.byteLength(body.text) < mostTextBytes) return { body, embedding };
  }
  const embedding = new Embedding(results, 0);
  return { body: renderBody(results, embedding), embedding };
}
