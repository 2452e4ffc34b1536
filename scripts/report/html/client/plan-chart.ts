import { requestLabel } from "../../../../schemas/scenarios.ts";
import type { LoadResult } from "../../../../schemas/types.ts";
import { figure } from "../../../../schemas/words/format.ts";
import { visibleText } from "../../text.ts";
import type { ChartData, TrendChart } from "../embedding.ts";

type Column = readonly (number | null)[];

/** A chart as data: what `chart.ts` draws, and the words for those who do not see it. */
export interface ChartPlan {
  readonly title: string;
  readonly summary: string;
  readonly unit: string;
  /** What the x axis is: seconds of the run, nines of a percentile (2 is 99 %), or places of runs in their order. */
  readonly across: "seconds" | "nines" | "runs";
  readonly x: readonly number[];
  /** Day and hour of each run, where runs are across. */
  readonly runs?: readonly string[];
  readonly lines: readonly Line[];
}

interface Line {
  readonly name: string;
  readonly values: Column;
  readonly dashed?: boolean;
}

type Series = NonNullable<LoadResult["series"]>;

/** The chart of a name in the page; undefined when there is nothing to draw. */
export function planChart(
  name: string,
  { series, percentiles, name: run }: ChartData,
): ChartPlan | undefined {
  if (name === "percentiles")
    return percentiles === undefined ? undefined : planPercentiles(percentiles, run);
  return series === undefined ? undefined : planSeries(name, series, run);
}

function planSeries(name: string, series: Series, run: string): ChartPlan | undefined {
  const { latency, requestRate, failedRate, refusedRate, waitSeconds, virtualUsers, seconds } = series;
  const plans: Readonly<Record<string, Omit<ChartPlan, "summary" | "across" | "x">>> = {
    latency: {
      title: "Latency of good responses, ms",
      unit: "ms",
      lines: [
        { name: "p50", values: latency.p50 },
        { name: "p95", values: latency.p95 },
        { name: "p99", values: latency.p99 },
      ],
    },
    rate: {
      title: "Requests a second, and virtual users",
      unit: "",
      lines: [
        { name: "requests /s", values: requestRate },
        { name: "virtual users", values: virtualUsers, dashed: true },
      ],
    },
    refused: {
      title: "Failed and refused (429), a second",
      unit: "/s",
      lines: [
        { name: "failed", values: failedRate },
        { name: "429", values: refusedRate, dashed: true },
      ],
    },
    waits: {
      title: "Retry-After, mean seconds",
      unit: "s",
      lines: [{ name: "wait", values: waitSeconds }],
    },
  };
  const plan = plans[name];
  if (plan === undefined) return undefined;
  const { lines, unit } = plan;
  // A chart of nothing but zeros says no more than the figures above it.
  const silent = lines.every(({ values }) => values.every((value) => value === null || value === 0));
  if (silent) return undefined;
  return { ...plan, across: "seconds", x: seconds, summary: `${run}: ${summaries(lines, unit)}` };
}

/** Every endpoint's curve over one axis that stretches towards 100 %, as HDR histograms are drawn. */
function planPercentiles(
  percentiles: NonNullable<LoadResult["percentiles"]>,
  run: string,
): ChartPlan | undefined {
  const known = percentiles.filter(({ at }) => at.length > 0);
  if (known.length === 0) return undefined;
  const x = [...new Set(known.flatMap(({ at, count }) => at.map((place) => nines(place, count))))].sort(
    (one, other) => one - other,
  );
  const lines = known.map(({ endpoint, at, milliseconds, count }) => {
    const values = new Map(at.map((place, index) => [nines(place, count), milliseconds[index] ?? null]));
    return { name: visibleText(requestLabel(endpoint)), values: x.map((place) => values.get(place) ?? null) };
  });
  const summary = `${run}: ${summaries(lines, "ms")}`;
  return { title: "Latency by percentile and endpoint, ms", unit: "ms", across: "nines", x, lines, summary };
}

/** One figure or more over the runs; a run without a value leaves a gap. */
export function planTrend({ title, unit, lines }: TrendChart, runs: readonly string[]): ChartPlan {
  return {
    title,
    unit,
    lines,
    across: "runs",
    x: runs.map((_run, place) => place),
    runs,
    summary: summaries(lines, unit),
  };
}

// The longest of n answers stands where its share does: with 1,000 of them at 99.9 %.
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

/** What the script of a comparison's page draws, by their order in the page: read by `comparison.ts`. */
export interface ComparisonData {
  readonly charts: readonly ChartPlan[];
}
