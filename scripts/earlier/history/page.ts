import { type Html, html } from "../../report/html/markup.ts";
import { loadPageAssets } from "../../report/html/page-assets.ts";
import { renderPageHead } from "../../report/html/page-head.ts";
import { chip, loadChip, section, table } from "../../report/html/parts.ts";
import { counted, grouped, milliseconds, minute, runWords } from "../../report/html/words.ts";
import { renderChart } from "./chart.ts";
import { renderMatrix } from "./matrix.ts";
import { historyStyle } from "./page-style.ts";
import type { Trend, TrendRun } from "./trend.ts";

/**
 * The trend as one self-contained page in the look of the report, for the reports folder: each run links to its own
 * report there. It has no script, and nothing leaves it.
 */
export async function renderHistoryPage(trend: Trend): Promise<string> {
  const { style: shared } = await loadPageAssets();
  const style = `${shared}${historyStyle}`;
  return html`<!doctype html>
<html lang="en">
${renderPageHead({ title: html`History of ${trend.target} (shelfcheck)`, style })}
<body>
<a class="skip" href="#main">Skip to the runs</a>
<div class="page history">
${renderHead(trend)}
<main id="main">
${section("figures", "Figures", renderFigures(trend))}
${section("runs", "Runs", renderRuns(trend.runs))}
${section("requirements", "Requirements that failed", renderMatrix(trend.runs))}
</main>
</div>
</body>
</html>
`.text;
}

function renderHead({ target, runs }: Trend): Html {
  const first = runs[0];
  const last = runs.at(-1);
  if (first === undefined || last === undefined)
    return html`<header class="verdict"><h1>No runs</h1></header>`;
  return html`<header class="verdict ${last.verdict}">
<p class="kind">History of <bdi>${target}</bdi></p>
<h1><span class="word">${runWords[last.verdict]}</span> ${sentence(runs, last)}</h1>
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
      chip(marks[run.verdict], runWords[run.verdict]),
      grouped(run.summary.fail),
      grouped(run.summary.inconclusive),
      grouped(run.summary.pass),
      grouped(run.requests),
      html`${run.load.map(({ scenario, verdict }) => html`<div class="held">${scenario} ${loadChip(verdict)}</div>`)}`,
      changes(run),
    ]);
  return table("The runs, newest first", heads, rows);
}

const marks = {
  conformant: "good",
  violations: "bad",
  incomplete: "unsure",
  error: "bad",
} as const satisfies Record<TrendRun["verdict"], string>;

function changes({ newlyFailing, fixed }: TrendRun): Html | undefined {
  const list = (label: string, ids: readonly string[]) =>
    ids.length === 0 ? undefined : html`<li>${label}: ${ids.map((id) => html`<code>${id}</code> `)}</li>`;
  if (newlyFailing.length + fixed.length === 0) return undefined;
  return html`<ul class="changes">${list("newly failing", newlyFailing)}${list("fixed", fixed)}</ul>`;
}
