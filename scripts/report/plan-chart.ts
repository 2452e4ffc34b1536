import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { requestLabel, walkName } from "../../schemas/scenarios.ts";
import { counted, figure } from "../../schemas/words/format.ts";
import type { ChartLimit, ChartLine, ChartPlan } from "./document.ts";
import { visibleText } from "./text.ts";

/** What the charts of a load run draw. */
export interface ChartData extends Pick<LoadResult, "series" | "percentiles" | "planned"> {
  /** Name of the load run, for the text alternative of a chart. */
  readonly name: string;
  readonly limits?: readonly ChartLimit[];
  readonly startedAt?: string | undefined;
  /** Seconds after the start at which something happened, with words. */
  readonly marks?: readonly ChartLimit[] | undefined;
}

type Column = ChartLine["values"];

type Series = NonNullable<LoadResult["series"]>;

/** The plan of a chart by its name; undefined if there is nothing to draw. */
export function planChart(name: string, chart: ChartData): ChartPlan | undefined {
  const { series, percentiles } = chart;
  if (name === "percentiles")
    return percentiles === undefined ? undefined : planPercentiles(percentiles, chart);
  if (name === "histogram")
    return percentiles === undefined ? undefined : planHistogram(percentiles, chart.name);
  return series === undefined ? undefined : planSeries(name, series, chart);
}

type Drawing = Omit<ChartPlan, "summary" | "across" | "x">;

function planSeries(
  name: string,
  series: Series,
  { name: run, limits = [], planned, startedAt, marks }: ChartData,
): ChartPlan | undefined {
  const { latency, requestRate, failedRate, refusedRate, waitSeconds, virtualUsers, seconds, phases } =
    series;
  const plans: Readonly<Record<string, Drawing>> = {
    latency: {
      title: "Latency of successful responses, ms",
      unit: "ms",
      lines: [
        { name: "p50", values: latency.p50 },
        { name: "p95", values: latency.p95 },
        { name: "p99", values: latency.p99 },
      ],
      limits,
      isLogarithmic: true,
    },
    rate: {
      title: planned === undefined ? "Requests a second" : "Requests a second: planned and sent",
      unit: "/s",
      lines: [
        { name: "sent", values: requestRate },
        ...(planned === undefined
          ? []
          : [{ name: "planned", values: seconds.map((second) => plannedAt(planned, second)), dashed: true }]),
      ],
    },
    split: {
      title: "Successful, 429 and failed responses a second",
      unit: "/s",
      drawn: "areas",
      lines: [
        { name: "failed", values: failedRate, tone: "bad" },
        { name: "429", values: refusedRate, tone: "notice" },
        { name: "successful", values: successfulRate(series), tone: "good" },
      ],
    },
    phases: {
      title: "Phases of a request, mean, ms",
      unit: "ms",
      drawn: "areas",
      lines:
        phases === undefined
          ? []
          : [
              { name: "connection", values: phases.connection },
              { name: "TLS", values: phases.tls },
              { name: "wait", values: phases.wait },
              { name: "body", values: phases.body },
            ],
    },
    users: {
      title: "Virtual users",
      unit: "",
      lines: [{ name: "users", values: virtualUsers }],
    },
    waits: {
      title: "Wait given in Retry-After, mean, s",
      unit: "s",
      lines: [{ name: "wait", values: waitSeconds }],
    },
  };
  const plan = plans[name];
  if (plan === undefined) return undefined;
  const { unit } = plan;
  // A line of zeros says no more than the figures above; if all responses are successful, the chart of requests suffices.
  const silent = ({ values }: ChartLine): boolean => values.every((value) => value === null || value === 0);
  const lines = plan.drawn === "areas" ? plan.lines.filter((line) => !silent(line)) : plan.lines;
  if (lines.every(silent) || (plan.drawn === "areas" && lines.every(({ tone }) => tone === "good")))
    return undefined;
  // One value throughout is a sentence.
  if ((name === "users" || name === "waits") && lines.every((line) => constantOf(line) !== undefined))
    return undefined;
  const summary = `${run}: ${summaries(lines, unit)}`;
  return { ...plan, lines, across: "seconds", x: seconds, summary, startedAt, marks };
}

function constantOf({ values }: ChartLine): number | undefined {
  const known = new Set(values.filter((value) => value !== null));
  const [only] = known;
  return known.size === 1 ? only : undefined;
}

/** What did not change over a run, in place of charts of one line: `Virtual users: 1 throughout`. */
export function constants(series: Series | undefined): string[] {
  if (series === undefined) return [];
  const figures = {
    "Virtual users": series.virtualUsers,
    "Wait given in Retry-After, s": series.waitSeconds,
  };
  return Object.entries(figures).flatMap(([name, values]) => {
    const value = constantOf({ name, values });
    return value === undefined || value === 0 ? [] : [`${name}: ${figure(value)} throughout`];
  });
}

/** When the target stopped, the rate limit was reached, and a latency limit was first exceeded. */
export function marksOf(
  { series, findings = [] }: Pick<LoadResult, "series"> & Partial<Pick<LoadResult, "findings">>,
  limits: readonly ChartLimit[],
): ChartLimit[] {
  if (series === undefined) return [];
  const { seconds, refusedRate, latency } = series;
  const gone = findings.find(({ code }) => code === "target-gone-under-load")?.actual;
  const firstAt = (isIt: (place: number) => boolean) => seconds.find((_, place) => isIt(place));
  const refused = firstAt((place) => (refusedRate[place] ?? 0) > 0);
  const [limit] = limits.filter(({ label }) => label.includes("p95")).toSorted((a, b) => a.at - b.at);
  const above = limit === undefined ? undefined : firstAt((place) => (latency.p95[place] ?? 0) > limit.at);
  return [
    ...(typeof gone === "number" ? [{ at: gone, label: "target stopped" }] : []),
    ...(refused === undefined ? [] : [{ at: refused, label: "first 429" }]),
    ...(above === undefined ? [] : [{ at: above, label: "p95 first above its limit" }]),
  ];
}

function successfulRate({ requestRate, failedRate, refusedRate }: Series): Column {
  return requestRate.map((rate, at) =>
    rate === null ? null : Math.max(0, rate - (failedRate[at] ?? 0) - (refusedRate[at] ?? 0)),
  );
}

/** The planned rate at a second of the run, linear within each stage. */
function plannedAt(stages: NonNullable<ChartData["planned"]>, second: number): number | null {
  let from = 0;
  let rate = 0;
  for (const stage of stages) {
    const to = from + stage.seconds;
    if (second <= to && stage.seconds > 0)
      return rate + ((stage.rate - rate) * (second - from)) / stage.seconds;
    from = to;
    rate = stage.rate;
  }
  return second <= from + 1 ? rate : null;
}

/** Minimum number of responses for a curve. */
export const fewestOfCurve = 10;

/** Percentile curves of all endpoints over a logarithmic axis, as HDR histograms are drawn. */
function planPercentiles(
  percentiles: NonNullable<LoadResult["percentiles"]>,
  { name: run, limits = [] }: ChartData,
): ChartPlan | undefined {
  const known = percentiles.filter(({ at, count }) => at.length > 0 && count >= fewestOfCurve);
  if (known.length === 0) return undefined;
  const left = percentiles.length - known.length;
  const x = [...new Set(known.flatMap(({ at, count }) => at.map((place) => nines(place, count))))].sort(
    (one, other) => one - other,
  );
  const lines = known.map(({ endpoint, at, milliseconds, count }) => {
    const values = new Map(at.map((place, index) => [nines(place, count), milliseconds[index] ?? null]));
    return { name: visibleText(requestLabel(endpoint)), values: x.map((place) => values.get(place) ?? null) };
  });
  const summary = `${run}: ${summaries(lines, "ms")}`;
  const few = left === 0 ? "" : ` (${left} with fewer than ${fewestOfCurve} responses omitted)`;
  const title = `Latency by percentile and endpoint, ms${few}`;
  return { title, unit: "ms", across: "nines", x, lines, summary, limits, isLogarithmic: true };
}

/** Bars for each factor of ten. */
const barsPerDecade = 10;
/** Faster responses are drawn as this many milliseconds. */
const fastest = 0.01;

/** A histogram of all responses over a logarithmic axis, interpolated between the percentiles of each endpoint. */
function planHistogram(
  percentiles: NonNullable<LoadResult["percentiles"]>,
  run: string,
): ChartPlan | undefined {
  const curves = percentiles.filter(({ endpoint, at }) => endpoint !== walkName && at.length > 1);
  const total = curves.reduce((sum, { count }) => sum + count, 0);
  if (total < fewestOfCurve) return undefined;
  const barOf = (value: number) => Math.floor(Math.log10(Math.max(fastest, value)) * barsPerDecade);
  const endOf = (bar: number) => 10 ** ((bar + 1) / barsPerDecade);
  const all = curves.flatMap(({ milliseconds }) => milliseconds.map(barOf));
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const counts = Array.from({ length: last - first + 1 }, () => 0);
  for (const { count, at, milliseconds } of curves)
    for (let place = 1; place < at.length; place++) {
      const [low = 0, high = 0] = [milliseconds[place - 1], milliseconds[place]];
      const share = (((at[place] ?? 0) - (at[place - 1] ?? 0)) / 100) * count;
      for (let bar = barOf(low); bar <= barOf(high); bar++) {
        const inside = Math.min(high, endOf(bar)) - Math.max(low, endOf(bar - 1));
        counts[bar - first] = (counts[bar - first] ?? 0) + share * (high > low ? inside / (high - low) : 1);
      }
    }
  const values = counts.map((count) => Math.round(Math.max(0, count) * 10) / 10);
  return {
    title: "Responses by latency, ms",
    unit: "responses",
    across: "milliseconds",
    drawn: "bars",
    x: values.map((_, bar) => (first + bar + 0.5) / barsPerDecade),
    lines: [{ name: "responses", values }],
    summary: `${run}: ${counted(total, "response")} in ${barsPerDecade} bars for each factor of ten`,
  };
}

// The slowest of n responses is drawn at 1 - 1/n: of 1,000 responses at 99.9 %.
function nines(percentile: number, count: number): number {
  const above = Math.max(1 - percentile / 100, 1 / Math.max(2, count));
  return Math.round(-Math.log10(above) * 1000) / 1000;
}

function summaries(lines: ChartPlan["lines"], unit: string): string {
  return lines
    .map(({ name, values }) => {
      const known = values.filter((value) => value !== null);
      if (known.length === 0) return `${name} was not measured`;
      const low = Math.min(...known);
      const high = Math.max(...known);
      return `${name} from ${figure(low)} to ${figure(high)} ${unit}`.trim();
    })
    .join(", ");
}

/** Moves ascending heights apart by at least `gap`, with none below `bottom`. */
export function apart(
  heights: readonly number[],
  { gap, bottom }: { readonly gap: number; readonly bottom: number },
): number[] {
  const moved: number[] = [];
  for (const height of heights)
    moved.push(Math.max(height, (moved.at(-1) ?? Number.NEGATIVE_INFINITY) + gap));
  let below = bottom + gap;
  return moved
    .toReversed()
    .map((height) => (below = Math.min(height, below - gap)))
    .toReversed();
}
