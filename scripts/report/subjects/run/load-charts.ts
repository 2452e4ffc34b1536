import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import { figure, milliseconds } from "../../../../schemas/words/format.ts";
import { goodRates } from "../../../load/figures.ts";
import type { Chart, ChartLine } from "../../model.ts";

/** What was requested and how it was answered over time, and the latency beside its limits. */
export function loadCharts({
  metrics,
  series,
  planned,
  thresholds,
}: Pick<LoadResult, "metrics" | "series" | "planned" | "thresholds">): Chart[] {
  if (series === undefined) return [];
  const { seconds, failedRate, refusedRate, latency } = series;
  const good = goodRates(series);
  const accepted = series.requestRate.map((rate, at) => (rate === null ? null : (good[at] ?? null)));
  const plan = planned === undefined ? [] : seconds.map((second) => plannedAt(planned, second));
  const isPaging = metrics.walks_ended || metrics.walks_cut;
  const rates: ChartLine[] = [
    { name: "accepted", values: accepted, tone: "good" },
    { name: "429", values: refusedRate, tone: "notice" },
    { name: "failed", values: failedRate, tone: "bad" },
    // Pages of a walk follow from each other, at no planned rate.
    { name: isPaging ? "planned without paging" : "planned", values: plan, tone: "plain" },
  ];
  const latencies: ChartLine[] = [
    { name: "p50", values: latency.p50, tone: "good" },
    { name: "p95", values: latency.p95, tone: "notice" },
    { name: "p99", values: latency.p99, tone: "unsure" },
  ];
  const charts = [
    { title: "Requests a second", unit: "/s", isLogarithmic: false, lines: rates, limits: [] },
    {
      title: "Latency of successful responses",
      unit: "ms",
      isLogarithmic: true,
      lines: latencies,
      limits: latencyLimits(thresholds),
    },
  ];
  return charts.flatMap(({ lines, ...chart }) => {
    const drawn = lines.filter(({ values }) => values.some((value) => value !== null && value !== 0));
    if (drawn.length === 0) return [];
    const summary = drawn.map((line) => rangeText(line, chart.unit)).join(", ");
    return [{ ...chart, summary, x: seconds, lines: drawn }];
  });
}

/** The planned rate at a second of the run, linear within each stage. */
function plannedAt(stages: NonNullable<LoadResult["planned"]>, second: number): number | null {
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

function rangeText({ name, values }: ChartLine, unit: string): string {
  const known = values.filter((value) => value !== null);
  return `${name} from ${figure(Math.min(...known))} to ${figure(Math.max(...known))} ${unit}`;
}

/** Equal limits of several endpoints are one line. */
function latencyLimits(thresholds: LoadResult["thresholds"]): Chart["limits"] {
  const limits = thresholds.filter(({ crossing }) => crossing === "latency-over-limit");
  const byLabel = new Map(
    limits.map(({ statistic, limit }) => [`${statistic} limit ${milliseconds(limit)}`, limit]),
  );
  return [...byLabel].map(([label, at]) => ({ at, label }));
}
