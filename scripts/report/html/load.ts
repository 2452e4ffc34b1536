import type { LoadResult, RateLimitResult, Threshold } from "../../../schemas/contracts/load-result.ts";
import {
  capitalized,
  counted,
  figure,
  grouped,
  milliseconds,
  outOf,
  percent,
  perSecond,
  showsPercentile,
} from "../../../schemas/words/format.ts";
import type { EndpointLimit, EndpointRow } from "../endpoint-rows.ts";
import {
  type CrossedLimits,
  type LoadFigures,
  type ShownComparison,
  type ShownLoad,
  type ShownThreshold,
  shownThreshold,
} from "../shown-load.ts";
import { comparisonTones } from "../tones.ts";
import type { Embedding } from "./embedding.ts";
import { renderSlot } from "./findings.ts";
import {
  chip,
  excerptBlock,
  exchangeLine,
  facts,
  type Html,
  html,
  loadChip,
  prose,
  quoted,
  raw,
  table,
} from "./markup.ts";

/** A load run: verdict with reasons, endpoints with limits, charts, evidence and details. */
export function renderLoad(load: ShownLoad, index: number, embedding: Embedding): Html {
  const { result, name, otherReasons, notes, figures, comparison } = load;
  const { series, percentiles = [], rateLimit, scenario } = result;
  const place = (chart: string) => html`<div class="chart" data-load="${index}" data-chart="${chart}"></div>`;
  const timed = series === undefined ? [] : timeCharts.map(place);
  const spread = percentiles.length === 0 ? [] : distributionCharts.map(place);
  return html`<article class="load" id="load-${index}">
<h3>${loadChip(load)} ${quoted(name, 120)}</h3>
${hasCard(result) ? undefined : list("reasons", otherReasons)}
${renderFigures(figures)}
${renderEndpoints(load, index)}
${list("notes", waivedLines(load))}
${rateLimit === undefined ? undefined : renderRateLimit(rateLimit)}
${comparison === undefined ? undefined : renderComparison(comparison)}
${timed.length + spread.length === 0 ? undefined : html`<div class="charts">${timed}${spread}</div>`}
${renderInvalid(load, index, embedding)}
${list("notes", notes)}
${renderThresholds(load, index)}
${renderComparability(result)}
<p class="faint">The summary of k6, with every metric, is in <a href="load/${encodeURIComponent(scenario.toWellFormed())}/summary.json">load/${quoted(scenario, 60)}</a> in the run's folder.</p>
</article>
`;
}

/** Whether the run has a card under "Failed". */
function hasCard({ verdict }: Pick<LoadResult, "verdict">): boolean {
  return verdict === "fail" || verdict === "slower";
}

/** Id of the element that shows a limit. */
function limitAnchor(load: number, limit: number): string {
  return `limit-${load}-${limit}`;
}

/** A card for each failed load run. It links to the measured values, which are shown once, in the tables. */
export function renderFailedLoad(load: readonly ShownLoad[]): Html[] {
  return load.flatMap((one, index) => {
    const { result, id, name, otherReasons, crossed, invalid } = one;
    if (!hasCard(result)) return [];
    return html`<article class="card fail" data-group data-verdict="fail" data-section="Load">
<p class="about">${loadChip(one)} <code>${quoted(id, 120)}</code> <a href="#load-${index}">table and charts</a>${invalid.length === 0 ? undefined : html` <a href="#invalid-${index}">evidence</a>`}</p>
<h3>Load: ${quoted(name, 120)}</h3>
<div class="finding" data-item id="failed-load-${index}">
<ul class="facts-found">${otherReasons.slice(0, 50).map((reason) => html`<li>${prose(reason, 600)}</li>`)}${crossed.map((limits) => renderCrossed(limits, index))}</ul>
</div>
</article>
`;
  });
}

/** The names link to the cells with value and limit. */
function renderCrossed({ fix, limits }: CrossedLimits, index: number): Html {
  const advice = fix === undefined ? undefined : prose(fix, 600);
  const links = limits.map(({ at, name, example }) => ({
    link: html`<a href="#${limitAnchor(index, at)}">${quoted(name, 160)}</a>`,
    example,
  }));
  if (links.every(({ example }) => example === undefined))
    return html`<li>${counted(limits.length, "limit")} crossed: ${links.map(({ link }, nth) => html`${nth === 0 ? "" : "; "}${link}`)}. ${advice}</li>`;
  const items = links.map(
    ({ link, example }) =>
      html`<li>${link}${example === undefined ? undefined : html`, for example: ${prose(example, 600)}`}</li>`,
  );
  return html`<li>${counted(limits.length, "limit")} crossed<ul>${items}</ul>${advice}</li>`;
}

const timeCharts = ["latency", "rate", "split", "users", "waits"] as const;
const distributionCharts = ["percentiles", "histogram"] as const;

function list(name: string, lines: readonly string[]): Html | undefined {
  if (lines.length === 0) return undefined;
  return html`<ul class="${name}">${lines.slice(0, 50).map((line) => html`<li>${prose(line, 600)}</li>`)}</ul>`;
}

/** Endpoints with their limits, worst first. The head has a limit that all endpoints share. */
function renderEndpoints({ endpoints, result: { thresholds } }: ShownLoad, index: number): Html | undefined {
  if (endpoints.length === 0) return undefined;
  const rows = endpoints.map((row) => ({ row, cells: columns.map((column) => cellOf(row, column)) }));
  const few = rows.some(({ cells }) => cells.some((cell) => cell?.few === true));
  const shared = columns.map((_, index) => {
    const [limit, ...others] = new Set(rows.flatMap(({ cells }) => cells[index]?.limit ?? []));
    return others.length === 0 ? limit : undefined;
  });
  return html`${table(
    "Latency, failed and invalid responses by endpoint, worst first",
    ["Endpoint", "Responses", ...columns.map(({ label }, index) => ({ label, note: shared[index] }))],
    rows.map(({ row: { name, samples }, cells }) => [
      quoted(name, 80),
      grouped(samples),
      ...cells.map((cell, column) => {
        const at = cell?.threshold === undefined ? -1 : thresholds.indexOf(cell.threshold);
        const id = at < 0 ? undefined : limitAnchor(index, at);
        return renderCell(cell, { samples, shared: shared[column], id });
      }),
    ]),
    { seen: false, figures: true },
  )}${few ? html`<p class="faint">Grey: too few responses to be meaningful; the number of responses follows the value.</p>` : undefined}`;
}

const columns = [
  { label: "p50", percentile: 50 },
  { label: "p95", percentile: 95 },
  { label: "p99", percentile: 99 },
  { label: "Failed", share: "failed", crossing: "failed-requests" },
  { label: "Invalid", share: "invalid", crossing: "invalid-responses" },
] as const;

interface Cell {
  readonly value: string;
  readonly limit?: string;
  /** Measured value as a share of the limit. */
  readonly ratio?: string;
  readonly verdict?: ShownThreshold["verdict"];
  readonly threshold?: Threshold;
  /** Whether there are too few samples for the percentile. */
  readonly few: boolean;
}

function cellOf(row: EndpointRow, column: (typeof columns)[number]): Cell | undefined {
  const { latency, samples, limits } = row;
  if ("share" in column) {
    const tally = row[column.share];
    const limited = limits.find(({ threshold }) => threshold.crossing === column.crossing);
    if (tally === undefined) return undefined;
    const { count, total } = tally;
    const value = count === 0 ? `none of ${grouped(total)}` : outOf(count, total);
    return { value, ...besideLimit(limited, percent), few: false };
  }
  const measured = latency[column.percentile];
  if (measured === undefined) return undefined;
  const limited = limits.find(
    ({ threshold }) =>
      threshold.crossing === "latency-over-limit" && threshold.statistic === `p${column.percentile}`,
  );
  const few = !showsPercentile(column.percentile, samples);
  return { value: milliseconds(measured), ...besideLimit(limited, milliseconds), few };
}

function besideLimit(
  limited: EndpointLimit | undefined,
  inWords: (value: number) => string,
): Pick<Cell, "limit" | "ratio" | "verdict" | "threshold"> {
  if (limited === undefined) return {};
  const { threshold, ratio } = limited;
  const often =
    ratio === undefined
      ? {}
      : {
          ratio:
            ratio > 1
              ? `${figure(ratio)} times the limit`
              : `${percent(Number(ratio.toPrecision(2)))} of the limit`,
        };
  return {
    limit: `limit ${inWords(threshold.limit)}`,
    ...often,
    verdict: shownThreshold(threshold).verdict,
    threshold,
  };
}

interface CellPlace {
  readonly samples: number;
  /** The limit that the whole column shares. */
  readonly shared: string | undefined;
  readonly id: string | undefined;
}

function renderCell(cell: Cell | undefined, { samples, shared, id }: CellPlace): Html {
  if (cell === undefined) return html`–`;
  const { value, limit, ratio, verdict, few } = cell;
  const figures =
    verdict === "failed" || verdict === "waived"
      ? chip(thresholdTones[verdict], value)
      : few
        ? html`<span class="few">${value} <small>of ${grouped(samples)}</small></span>`
        : html`${value}`;
  const remark = verdict === "waived" || verdict === "not judged" ? verdict : undefined;
  const beside = [limit === shared ? undefined : limit, remark, ratio].filter((part) => part !== undefined);
  const whole = html`${figures}${beside.length === 0 ? undefined : html` <small class="limit">${beside.join(", ")}</small>`}`;
  return id === undefined ? whole : html`<span id="${id}">${whole}</span>`;
}

function waivedLines({ thresholds }: ShownLoad): string[] {
  return thresholds.flatMap(({ ofEndpoint, name, figures, waiver }) =>
    ofEndpoint && waiver !== undefined
      ? [`${name}: ${figures}. Waived until ${waiver.expires} by ${waiver.owner}: ${waiver.reason}`]
      : [],
  );
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

/** Number of invalid responses with an excerpt. */
const mostExcerpts = 3;

function renderInvalid({ invalid }: ShownLoad, load: number, embedding: Embedding): Html | undefined {
  if (invalid.length === 0) return undefined;
  return html`<h4 id="invalid-${load}">Invalid responses</h4>${invalid
    .slice(0, 50)
    .map(({ text, expected, exchange }, index) => {
      const [excerpt] = exchange.response.excerpts ?? [];
      return html`<div class="finding"><p>${prose(text, 700)}</p>${exchangeLine(exchange)}${excerpt === undefined || index >= mostExcerpts ? undefined : excerptBlock(excerpt, { expected })}${renderSlot(embedding.slot([exchange]), 1)}</div>`;
    })}`;
}

const judges = {
  target: "the target",
  run: "the run",
  search: "nothing: the profile searches for the limit",
} as const;
const thresholdTones = { passed: "good", failed: "bad", waived: "notice", "not judged": "unsure" } as const;

/** Limits without a cell in the table of endpoints, crossed ones first. */
function renderThresholds(
  { thresholds, endpoints, crossed, result }: ShownLoad,
  index: number,
): Html | undefined {
  const inTable = new Set(
    endpoints.flatMap((row) => columns.map((column) => cellOf(row, column)?.threshold)),
  );
  const others = thresholds
    .map((threshold, at) => ({ ...threshold, at }))
    .filter(({ at }) => !inTable.has(result.thresholds[at]));
  if (others.length === 0) return undefined;
  const linked = new Set(crossed.flatMap(({ limits }) => limits.map(({ at }) => at)));
  const isStated = (at: number) =>
    !linked.has(at) && result.findings.some(({ code }) => code === result.thresholds[at]?.crossing);
  const passed = others.filter(({ verdict }) => verdict === "passed");
  const notPassed = others.filter(({ verdict }) => verdict !== "passed");
  const rows = [...notPassed, ...passed].map(({ name, figures, verdict, guards, waiver, at }) => [
    html`<span id="${limitAnchor(index, at)}">${quoted(name, 160)}</span>`,
    verdict === "failed" && isStated(at)
      ? html`<a href="#${hasCard(result) ? `failed-load-${index}` : `load-${index}`}">stated above</a>`
      : quoted(figures, 80),
    html`${chip(thresholdTones[verdict], capitalized(verdict))}${waiver === undefined ? undefined : html` until ${waiver.expires} by ${quoted(waiver.owner, 100)}: ${quoted(waiver.reason, 600)}`}`,
    judges[guards],
  ]);
  const summary =
    notPassed.length === 0 ? `all ${others.length} passed` : `${passed.length} of ${others.length} passed`;
  return html`<details class="more"${notPassed.some(({ verdict }) => verdict === "failed") ? raw(" open") : undefined}><summary>Limits on the run as a whole: ${summary}</summary>${table("Limits on the run as a whole", ["Limit on", "Measured and limit", "Verdict", "Judges"], rows, { seen: false })}</details>`;
}

function renderComparability({ comparability }: LoadResult): Html | undefined {
  if (comparability === undefined) return undefined;
  return html`<details class="more"><summary>What another run must have in common with this one to be compared</summary>${facts(
    [
      ["Hash of all", html`<code>${quoted(comparability.hash, 80)}</code>`],
      ...Object.entries(comparability.parts).map(
        ([name, part]) => [name, html`<code>${quoted(part, 120)}</code>`] as const,
      ),
    ],
  )}</details>`;
}

/** Results of the rate-limit scenario. */
function renderRateLimit(result: RateLimitResult): Html {
  const { mode, limit, highestRate, refusedShare, retryAfter, otherOrganization, polite } = result;
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
      retryAfter === undefined
        ? undefined
        : `${grouped(retryAfter.accepted)} of ${grouped(retryAfter.tried)}`,
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
