import type { Verdict } from "../../../conformance/requirements/verdict.ts";
import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import { verdictLabels } from "../../../schemas/verdicts.ts";
import { between, capitalized, counted, grouped, minute } from "../../../schemas/words/format.ts";
import type { Report } from "../model.ts";
import type { LoadFigures } from "../shown-load.ts";
import { countedLabel, type ShownRequirement } from "../shown-requirements.ts";
import { type Tone, verdictTones } from "../tones.ts";
import { renderDiscovered, renderDrift, renderRun, renderWaivers } from "./background.ts";
import type { PageAssets } from "./bundle-page.ts";
import { renderCoverage } from "./coverage.ts";
import { loadPageAssets, type PagePart, renderDocument } from "./document.ts";
import { Embedding, embeddedJson } from "./embedding.ts";
import { renderFindings, renderNotJudged } from "./findings.ts";
import { renderFailedLoad, renderLoad } from "./load.ts";
import { anchor, commandLine, type Html, html, loadChip, prose, quoted, raw, section } from "./markup.ts";

/** Maximum size of the page, kept with up to 5,000 findings: exchanges get the room that the texts leave. */
const mostBytes = 9_500_000;
const mostTextBytes = 8_000_000;

/**
 * The report as a self-contained HTML page. It sends no request, shows text of a target only as text, and has verdict and
 * failures without JavaScript.
 *
 * @param assets Script and style, if the caller has bundled them already.
 */
export async function renderHtml(report: Report, assets?: PageAssets): Promise<string> {
  const { results, load, label } = report;
  const { script, style } = assets ?? (await loadPageAssets("page"));
  const { body, embedding } = renderToFit(report);
  const room =
    mostBytes - Buffer.byteLength(body.text) - script.length - style.length - embedding.ticketBytes;
  const charts = load.map(({ name, latencyLimits, result: { series, percentiles, planned } }) => ({
    name,
    limits: latencyLimits,
    ...(planned === undefined ? {} : { planned }),
    ...(series === undefined ? {} : { series }),
    ...(percentiles === undefined ? {} : { percentiles }),
  }));
  const { data, cutAt } = embedding.data(Math.max(0, room), charts);
  return renderDocument({
    title: html`${capitalized(label)}: ${results.command} of ${results.target.name} (shelfcheck)`,
    style,
    script,
    body: html`${body}
${cutAt === undefined ? undefined : html`<p class="cut">Bodies are cut to ${counted(cutAt, "character")} here, to keep the page small. results.json has more of them.</p>`}
<script type="application/json" id="page-data">${raw(embeddedJson(data))}</script>`,
  });
}

// Texts almost always fit. They are shortened for a target that fills them with characters that need escaping.
function renderToFit(report: Report): { body: Html; embedding: Embedding } {
  for (const scale of [1, 0.5, 0.2]) {
    const embedding = new Embedding(report, scale);
    const body = renderBody(report, embedding);
    if (Buffer.byteLength(body.text) < mostTextBytes) return { body, embedding };
  }
  const embedding = new Embedding(report, 0);
  return { body: renderBody(report, embedding), embedding };
}

interface CountedPart extends PagePart {
  readonly count?: number;
}

/** From this number on, the browser only lays out what is near the screen. */
const manyRequirements = 300;

/** The body of the page: verdict and failures first, background last. */
function renderBody(report: Report, embedding: Embedding): Html {
  const { requirements } = report.results;
  const parts = pageParts(report, embedding);
  return html`<a class="skip" href="#main">Skip to the findings</a>
<div class="page${requirements.length > manyRequirements ? " many" : ""}">
${renderVerdict(report)}
<nav class="contents" aria-label="On this page"><ul>${parts.map(({ id, title, count }) => html`<li><a href="#${id}">${title}${count === undefined ? undefined : html` <span>${grouped(count)}</span>`}</a></li>`)}</ul></nav>
<main id="main">
${renderFilter(report)}
<p class="note">Without JavaScript, the page shows the verdict, the findings and the tables. Requests, responses and charts need JavaScript; results.json has them too.</p>
${parts.map(({ id, title, body }) => section(id, title, body))}
</main>
</div>
${renderKeys()}`;
}

function pageParts(report: Report, embedding: Embedding): CountedPart[] {
  const { failed, waived, warned, notJudged, notJudgedCauses, waivers, drift, load, results } = report;
  const { requirements } = results;
  const findings = (
    id: string,
    title: string,
    list: readonly ShownRequirement[],
    more: readonly Html[] = [],
  ): CountedPart | undefined =>
    list.length + more.length === 0
      ? undefined
      : { id, title, count: list.length + more.length, body: renderFindings(list, embedding, more) };
  const parts: (CountedPart | undefined)[] = [
    findings("failed", "Failed", failed, renderFailedLoad(load)),
    notJudged.length === 0
      ? undefined
      : {
          id: "not-judged",
          title: "Not judged",
          count: notJudged.length,
          body: renderNotJudged(notJudgedCauses, embedding),
        },
    waivers.length + waived.length === 0
      ? undefined
      : {
          id: "waivers",
          title: "Waivers",
          count: waivers.length,
          body: html`${waivers.length === 0 ? undefined : renderWaivers(waivers, requirements)}${renderFindings(waived, embedding)}`,
        },
    drift === undefined
      ? undefined
      : {
          id: "drift",
          title: "Contract changes",
          count: drift.changes.length,
          body: renderDrift(drift),
        },
    findings("warnings", "Warnings", warned),
    load.length === 0
      ? undefined
      : {
          id: "load",
          title: "Load",
          count: load.length,
          body: html`${load.map((one, index) => renderLoad(one, index, embedding))}`,
        },
    requirements.length === 0
      ? undefined
      : {
          id: "coverage",
          title: "Coverage of the spec",
          count: requirements.length,
          body: renderCoverage(report, embedding),
        },
    { id: "discovered", title: "Discovered", body: renderDiscovered(results) },
    { id: "run", title: "About this run", body: renderRun(results) },
  ];
  return parts.filter((part) => part !== undefined);
}

/** The first screen: target, verdict with its reason, the worst findings, the next steps, and how the run was made. */
function renderVerdict(report: Report): Html {
  const { results, label, tone, why, also, top, steps, notice, warnings } = report;
  const { command, target, problem } = results;
  return html`<header class="verdict ${tone}" id="verdict">
<p class="kind">${command} of <bdi>${target.name}</bdi></p>
<h1><span class="word">${capitalized(label)}</span> ${prose(why, 400)}${also === undefined ? undefined : html` <span class="also">${prose(also, 1000)}</span>`}</h1>
${notice === undefined ? undefined : html`<p class="built-in"><b>${notice}</b></p>`}${warnings.map((text) => html`<p class="built-in"><b>Warning:</b> ${prose(text, 1000)}</p>`)}
${problem === undefined ? undefined : html`<div class="problem" role="note"><p><b>${quoted(problem.what, 600)}</b>: <code>${quoted(problem.where, 600)}</code></p><p>${quoted(problem.fix, 1000)}</p></div>`}
${renderFrame(report)}
<div class="first">
${top.length === 0 ? undefined : html`<div class="worst"><h2>${top.length === 1 ? "The finding" : "What to look at first"}</h2><ol class="top">${top.map(({ id, text }) => html`<li>${prose(text, 240)} ${topId(id, report)}</li>`)}</ol></div>`}
${steps.length === 0 ? undefined : html`<div class="steps"><h2>What to do</h2><ol>${steps.map(({ text, command: line }) => html`<li>${prose(text, 300)}${line === undefined ? undefined : html` ${commandLine(line)}`}</li>`)}</ol></div>`}
</div>
${renderHowMade(report)}
<ul class="tiles">${renderTiles(report)}</ul>
<div class="tools" hidden><button type="button" id="theme">Theme</button><button type="button" id="keys" aria-haspopup="dialog">Keys</button></div>
</header>
`;
}

/** Target, time and exit code. */
function renderFrame({ results: { target, exitCode, startedAt, finishedAt } }: Report): Html {
  return html`<dl class="frame brief-facts">
<div><dt>Target</dt><dd><code>${quoted(target.baseUrl)}</code>${target.builtIn === true ? " (built-in reference service)" : undefined}</dd></div>
<div><dt>When</dt><dd><time datetime="${startedAt}">${minute(startedAt)}</time>, ${between(startedAt, finishedAt)}</dd></div>
<div><dt>Exit code</dt><dd><b>${exitCode}</b></dd></div>
</dl>`;
}

/** How the run was made; folded on a narrow screen. */
function renderHowMade({ results, load }: Report): Html {
  const { environment, tool, requests } = results;
  const parts = load.map(({ result }) => result.comparability?.parts).find((one) => one !== undefined);
  const { commandLine: line, commit, branch, jobUrl, host, node } = environment ?? {};
  const versions = [
    `${tool.name} ${tool.version}`,
    ...(parts?.k6 === undefined ? [] : [`k6 ${parts.k6}`]),
    ...(node === undefined ? [] : [`Node ${node}`]),
    "specification /v1",
  ];
  const entries: (readonly [string, Html | string | undefined])[] = [
    ["Command", line === undefined ? undefined : html`<code>${quoted(line, 400)}</code>`],
    [
      "Commit",
      commit === undefined
        ? undefined
        : html`<code>${quoted(commit, 80)}</code>${branch === undefined ? undefined : html` on ${quoted(branch, 120)}`}`,
    ],
    ["Job", jobUrl === undefined ? undefined : link(jobUrl)],
    ["Versions", versions.join(", ")],
    ["Seed", parts?.seed],
    ["Machine", host ?? parts?.host],
    ["Conformance requests", requests.total === 0 ? undefined : grouped(requests.total)],
  ];
  const known = entries.filter(([, value]) => value !== undefined);
  return html`<details class="made"><summary>How this run was made</summary><dl class="frame">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></details>`;
}

// The address comes from the environment of the run. Only http and https become links.
function link(address: string): Html {
  const leads = URL.canParse(address) && ["http:", "https:"].includes(new URL(address).protocol);
  return leads
    ? html`<a href="${address}" rel="noreferrer noopener">${quoted(address, 120)}</a>`
    : quoted(address, 120);
}

function topId(id: string, { results, load }: Report): Html {
  const run = load.findIndex(({ name }) => name === id);
  if (run >= 0) return html`<a href="#load-${run}">${quoted(id, 120)}</a>`;
  return results.requirements.some((requirement) => requirement.id === id)
    ? html`<a href="#${anchor(id)}"><code>${id}</code></a>`
    : html`<code>${quoted(id, 120)}</code>`;
}

function renderTiles({ results, summary, warned, waivers, drift, load }: Report): Html[] {
  const { requirements } = results;
  const places = {
    fail: "#failed",
    error: "#failed",
    inconclusive: "#not-judged",
    warn: warned.length > 0 ? "#warnings" : "#waivers",
    pass: "#coverage",
    notApplicable: "#coverage",
  } as const satisfies Record<Verdict, string>;
  const verdicts = (Object.keys(verdictLabels) as Verdict[])
    .filter((verdict) => summary[verdict] > 0 || verdict === "pass" || verdict === "fail")
    .filter(() => requirements.length > 0);
  const breaking = drift?.changes.some(({ rank }) => rank === "breaking") ?? false;
  return [
    ...verdicts.map((verdict) => {
      const count = summary[verdict];
      return tile(
        count === 0 ? "#coverage" : places[verdict],
        count === 0 ? "plain" : verdictTones[verdict],
        count,
        countedLabel(verdict, count),
      );
    }),
    ...(waivers.length === 0
      ? []
      : [tile("#waivers", "notice", waivers.length, waivers.length === 1 ? "waiver" : "waivers")]),
    ...(drift === undefined
      ? []
      : [
          tile(
            "#drift",
            breaking ? "bad" : "plain",
            drift.changes.length,
            drift.changes.length === 1 ? "contract change" : "contract changes",
          ),
        ]),
    ...load.map(
      (one, index) =>
        html`<li><a class="tile load" href="#load-${index}"><span>${loadChip(one)}</span><small>${quoted(one.name, 80)}</small><small class="measured">${measured(one.figures, one.result)}</small></a></li>`,
    ),
  ];
}

/** The figures of a load run in one line: `414 requests, p95 57.2 ms, none failed, 150 invalid`. */
function measured({ sent, p95, limit, failed = "0 %" }: LoadFigures, { validated }: LoadResult): string {
  return [
    ...(limit === undefined ? [] : [limit]),
    sent,
    ...(p95 === undefined ? [] : [`p95 ${p95}`]),
    failed === "0 %" ? "none failed" : `${failed} failed`,
    ...(validated.invalid === 0 ? [] : [`${grouped(validated.invalid)} invalid`]),
  ].join(", ");
}

function tile(href: string, tone: Tone, count: number, name: string): Html {
  return html`<li><a class="tile ${tone}" href="${href}"><b>${grouped(count)}</b><small>${capitalized(name)}</small></a></li>`;
}

/** The filter is shown from this number of findings on. */
const fewestFiltered = 2;

/** Search and filters; hidden until the page's script has started, and omitted with fewer than two findings. */
function renderFilter({ results, sections, failed, warned, waived, notJudged }: Report): Html | undefined {
  const findings = [failed, warned, waived, notJudged].flat().flatMap(({ reported }) => reported);
  if (findings.length < fewestFiltered) return undefined;
  const verdicts = (Object.keys(verdictLabels) as Verdict[]).filter((verdict) =>
    results.requirements.some((requirement) => requirement.verdict === verdict),
  );
  return html`<form class="filter" role="search" hidden>
<div class="fields">
<label class="search"><span>Search</span><input type="search" name="search" autocomplete="off" spellcheck="false" placeholder="id, requirement, finding" aria-keyshortcuts="/"></label>
<label class="by-section"><span>Section</span><select name="section"><option value="">All sections</option>${sections.map(({ name }) => html`<option value="${name}">${quoted(name, 100)}</option>`)}</select></label>
<fieldset><legend>Verdicts</legend><div class="toggles">${verdicts.map((verdict) => html`<label class="toggle"><input type="checkbox" name="verdict" value="${verdict}"> ${capitalized(verdictLabels[verdict])}</label>`)}</div></fieldset>
</div>
<p class="found"><output name="found" aria-live="polite"></output> <button type="button" hidden>Clear</button></p>
</form>
`;
}

/** The dialog of keyboard shortcuts, which `?` opens. */
function renderKeys(): Html {
  const keys = [
    ["/", "search"],
    ["j", "next finding"],
    ["k", "previous finding"],
    ["↓ ↑", "the same, while on a finding"],
    ["Enter", "open or close it"],
    ["Esc", "close it, or clear the search"],
    ["?", "show these keys"],
  ] as const;
  return html`<dialog aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl>${keys.map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`)}</dl>
<form method="dialog"><button>Close</button></form></dialog>`;
}
