import { requestLabel } from "../../../schemas/scenarios.ts";
import type { Finding, LoadComparison, LoadResult } from "../../../schemas/types.ts";
import { defaultWords } from "../../../schemas/words/finding-words.ts";
import { findingText } from "../../../schemas/words/index.ts";
import { thresholdFigures, thresholdLabel } from "../../../schemas/words/load.ts";
import type { Embedding } from "./embedding.ts";
import { renderSlot } from "./findings.ts";
import { type Html, html } from "./markup.ts";
import { chip, facts, loadChip, quoted, table } from "./parts.ts";
import { renderRateLimit } from "./rate-limit.ts";
import { change, counted, figure, grouped, milliseconds, percent } from "./words.ts";

/** One load run: its verdict and why, the figures, the charts, then what stands behind them. */
export function renderLoad(result: LoadResult, index: number, embedding: Embedding): Html {
  const { scenario, profile, verdict, findings, notes, series, percentiles, comparison, rateLimit } = result;
  return html`<article class="load" id="load-${index}">
<h3>${loadChip(verdict)} ${quoted(scenario, 60)} <small>profile ${quoted(profile, 60)}</small></h3>
${list("reasons", findings)}
${figures(result)}
${comparison === undefined ? undefined : renderComparison(comparison)}
${series === undefined ? undefined : html`<div class="charts">${charts.map((name) => html`<div class="chart" data-load="${index}" data-chart="${name}"></div>`)}</div>`}
${percentiles === undefined || percentiles.length === 0 ? undefined : html`<div class="chart wide" data-load="${index}" data-chart="percentiles"></div>${percentileTable(percentiles)}`}
${rateLimit === undefined ? undefined : renderRateLimit(rateLimit)}
${flaws(result, embedding)}
${list("notes", notes)}
${thresholds(result)}
${metrics(result)}
</article>
`;
}

const charts = ["latency", "rate", "refused", "waits"] as const;

function list(name: string, findings: readonly Finding[]): Html | undefined {
  if (findings.length === 0) return undefined;
  return html`<ul class="${name}">${findings.slice(0, 50).map((finding) => html`<li>${quoted(textOf(finding), 600)}</li>`)}</ul>`;
}

function textOf(finding: Finding): string {
  return findingText(finding, defaultWords);
}

function figures({ metrics: measured, retryAfter, validated }: LoadResult): Html {
  const { http_reqs: requests, http_req_duration: duration, http_req_failed: failed } = measured;
  const p = (name: string): string | undefined =>
    duration?.[name] === undefined ? undefined : milliseconds(duration[name]);
  return facts([
    ["Requests", requests?.count === undefined ? "none" : grouped(requests.count)],
    ["Rate", requests?.rate === undefined ? undefined : `${figure(requests.rate)} /s`],
    ["Median", p("med")],
    ["p95", p("p(95)")],
    ["p99", p("p(99)")],
    ["Failed", failed?.rate === undefined ? undefined : percent(failed.rate)],
    ["429 answers", refusals(retryAfter)],
    ["Validated", validation(validated)],
  ]);
}

function refusals({ refused, withRetryAfter, longestSeconds }: LoadResult["retryAfter"]): string {
  if (refused === 0) return "none";
  const longest = longestSeconds === undefined ? "" : `, longest wait ${figure(longestSeconds)} s`;
  return `${grouped(refused)} (${grouped(withRetryAfter)} with Retry-After${longest})`;
}

function validation({ answers, invalid, undetectedShareBound }: LoadResult["validated"]): string {
  if (invalid > 0) return `${grouped(invalid)} of ${counted(answers, "answer")} break the schema`;
  if (undetectedShareBound === undefined) return counted(answers, "answer");
  return `${counted(answers, "answer")}, none broken: at most ${percent(undetectedShareBound)} undetected (3/n)`;
}

const answers = {
  slower: "bad",
  faster: "good",
  same: "good",
  inconclusive: "unsure",
  refused: "unsure",
} as const satisfies Record<LoadComparison["answer"], string>;

/** Latency against earlier runs, by endpoint. */
function renderComparison({ answer, reason, runs, endpoints }: LoadComparison): Html {
  return html`<h4>Against earlier runs</h4>
<p>${chip(answers[answer], answer)} ${quoted(reason, 600)} <span class="faint">${counted(runs.before, "run")} before, ${grouped(runs.after)} now</span></p>
${
  endpoints.length === 0
    ? undefined
    : table(
        "Latency against earlier runs",
        ["Endpoint", "Statistic", "Answer", "Before", "Now", "Change", "Interval"],
        endpoints.map((one) => [
          html`<code>${quoted(one.endpoint, 80)}</code>`,
          one.statistic,
          chip(answers[one.answer], one.answer),
          milliseconds(one.before),
          milliseconds(one.after),
          change(one.change),
          `${change(one.low)} to ${change(one.high)}`,
        ]),
        { seen: false, figures: true },
      )
}`;
}

function percentileTable(percentiles: NonNullable<LoadResult["percentiles"]>): Html {
  const columns = [50, 90, 95, 99, 99.9, 100];
  return table(
    "Latency of good answers by endpoint, milliseconds",
    ["Endpoint", "Answers", "Median", "p90", "p95", "p99", "p99.9", "Longest"],
    percentiles.map(({ endpoint, count, at, milliseconds: values }) => [
      html`<code>${quoted(endpoint, 80)}</code>`,
      grouped(count),
      ...columns.map((column) => {
        const value = values[at.indexOf(column)];
        return value === undefined ? "–" : figure(value);
      }),
    ]),
    { figures: true },
  );
}

function flaws({ evidence = [] }: LoadResult, embedding: Embedding): Html | undefined {
  if (evidence.length === 0) return undefined;
  return html`<h4>Answers that broke a rule</h4>${evidence
    .slice(0, 50)
    .map(
      ({ request, finding, exchange }) =>
        html`<div class="finding"><p><b>${quoted(requestLabel(request), 100)}</b>: ${quoted(textOf(finding), 600)}</p>${renderSlot(embedding.slot([exchange]), 1)}</div>`,
    )}`;
}

function thresholds({ thresholds: all }: LoadResult): Html | undefined {
  if (all.length === 0) return undefined;
  const crossed = all.filter(({ held }) => !held);
  const rows = [...crossed, ...all.filter(({ held }) => held)].map((threshold) => [
    quoted(thresholdLabel(threshold), 160),
    quoted(thresholdFigures(threshold), 80),
    heldOrNot(threshold),
    threshold.guards === "run" ? "that the run measured enough" : "the target",
  ]);
  const summary =
    crossed.length === 0 ? `all ${all.length} held` : `${crossed.length} of ${all.length} crossed`;
  return html`<details class="more"><summary>Thresholds: ${summary}</summary>${table("Thresholds", ["Limit on", "Measured and limit", "Held?", "Guards"], rows)}</details>`;
}

function heldOrNot({ held, waiver }: LoadResult["thresholds"][number]): Html {
  if (held) return chip("good", "Held");
  if (waiver === undefined) return chip("bad", "Crossed");
  return html`${chip("notice", "Crossed, waived")} until ${waiver.expires} by ${quoted(waiver.owner, 100)}: ${quoted(waiver.reason, 600)}`;
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
