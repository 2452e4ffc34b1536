import { capitalized, counted, grouped, minute } from "../../schemas/words/format.ts";
import type {
  ComparisonReport,
  Distributions,
  ShownRegression,
  ShownVerdictChange,
  VerdictCount,
} from "./comparison.ts";
import { planOverlays } from "./distribution-charts.ts";
import type { ComparisonData } from "./html/client/plan-chart.ts";
import { renderPartsPage } from "./html/document.ts";
import { chip, type Html, html, prose, quoted, table } from "./html/markup.ts";
import type { NamedColumn } from "./run-names.ts";
import type { Tone } from "./tones.ts";

/**
 * A comparison as a self-contained page for the reports folder, where each run links to its report. The page sends no
 * request. Without JavaScript it shows everything except the charts.
 */
export async function renderComparisonPage(report: ComparisonReport): Promise<string> {
  const { before, after, requirements, drift, load, label } = report;
  const charts = load.flatMap(({ distributions }) => distributions.map(planOverlays));
  const data = { charts: charts.flat() } satisfies ComparisonData;
  let place = 0;
  const chartPlace = () => place++;
  const parts = [
    ...(report.counts.length === 0
      ? []
      : [
          {
            id: "requirements",
            title: "Requirements",
            body: renderRequirements(requirements, report.counts),
          },
        ]),
    ...(drift === undefined ? [] : [{ id: "contract", title: "Contract", body: renderDrift(drift) }]),
    ...load.map((one, index) => ({
      id: `load-${index}`,
      title: `Load: ${one.name}`,
      body: renderRegression(one, chartPlace),
    })),
    { id: "runs", title: "Runs", body: renderRuns(before, after) },
  ];
  return renderPartsPage({
    name: "comparison",
    title: html`${capitalized(label)}: comparison of ${after[0]?.target} (shelfcheck)`,
    skip: "Skip to what changed",
    head: renderHead(report),
    parts,
    data,
  });
}

function renderHead({
  comparison,
  label,
  tone,
  meaning,
  reasons,
  notes,
  before,
  after,
}: ComparisonReport): Html {
  const targets = [...new Set([...before, ...after].map(({ target }) => target))];
  return html`<header class="verdict ${tone}">
<p class="kind">Comparison of ${targets.map((target, index) => html`${index === 0 ? "" : " and "}<bdi>${target}</bdi>`)}</p>
<h1><span class="word">${capitalized(label)}</span> ${capitalized(meaning)}.</h1>
${reasons.length === 0 ? undefined : html`<ol class="top">${reasons.slice(0, 10).map((reason) => html`<li>${prose(reason, 400)}</li>`)}</ol>`}
${reasons.length > 10 ? html`<p>10 of ${counted(reasons.length, "reason")} shown; the tables list them all.</p>` : undefined}
${notes.map((note) => html`<p>Note: ${prose(note, 400)}</p>`)}
<dl class="frame">
<div><dt>Before</dt><dd>${runsText(before)}</dd></div>
<div><dt>After</dt><dd>${runsText(after)}</dd></div>
<div><dt>Exit code</dt><dd><b>${comparison.exitCode}</b></dd></div>
</dl>
<div class="tools" hidden><button type="button" id="theme">Theme</button></div>
</header>`;
}

/** The run, or the first and last of several. */
function runsText(runs: readonly NamedColumn[]): Html {
  const [first] = runs;
  const last = runs.at(-1);
  if (first === undefined || last === undefined) return html`none`;
  const commits = [...new Set(runs.flatMap(({ commit }) => (commit === undefined ? [] : [commit])))];
  const shown =
    commits.length === 0 ? undefined : html`, commit ${commits.map((one) => html`<code>${one}</code> `)}`;
  const when = html`<time datetime="${first.startedAt}">${minute(first.startedAt)}</time>`;
  if (runs.length === 1) return html`${when}${shown}`;
  return html`${counted(runs.length, "run")}, ${when} to <time datetime="${last.startedAt}">${minute(last.startedAt)}</time>${shown}`;
}

function renderRegression(
  { label, tone, runs, lines, rows, thresholds, distributions }: ShownRegression,
  chartPlace: () => number,
): Html {
  const passed = thresholds.filter((row) => row.tone === "good");
  return html`<p>${chip(tone, capitalized(label))} <span class="faint">${runs}</span></p>
<ul class="plain">${lines.map((line) => html`<li>${prose(line, 600)}</li>`)}</ul>
${
  rows.length === 0
    ? undefined
    : table(
        "Latency of successful responses, worst first; the true change most likely lies within the interval",
        ["Endpoint", "Change", "Before", "After", "Interval", "Verdict"],
        rows.map((row) => [
          html`${quoted(row.endpoint, 80)}, ${row.statistic}`,
          html`<b>${row.change}</b>`,
          row.before,
          row.after,
          row.interval,
          chip(row.tone, capitalized(row.label)),
        ]),
        { figures: true },
      )
}
${renderThresholds(
  "Thresholds of the newest run before and after, crossed ones first",
  thresholds.filter(({ tone }) => tone !== "good"),
)}
${distributions.map((one) => renderDistributions(one, chartPlace))}
${passed.length === 0 ? undefined : html`<details class="more"><summary>${grouped(passed.length)} of ${counted(thresholds.length, "threshold")} passed in the newest run</summary>${renderThresholds("Thresholds that passed in the newest run", passed)}</details>`}`;
}

function renderThresholds(caption: string, rows: ShownRegression["thresholds"]): Html | undefined {
  if (rows.length === 0) return undefined;
  return table(
    caption,
    ["Limit on", "Verdict", "Before", "After"],
    rows.map((row) => [quoted(row.name, 120), chip(row.tone, capitalized(row.label)), row.before, row.after]),
    { figures: true },
  );
}

function renderDistributions(distributions: Distributions, chartPlace: () => number): Html {
  return html`<h3 class="apart">${quoted(distributions.endpoint, 80)} <small>${counted(distributions.before.count, "response")} before, ${grouped(distributions.after.count)} after</small></h3>
<div class="charts">${planOverlays(distributions).map(() => html`<div class="chart" data-chart="${chartPlace()}"></div>`)}</div>`;
}

function renderRequirements(changes: readonly ShownVerdictChange[], counts: readonly VerdictCount[]): Html {
  return html`${table(
    "Requirements by verdict, in the newest run before and after",
    ["Verdict", "Before", "After", "Change"],
    counts.map(({ verdict, before, after }) => [
      capitalized(verdict),
      grouped(before),
      grouped(after),
      before === after ? "" : `${after > before ? "+" : "−"}${grouped(Math.abs(after - before))}`,
    ]),
    { figures: true },
  )}
${
  changes.length === 0
    ? html`<p>No requirement changed its verdict.</p>`
    : html`<p class="faint apart">Requirements whose verdict changed, worst first</p>
<div class="cards">${changes.map(
        ({
          kind,
          tone,
          id,
          level,
          statement,
          before,
          after,
          text,
        }) => html`<article class="card ${cardClasses[tone]}">
<h3>${prose(statement, 400)}</h3>
<p class="about">${chip(tone, capitalized(kind))} <code>${id}</code> <span>${level.toUpperCase()}, ${before} before, ${after} after</span></p>
${text === "" ? undefined : html`<p class="finding">${prose(text, 600)}</p>`}
</article>
`,
      )}</div>`
}`;
}

/** Class of a card by tone. */
const cardClasses = {
  bad: "fail",
  unsure: "inconclusive",
  notice: "warn",
  good: "",
  plain: "",
} as const satisfies Record<Tone, string>;

function renderDrift(drift: ComparisonReport["drift"] & object): Html {
  if (drift.length === 0) return html`<p>No change.</p>`;
  return table(
    "Changes of the contract, breaking ones first",
    ["Rank", "Change"],
    drift.map(({ label, tone, text, rule }) => [
      chip(tone, capitalized(label)),
      html`${prose(text, 600)} <small><code>${rule}</code></small>`,
    ]),
  );
}

function renderRuns(before: readonly NamedColumn[], after: readonly NamedColumn[]): Html {
  const rows = [
    ...before.map((run) => ["Before", run] as const),
    ...after.map((run) => ["After", run] as const),
  ];
  return table(
    "Compared runs",
    ["Run", "Started", "Verdict", "Commit", "Branch", "Target", "Machine of the generator"],
    rows.map(([side, run]) => [
      html`${side}: <a href="${encodeURIComponent(run.name)}/report.html">${quoted(run.name, 80)}</a>`,
      html`<time class="brief" datetime="${run.startedAt}">${run.startedAt.slice(0, 19).replace("T", " ")} UTC</time>`,
      html`${chip(run.tone, capitalized(run.label))}${run.part === undefined ? undefined : html` <small>${run.part}</small>`}`,
      run.commit === undefined ? "–" : html`<code>${run.commit}</code>`,
      run.branch === undefined ? "–" : quoted(run.branch, 80),
      html`${quoted(run.target, 80)}<br><small>${quoted(run.baseUrl, 160)}</small>`,
      run.host === undefined ? "–" : quoted(run.host, 120),
    ]),
  );
}
