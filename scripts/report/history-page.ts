import { requestLabel, scenarioLabel } from "../../schemas/scenarios.ts";
import { runVerdictLabels } from "../../schemas/verdicts.ts";
import { capitalized, change, counted, grouped, milliseconds, minute } from "../../schemas/words/format.ts";
import type { Trend, TrendRun } from "../earlier/history.ts";
import { loadPageAssets, renderDocument } from "./html/document.ts";
import { embeddedJson, type HistoryData, type TrendChart } from "./html/embedding.ts";
import { chip, type Html, html, loadChip, raw, section, table } from "./html/markup.ts";
import { visibleText } from "./text.ts";
import { runTones } from "./tones.ts";

/**
 * The trend as one self-contained page in the look of the report, for the reports folder: each run links to its own
 * report there. Nothing leaves the page; without script it has all but the charts.
 */
export async function renderHistoryPage(trend: Trend): Promise<string> {
  const { script, style } = await loadPageAssets("history");
  const charts = chartsOf(trend);
  const data = { runs: trend.runs.map(({ startedAt }) => hourOf(startedAt)), charts } satisfies HistoryData;
  const parts = [
    { id: "figures", title: "Over the runs", body: renderFigures(trend, charts) },
    { id: "runs", title: "Runs", body: renderRuns(trend.runs) },
    { id: "requirements", title: "Requirements that failed", body: renderMatrix(trend.runs) },
  ];
  const body = html`<a class="skip" href="#main">Skip to the runs</a>
<div class="page">
${renderHead(trend)}
<nav class="contents" aria-label="On this page"><ul>${parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main id="main">
<p class="note">Without script the page shows all but the charts.</p>
${parts.map((part) => section(part.id, part.title, part.body))}
</main>
</div>
<script type="application/json" id="page-data">${raw(embeddedJson(data))}</script>`;
  return renderDocument({ title: html`History of ${trend.target} (shelfcheck)`, style, script, body });
}

function renderHead({ target, runs }: Trend): Html {
  const first = runs[0];
  const last = runs.at(-1);
  if (first === undefined || last === undefined)
    return html`<header class="verdict"><h1>No runs</h1></header>`;
  return html`<header class="verdict ${runTones[last.verdict]}">
<p class="kind">History of <bdi>${target}</bdi></p>
<h1><span class="word">${capitalized(runVerdictLabels[last.verdict])}</span> ${summary(runs, last)}</h1>
<dl class="frame">
<div><dt>From</dt><dd><time datetime="${first.startedAt}">${minute(first.startedAt)}</time></dd></div>
<div><dt>To</dt><dd><time datetime="${last.startedAt}">${minute(last.startedAt)}</time></dd></div>
</dl>
<div class="tools" hidden><button type="button" id="theme">Theme</button></div>
</header>`;
}

function summary(runs: readonly TrendRun[], { newlyFailing, fixed, failing }: TrendRun): string {
  const good = runs.filter(({ verdict }) => verdict === "conformant").length;
  return [
    `The last of ${counted(runs.length, "run")}, ${grouped(good)} of them conformant.`,
    failing.length === 0
      ? "No requirement fails."
      : `${counted(failing.length, "requirement fails", "requirements fail")}.`,
    newlyFailing.length === 0 ? "" : `${grouped(newlyFailing.length)} did not before.`,
    fixed.length === 0 ? "" : `${grouped(fixed.length)} fixed.`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** What is drawn over the runs: failing requirements, requests, and the latency of each scenario in each profile. */
function chartsOf({ runs, latency }: Trend): TrendChart[] {
  const failing = runs.map((run) => (run.command === "load" ? null : run.failing.length));
  const loads = Map.groupBy(latency, ({ scenario, profile }) => `${scenarioLabel(scenario)} (${profile})`);
  return [
    { title: "Failing requirements", unit: "", lines: [{ name: "failing", values: failing }] },
    {
      title: "Requests",
      unit: "",
      lines: [{ name: "requests", values: runs.map(({ requests }) => requests) }],
    },
    ...[...loads].map(([load, trends]) => ({
      title: `${visibleText(load)}: p95, ms`,
      unit: "ms",
      lines: trends.map(({ endpoint, p95 }) => ({ name: visibleText(requestLabel(endpoint)), values: p95 })),
    })),
  ];
}

function renderFigures({ latency }: Trend, charts: readonly TrendChart[]): Html {
  const rows = latency.map(({ scenario, profile, endpoint, p95 }) => {
    const values = p95.filter((value) => value !== null);
    const [now = 0, before] = [values.at(-1), values.at(-2)];
    return [
      html`${requestLabel(endpoint)} <small>${scenarioLabel(scenario)} (${profile})</small>`,
      milliseconds(Math.min(...values)),
      milliseconds(Math.max(...values)),
      milliseconds(now),
      before === undefined || before === 0 ? "–" : change(now / before - 1),
    ];
  });
  const heads = ["Request", "Lowest", "Highest", "Latest", "Change from the run before"];
  return html`<div class="charts">${charts.map((_chart, index) => html`<div class="chart" data-chart="${index}"></div>`)}</div>
${rows.length === 0 ? undefined : table("p95 of good responses over the runs", heads, rows, { figures: true })}`;
}

// The year is in the head of the page.
function hourOf(startedAt: string): string {
  return minute(startedAt).slice(5, 16);
}

function renderRuns(runs: readonly TrendRun[]): Html {
  const heads = [
    "Started",
    "Command",
    "Verdict",
    "Failed",
    "Not judged",
    "Passed",
    "Requests",
    "Load",
    "Changes",
  ];
  const rows = runs
    .toReversed()
    .map((run) => [
      html`<a class="brief" href="${encodeURIComponent(run.name)}/report.html">${minute(run.startedAt)}</a>`,
      run.command,
      chip(runTones[run.verdict], capitalized(runVerdictLabels[run.verdict])),
      grouped(run.summary.fail),
      grouped(run.summary.inconclusive),
      grouped(run.summary.pass),
      grouped(run.requests),
      html`${run.load.map(({ scenario, verdict }) => html`<div class="brief">${scenarioLabel(scenario)} ${loadChip(verdict)}</div>`)}`,
      changes(run),
    ]);
  return table("The runs, newest first", heads, rows);
}

function changes({ newlyFailing, fixed }: TrendRun): Html | undefined {
  const list = (label: string, ids: readonly string[]) =>
    ids.length === 0 ? undefined : html`<li>${label}: ${ids.map((id) => html`<code>${id}</code> `)}</li>`;
  if (newlyFailing.length + fixed.length === 0) return undefined;
  return html`<ul>${list("newly failing", newlyFailing)}${list("fixed", fixed)}</ul>`;
}

const mostRows = 100;
const mostColumns = 30;

/** Each requirement that ever failed, run by run: at a glance what is new, what is old and what comes and goes. */
function renderMatrix(runs: readonly TrendRun[]): Html {
  const judging = runs.filter(({ command }) => command !== "load").slice(-mostColumns);
  const ids = [...new Set(judging.flatMap(({ failing }) => failing))].sort();
  if (ids.length === 0) return html`<p>None in these runs.</p>`;
  const rows = ids
    .slice(0, mostRows)
    .map((id) => [html`<code>${id}</code>`, ...judging.map((run) => cell(run, id))]);
  const heads = ["Requirement", ...judging.map(({ startedAt }) => hourOf(startedAt))];
  const left = ids.length - rows.length;
  return html`<div class="cells">${table("Requirements by run, oldest first; an empty cell was not judged", heads, rows)}</div>${left > 0 ? html`<p>And ${counted(left, "more requirement")}.</p>` : undefined}`;
}

function cell({ failing, passing }: TrendRun, id: string): Html | string {
  if (failing.includes(id)) return chip("bad", "failed");
  return passing.includes(id) ? html`<span class="faint">passed</span>` : "";
}
