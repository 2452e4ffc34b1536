import { loadVerdictLabels, verdictLabels } from "../../schemas/verdicts.ts";
import { capitalized, counted, grouped, milliseconds, minute } from "../../schemas/words/format.ts";
import type { TrendRun } from "../runs/compare/trend.ts";
import { type Figures, type HistoryReport, type HistoryRun, judges, type LatencyFigures } from "./history.ts";
import { renderPartsPage } from "./html/document.ts";
import type { HistoryData, TrendChart } from "./html/embedding.ts";
import { chip, type Html, html, quoted, table } from "./html/markup.ts";
import { columnLabel, type NamedColumn, startedText } from "./run-names.ts";
import { countedLabel } from "./shown-requirements.ts";
import { visibleText } from "./text.ts";
import { loadTones } from "./tones.ts";

/**
 * The history as a self-contained page for the reports folder, where each run links to its report. The page sends no
 * request. Without JavaScript it shows everything except the charts.
 */
export async function renderHistoryPage(report: HistoryReport): Promise<string> {
  const { target, runs, whole, partial } = report;
  const charts = chartsOf(report);
  const labels = runs.map(({ column }) => columnLabel(column, "\n"));
  const data = { runs: labels, charts } satisfies HistoryData;
  const parts = [
    { id: "figures", title: "Trends", body: renderFigures(report, charts) },
    ...(whole.length === 0
      ? []
      : [
          { id: "runs", title: "Runs", body: renderRuns("The runs, newest first", whole) },
          { id: "requirements", title: "Requirements that failed", body: renderMatrix(whole) },
        ]),
    ...(partial.length === 0
      ? []
      : [{ id: "partial", title: "Partial and unfinished runs", body: renderPartial(partial) }]),
  ];
  return renderPartsPage({
    name: "history",
    title: html`History of ${target} (shelfcheck)`,
    skip: "Skip to the runs",
    head: renderHead(report),
    parts,
    data,
  });
}

function renderHead({ target, baseUrls, runs, latest, summary }: HistoryReport): Html {
  const [first] = runs;
  const last = runs.at(-1);
  if (first === undefined || last === undefined || latest === undefined)
    return html`<header class="verdict"><h1>No runs</h1></header>`;
  const { tone, label } = latest.column;
  return html`<header class="verdict ${tone}">
<p class="kind">History of <bdi>${target}</bdi></p>
<h1><span class="word">${capitalized(label)}</span> ${summary}</h1>
<dl class="frame">
<div><dt>Target</dt><dd>${baseUrls.map((url) => html`<code>${quoted(url, 200)}</code> `)}</dd></div>
<div><dt>From</dt><dd>${whenOf(first)}</dd></div>
<div><dt>To</dt><dd>${whenOf(last)}</dd></div>
</dl>
<div class="tools" hidden><button type="button" id="theme">Theme</button></div>
</header>`;
}

function whenOf({ column: { startedAt, commit } }: HistoryRun): Html {
  return html`<time datetime="${startedAt}">${minute(startedAt)}</time>${commit === undefined ? undefined : html`, <code>${commit}</code>`}`;
}

/** A limit above this many times the highest value is not drawn: it would flatten the curves. */
const mostAbove = 3;

/** The charts: failed requirements, requests, and the latency of each load with its limits. */
function chartsOf({ failed, requests, latency }: HistoryReport): TrendChart[] {
  const loads = Map.groupBy(latency, ({ load }) => load);
  return [
    ...(failed.highest === undefined
      ? []
      : [
          {
            title: `Failed requirements, complete runs only${peak(failed)}`,
            unit: "",
            lines: [{ name: "failed", values: failed.values }],
          },
        ]),
    {
      title: `Requests of each run${peak(requests)}`,
      unit: "",
      lines: [{ name: "requests", values: requests.values }],
    },
    ...[...loads].map(([load, trends]) => ({
      title: `${visibleText(load)}: p95 of successful responses, ms`,
      unit: "ms",
      lines: [
        ...trends.map(({ endpoint, values }) => ({ name: visibleText(endpoint), values })),
        ...limitLines(trends),
      ],
    })),
  ];
}

function peak({ highest, highestAt }: Figures): string {
  return highest === undefined || highest === 0 ? "" : `: at most ${grouped(highest)}, on ${highestAt}`;
}

/** Each limit once; named by its endpoint where limits differ. */
function limitLines(trends: readonly LatencyFigures[]): TrendChart["lines"] {
  const top = Math.max(...trends.map(({ highest = 0 }) => highest)) * mostAbove;
  const drawn = trends.filter(({ limit }) => limit !== undefined && limit <= top);
  const byLimits = Map.groupBy(drawn, ({ limits }) => JSON.stringify(limits));
  return [...byLimits.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const name = others.length === 0 ? `limit of ${visibleText(first.endpoint)}` : "limit";
    return [{ name, values: first.limits, dashed: true }];
  });
}

function renderFigures({ latency }: HistoryReport, charts: readonly TrendChart[]): Html {
  const rows = latency.map(({ endpoint, load, tone, limit, lowest, highest, highestAt, latest, moved }) => [
    html`${quoted(endpoint, 80)} <small>${quoted(load, 80)}</small>`,
    latest === undefined ? "–" : html`<b>${milliseconds(latest)}</b>`,
    moved ?? "–",
    limit === undefined
      ? "none"
      : html`${milliseconds(limit)} ${chip(tone, tone === "bad" ? "Above" : "Below")}`,
    lowest === undefined ? "–" : milliseconds(lowest),
    highest === undefined ? "–" : html`${milliseconds(highest)} <small>${highestAt}</small>`,
  ]);
  const heads = ["Endpoint", "Latest", "Change", "Limit", "Lowest", "Highest, and when"];
  return html`<div class="charts">${charts.map((_chart, index) => html`<div class="chart" data-chart="${index}"></div>`)}</div>
${rows.length === 0 ? undefined : table("p95 of successful responses; the change is from the previous run that measured it", heads, rows, { figures: true })}`;
}

function renderRuns(caption: string, runs: readonly HistoryRun[]): Html {
  const heads = ["Started", "Verdict", "Requirements", "Load", "Requests"];
  const rows = runs
    .toReversed()
    .map(({ trend, column, load }) => [
      html`<a class="brief" href="${encodeURIComponent(trend.name)}/report.html">${startedText(column)}</a><br><small>${originOf(column)}</small>`,
      html`${chip(column.tone, capitalized(column.label))}${column.part === undefined ? undefined : html`<br><small>${column.part}</small>`}`,
      judges(trend) ? html`${countsOf(trend)}${changes(trend)}` : "–",
      html`${load.map(({ name, verdict }) => html`<div class="brief">${quoted(name, 60)} ${chip(loadTones[verdict], capitalized(loadVerdictLabels[verdict]))}</div>`)}`,
      grouped(trend.requests),
    ]);
  return table(caption, heads, rows);
}

/** Command, commit and branch of a run, and its machine if that differs between runs. */
function originOf({ command, commit, branch, host, hostDiffers }: NamedColumn): Html {
  return html`${command}${commit === undefined ? undefined : html`, <code>${commit}</code>`}${branch === undefined ? undefined : html`, ${quoted(branch, 60)}`}${hostDiffers && host !== undefined ? html`<br>${quoted(host, 120)}` : undefined}`;
}

function countsOf({ summary }: TrendRun): string {
  const counts = (Object.keys(verdictLabels) as (keyof typeof verdictLabels)[]).filter(
    (verdict) => summary[verdict] > 0,
  );
  return counts
    .map((verdict) => `${grouped(summary[verdict])} ${countedLabel(verdict, summary[verdict])}`)
    .join(", ");
}

function renderPartial(runs: readonly HistoryRun[]): Html {
  return html`<p>${counted(runs.length, "run")} judged only some of the requirements, or did not finish. They count in the request and load charts, but not in the requirement figures.</p>
${renderRuns("Partial and unfinished runs, newest first", runs)}`;
}

function changes({ newlyFailing, fixed }: TrendRun): Html | undefined {
  const list = (label: string, ids: readonly string[]) =>
    ids.length === 0 ? undefined : html`<li>${label}: ${ids.map((id) => html`<code>${id}</code> `)}</li>`;
  if (newlyFailing.length + fixed.length === 0) return undefined;
  return html`<ul class="changed-ids">${list("newly failing", newlyFailing)}${list("fixed", fixed)}</ul>`;
}

const mostRows = 100;
const mostColumns = 30;

/** Each requirement that failed at least once, run by run. */
function renderMatrix(runs: readonly HistoryRun[]): Html {
  const judging = runs.filter(({ trend }) => judges(trend));
  const shown = judging.slice(-mostColumns).toReversed();
  const ids = [...new Set(shown.flatMap(({ trend }) => trend.failing))].sort();
  if (ids.length === 0) return html`<p>None in these runs.</p>`;
  const caption = "Requirements by run, newest first; an empty cell was not judged";
  const left = ids.length - mostRows;
  return html`<div class="cells"><div class="table" role="group" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption>
<thead><tr><th scope="col">Requirement</th>${shown.map(({ column }) => html`<th scope="col">${columnHead(column)}</th>`)}</tr></thead>
<tbody>${ids
    .slice(0, mostRows)
    .map(
      (id) =>
        html`<tr><th scope="row"><code>${id}</code></th>${shown.map(({ trend }) => html`<td>${cell(trend, id)}</td>`)}</tr>`,
    )}</tbody></table></div></div>${left > 0 ? html`<p>${mostRows} of ${counted(ids.length, "requirement")} shown.</p>` : undefined}${judging.length > mostColumns ? html`<p>The last ${mostColumns} of ${counted(judging.length, "run")} shown.</p>` : undefined}`;
}

/** Day and time, commit, and the machine if it differs between runs. */
function columnHead({ short, commit, host, hostDiffers }: NamedColumn): Html {
  return html`${short}${commit === undefined ? undefined : html`<br><code>${commit}</code>`}${hostDiffers && host !== undefined ? html`<br>${hostSize(host)}` : undefined}`;
}

/** Cores and memory, from a description that ends in the operating system. */
function hostSize(host: string): string {
  const parts = host.split(", ");
  return parts.length < 3 ? host : parts.slice(-3, -1).join(", ");
}

function cell({ failing, waived, passing }: TrendRun, id: string): Html | string {
  if (waived.includes(id)) return chip("notice", "waived");
  if (failing.includes(id)) return chip("bad", "failed");
  return passing.includes(id) ? html`<span class="faint">passed</span>` : "";
}
