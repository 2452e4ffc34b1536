import type { LoadResult } from "../../../../schemas/types.ts";
import type { ChartData } from "../page-data.ts";
import { visibleText } from "../visible-text.ts";

type Column = readonly (number | null)[];

/** A chart as data: what `chart.ts` draws, and the words for those who do not see it. */
export interface ChartPlan {
  readonly title: string;
  readonly summary: string;
  readonly unit: string;
  /** What the x axis is: seconds of the run, or nines of a percentile (2 is 99 %). */
  readonly across: "seconds" | "nines";
  readonly x: readonly number[];
  readonly lines: readonly { readonly name: string; readonly values: Column }[];
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
  const plans: Readonly<Record<string, readonly [string, string, Readonly<Record<string, Column>>]>> = {
    latency: ["Latency of good answers", "ms", { p50: latency.p50, p95: latency.p95, p99: latency.p99 }],
    rate: ["Requests a second, and virtual users", "", { "requests /s": requestRate, users: virtualUsers }],
    refused: ["Failed and refused (429), a second", "/s", { failed: failedRate, "429": refusedRate }],
    waits: ["Retry-After as told", "s", { "mean wait": waitSeconds }],
  };
  const plan = plans[name];
  if (plan === undefined) return undefined;
  const [title, unit, columns] = plan;
  const lines = Object.entries(columns).map(([line, values]) => ({ name: line, values }));
  // A chart of nothing but zeros says no more than the figures above it.
  const silent = lines.every(({ values }) => values.every((value) => value === null || value === 0));
  if (silent) return undefined;
  return { title, unit, across: "seconds", x: seconds, lines, summary: `${run}: ${summaries(lines, unit)}` };
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
    return { name: visibleText(endpoint), values: x.map((place) => values.get(place) ?? null) };
  });
  const summary = `${run}: ${summaries(lines, "ms")}`;
  return { title: "Latency by percentile and endpoint", unit: "ms", across: "nines", x, lines, summary };
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
      return `${name} from ${short(low)} to ${short(high)} ${unit}`.trim();
    })
    .join(", ");
}

/** A number to three digits. */
export function short(value: number): string {
  return value.toLocaleString("en", {
    maximumSignificantDigits: Math.abs(value) >= 1000 ? 21 : 3,
    maximumFractionDigits: 3,
  });
}
