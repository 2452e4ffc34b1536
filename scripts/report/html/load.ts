import { requestLabel } from "../../../schemas/scenarios.ts";
import type { LoadResult, RateLimitResult } from "../../../schemas/types.ts";
import {
  capitalized,
  counted,
  figure,
  grouped,
  milliseconds,
  percent,
  perSecond,
  showsPercentile,
} from "../../../schemas/words/format.ts";
import type { LoadFigures, ShownComparison, ShownLoad } from "../model.ts";
import { comparisonTones } from "../tones.ts";
import type { Embedding } from "./embedding.ts";
import { renderSlot } from "./findings.ts";
import { chip, facts, type Html, html, loadChip, prose, quoted, table } from "./markup.ts";

/** One load run: its verdict and why, the figures, the charts, then what stands behind them. */
export function renderLoad(load: ShownLoad, index: number, embedding: Embedding): Html {
  const { result, name, reasons, notes, figures, comparison } = load;
  const { verdict, series, percentiles = [], rateLimit } = result;
  return html`<article class="load" id="load-${index}">
<h3>${loadChip(verdict)} ${quoted(name, 120)}</h3>
${list("reasons", reasons)}
${renderFigures(figures)}
${comparison === undefined ? undefined : renderComparison(comparison)}
${series === undefined ? undefined : html`<div class="charts">${charts.map((chart) => html`<div class="chart" data-load="${index}" data-chart="${chart}"></div>`)}</div>`}
${percentiles.length === 0 ? undefined : html`<div class="chart wide" data-load="${index}" data-chart="percentiles"></div>${percentileTable(percentiles)}`}
${rateLimit === undefined ? undefined : renderRateLimit(rateLimit)}
${renderInvalid(load, embedding)}
${list("notes", notes)}
${renderThresholds(load)}
${metrics(result)}
</article>
`;
}

const charts = ["latency", "rate", "refused", "waits"] as const;

function list(name: string, lines: readonly string[]): Html | undefined {
  if (lines.length === 0) return undefined;
  return html`<ul class="${name}">${lines.slice(0, 50).map((line) => html`<li>${prose(line, 600)}</li>`)}</ul>`;
}

function renderFigures({ requests, rate, median, p95, p99, failed, refused, checked }: LoadFigures): Html {
  return facts([
    ["Requests", requests],
    ["Rate", rate],
    ["p50", median],
    ["p95", p95],
    ["p99", p99],
    ["Failed", failed],
    ["429 responses", refused],
    ["Checked", checked],
  ]);
}

/** Latency against earlier runs, by endpoint. */
function renderComparison({ answer, label, text, runs, rows }: ShownComparison): Html {
  return html`<h4>Against earlier runs</h4>
<p>${chip(comparisonTones[answer], capitalized(label))} ${prose(text, 600)} <span class="faint">${counted(runs.before, "run")} before, ${grouped(runs.after)} now</span></p>
${
  rows.length === 0
    ? undefined
    : table(
        "Latency against earlier runs",
        ["Endpoint", "Statistic", "Verdict", "Before", "Now", "Change", "Interval"],
        rows.map((row) => [
          quoted(row.endpoint, 80),
          row.statistic,
          chip(comparisonTones[row.answer], capitalized(row.label)),
          row.before,
          row.after,
          row.change,
          row.interval,
        ]),
        { seen: false, figures: true },
      )
}`;
}

function percentileTable(percentiles: NonNullable<LoadResult["percentiles"]>): Html {
  const columns = [50, 90, 95, 99, 99.9, 100];
  return table(
    "Latency of good responses by endpoint, milliseconds",
    ["Endpoint", "Responses", "p50", "p90", "p95", "p99", "p99.9", "Longest"],
    percentiles.map(({ endpoint, count, at, milliseconds: values }) => [
      quoted(requestLabel(endpoint), 80),
      grouped(count),
      ...columns.map((column) => {
        const value = values[at.indexOf(column)];
        return value === undefined || !showsPercentile(column, count) ? "–" : figure(value);
      }),
    ]),
    { figures: true },
  );
}

function renderInvalid({ invalid }: ShownLoad, embedding: Embedding): Html | undefined {
  if (invalid.length === 0) return undefined;
  return html`<h4>Responses that broke a rule</h4>${invalid
    .slice(0, 50)
    .map(
      ({ text, exchange }) =>
        html`<div class="finding"><p>${prose(text, 700)}</p>${renderSlot(embedding.slot([exchange]), 1)}</div>`,
    )}`;
}

const judges = { target: "the target", run: "the run", search: "nothing: the profile looks for it" } as const;
const thresholdTones = { passed: "good", failed: "bad", waived: "notice", "not judged": "notice" } as const;

/** Those that failed first. */
function renderThresholds({ thresholds }: ShownLoad): Html | undefined {
  if (thresholds.length === 0) return undefined;
  const passed = thresholds.filter(({ verdict }) => verdict === "passed");
  const others = thresholds.filter(({ verdict }) => verdict !== "passed");
  const rows = [...others, ...passed].map(({ name, figures, verdict, guards, waiver }) => [
    quoted(name, 160),
    quoted(figures, 80),
    html`${chip(thresholdTones[verdict], capitalized(verdict))}${waiver === undefined ? undefined : html` until ${waiver.expires} by ${quoted(waiver.owner, 100)}: ${quoted(waiver.reason, 600)}`}`,
    judges[guards],
  ]);
  const summary =
    others.length === 0
      ? `all ${thresholds.length} passed`
      : `${passed.length} of ${thresholds.length} passed`;
  return html`<details class="more"><summary>Thresholds: ${summary}</summary>${table("Thresholds", ["Limit on", "Measured and limit", "Verdict", "Judges"], rows)}</details>`;
}

function metrics({ metrics: all, comparability }: LoadResult): Html {
  const rows = Object.entries(all)
    .slice(0, 400)
    .map(([name, values]) => [
      html`<code>${quoted(name, 160)}</code>`,
      Object.entries(values)
        .slice(0, 20)
        .map(([value, number]) => `${value} ${figure(number)}`)
        .join(", "),
    ]);
  return html`<details class="more"><summary>All metrics</summary>${table("Metrics as k6 gave them, times in milliseconds", ["Metric", "Values"], rows)}${
    comparability === undefined
      ? undefined
      : facts([
          ["Comparability hash", html`<code>${quoted(comparability.hash, 80)}</code>`],
          ...Object.entries(comparability.parts).map(
            ([name, part]) => [name, html`<code>${quoted(part, 120)}</code>`] as const,
          ),
        ])
  }</details>`;
}

/** What the rate-limit scenario learned. */
function renderRateLimit(result: RateLimitResult): Html {
  const { mode, limit, highestRate, refusedShare, promises, otherOrganization, polite } = result;
  return html`<h4>Rate limit, ${mode === "probe" ? "probed" : "polite"}</h4>${facts([
    [
      "Limit",
      limit === undefined
        ? "none found"
        : `${perSecond(limit.perSecond)} (${figure(limit.low)} to ${figure(limit.high)})`,
    ],
    ["Kind", limit === undefined ? undefined : kind(limit)],
    ["Burst", limit === undefined ? undefined : grouped(limit.burst)],
    ["Highest rate probed", highestRate === undefined ? undefined : perSecond(highestRate)],
    ["Refused", refusedShare === undefined ? undefined : percent(refusedShare)],
    [
      "Accepted after Retry-After",
      promises === undefined ? undefined : `${grouped(promises.kept)} of ${grouped(promises.tried)}`,
    ],
    [
      "Another organization meanwhile",
      otherOrganization === undefined
        ? undefined
        : `${grouped(otherOrganization.refused)} of ${grouped(otherOrganization.requests)} refused`,
    ],
    ["Accepted", polite === undefined ? undefined : perSecond(polite.goodput)],
    ["Paced to", polite === undefined ? undefined : perSecond(polite.paced)],
    ["Not sent because of the limit", polite === undefined ? undefined : grouped(polite.unsent)],
    [
      "Waits",
      polite === undefined ? undefined : `${grouped(polite.waits)}, ${figure(polite.waitSeconds)} s in total`,
    ],
    ["Refused again after a wait", polite === undefined ? undefined : grouped(polite.refusedAgain)],
    [
      "Recovery",
      polite?.recoveryMilliseconds === undefined ? undefined : milliseconds(polite.recoveryMilliseconds),
    ],
  ])}`;
}

function kind({ kind: shape, windowSeconds }: NonNullable<RateLimitResult["limit"]>): string {
  if (shape === "bucket") return "bucket";
  return windowSeconds === undefined ? "window" : `window of ${figure(windowSeconds)} s`;
}
