import { runVerdictLabels } from "../../schemas/verdicts.ts";
import { capitalized, counted, grouped, milliseconds, minute } from "../../schemas/words/format.ts";
import type { Trend, TrendRun } from "../earlier/history.ts";
import { loadPageAssets, renderDocument } from "./html/document.ts";
import { chip, type Html, html, loadChip, section, table } from "./html/markup.ts";
import { runTones } from "./tones.ts";

/**
 * The trend as one self-contained page in the look of the report, for the reports folder: each run links to its own
 * report there. It has no script, and nothing leaves it.
 */
export async function renderHistoryPage(trend: Trend): Promise<string> {
  const { style: shared } = await loadPageAssets();
  const style = `${shared}${historyStyle}`;
  const body = html`<a class="skip" href="#main">Skip to the runs</a>
<div class="page history">
${renderHead(trend)}
<main id="main">
${section("figures", "Figures", renderFigures(trend))}
${section("runs", "Runs", renderRuns(trend.runs))}
${section("requirements", "Requirements that failed", renderMatrix(trend.runs))}
</main>
</div>`;
  return renderDocument({ title: html`History of ${trend.target} (shelfcheck)`, style, body });
}

function renderHead({ target, runs }: Trend): Html {
  const first = runs[0];
  const last = runs.at(-1);
  if (first === undefined || last === undefined)
    return html`<header class="verdict"><h1>No runs</h1></header>`;
  return html`<header class="verdict ${runTones[last.verdict]}">
<p class="kind">History of <bdi>${target}</bdi></p>
<h1><span class="word">${capitalized(runVerdictLabels[last.verdict])}</span> ${sentence(runs, last)}</h1>
<dl class="frame">
<div><dt>From</dt><dd><time datetime="${first.startedAt}">${minute(first.startedAt)}</time></dd></div>
<div><dt>To</dt><dd><time datetime="${last.startedAt}">${minute(last.startedAt)}</time></dd></div>
</dl>
</header>`;
}

function sentence(runs: readonly TrendRun[], { newlyFailing, fixed, failing }: TrendRun): string {
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

function renderFigures({ runs, latency }: Trend): Html {
  const names = runs.map(({ startedAt }) => minute(startedAt));
  const lines = [
    {
      title: "Failing requirements",
      values: runs.map(({ command, failing }) => (command === "load" ? null : failing.length)),
      show: grouped,
    },
    { title: "Requests", values: runs.map(({ requests }) => requests), show: grouped },
    ...latency.map(({ scenario, profile, endpoint, p95 }) => ({
      title: `p95 ${endpoint} (${scenario}, ${profile})`,
      values: p95,
      show: milliseconds,
    })),
  ];
  return html`<div class="trends">${lines.map((line) => renderChart(line, names))}</div>`;
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
      html`<a href="${encodeURIComponent(run.name)}/report.html">${minute(run.startedAt)}</a>`,
      run.command,
      chip(runTones[run.verdict], capitalized(runVerdictLabels[run.verdict])),
      grouped(run.summary.fail),
      grouped(run.summary.inconclusive),
      grouped(run.summary.pass),
      grouped(run.requests),
      html`${run.load.map(({ scenario, verdict }) => html`<div class="held">${scenario} ${loadChip(verdict)}</div>`)}`,
      changes(run),
    ]);
  return table("The runs, newest first", heads, rows);
}

function changes({ newlyFailing, fixed }: TrendRun): Html | undefined {
  const list = (label: string, ids: readonly string[]) =>
    ids.length === 0 ? undefined : html`<li>${label}: ${ids.map((id) => html`<code>${id}</code> `)}</li>`;
  if (newlyFailing.length + fixed.length === 0) return undefined;
  return html`<ul class="changes">${list("newly failing", newlyFailing)}${list("fixed", fixed)}</ul>`;
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
  const heads = ["Requirement", ...judging.map(({ startedAt }) => minute(startedAt).slice(5, 16))];
  const left = ids.length - rows.length;
  return html`<div class="cells">${table("Requirements by run, oldest first; an empty cell was not judged", heads, rows)}</div>${left > 0 ? html`<p>And ${counted(left, "more requirement")}.</p>` : undefined}`;
}

function cell({ failing, holding }: TrendRun, id: string): Html | string {
  if (failing.includes(id)) return chip("bad", "fails");
  return holding.includes(id) ? html`<span class="faint">holds</span>` : "";
}

/** One figure over the runs. */
interface ChartLine {
  readonly title: string;
  /** One for each run, oldest first; null where there is none. */
  readonly values: readonly (number | null)[];
  /** The value with its unit. */
  readonly show: (value: number) => string;
}

const width = 320;
const height = 96;
const edge = 6;

/** A line over the runs as an SVG: what it shows is said in words beside it, each point in its title. */
function renderChart({ title, values, show }: ChartLine, names: readonly string[]): Html {
  const highest = Math.max(0, ...values.map((value) => value ?? 0)) || 1;
  const step = (width - 2 * edge) / Math.max(1, values.length - 1);
  const points = values.flatMap((value, place) =>
    value === null
      ? []
      : [
          {
            value,
            place,
            x: edge + place * step,
            y: height - edge - (value / highest) * (height - 2 * edge),
          },
        ],
  );
  const last = points.at(-1);
  const line = points.map(({ x, y }) => `${round(x)},${round(y)}`).join(" ");
  const dots = points.map(
    ({ x, y, place, value }) =>
      html`<circle cx="${round(x)}" cy="${round(y)}" r="3"><title>${names[place] ?? ""}: ${show(value)}</title></circle>`,
  );
  return html`<figure class="trend"><figcaption><bdi>${title}</bdi> <b>${last === undefined ? "–" : show(last.value)}</b></figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary(
    points.map(({ value }) => value),
    show,
  )}"><line x1="0" y1="${height - edge}" x2="${width}" y2="${height - edge}"></line><polyline points="${line}"></polyline>${dots}</svg>
</figure>`;
}

function summary(values: readonly number[], show: (value: number) => string): string {
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return "not measured";
  return `from ${show(first)} to ${show(last)}, lowest ${show(Math.min(...values))}, highest ${show(Math.max(...values))}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** What the page of the history has beside the style of the report. */
const historyStyle = `
.trends {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr));
  gap: 1rem;
}
.trend {
  margin: 0;
  padding: 0.75rem 1rem;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: var(--round);
}
.trend figcaption {
  display: flex;
  justify-content: space-between;
  gap: 0.75rem;
  font-size: 0.9375rem;
}
.trend b {
  white-space: nowrap;
  font-variant-numeric: tabular-nums;
}
.trend svg {
  display: block;
  width: 100%;
  height: auto;
  margin-top: 0.5rem;
  overflow: visible;
}
.trend line {
  stroke: var(--line);
}
.trend polyline {
  fill: none;
  stroke: var(--series-1);
  stroke-width: 2;
  stroke-linejoin: round;
}
.trend circle {
  fill: var(--series-1);
}
.history {
  display: block;
}
.history .verdict .kind {
  padding: 0;
}
.history .verdict {
  padding-top: 1.5rem;
}
.history th a,
.held {
  white-space: nowrap;
}
.history td,
.history th {
  overflow-wrap: normal;
}
.cells td {
  text-align: center;
}
.changes li {
  margin-bottom: 0.25rem;
}
`;
