import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { Threshold } from "../../../../schemas/contracts/threshold.ts";
import { requestKindIds, requestLabel } from "../../../../schemas/scenarios.ts";
import { isCrossed } from "../../../../schemas/verdicts.ts";
import { grouped, milliseconds, showsPercentile } from "../../../../schemas/words/format.ts";
import { limitedName, limitFigures } from "../../../../schemas/words/thresholds.ts";

/** The latency percentiles in every report. */
export const shownPercentiles = [50, 95, 99] as const;
export type ShownPercentile = (typeof shownPercentiles)[number];

/** The figures of one kind of request with its limits. */
export interface EndpointRow {
  readonly id: string;
  /** `Lookup by id` */
  readonly name: string;
  /** Number of successful responses, whose latency was measured. */
  readonly samples: number;
  /** Milliseconds; omitted without responses. */
  readonly latency: Readonly<Partial<Record<ShownPercentile, number>>>;
  /** Failed requests. */
  readonly failed: Tally | undefined;
  /** Invalid responses among the checked ones. */
  readonly invalid: Tally | undefined;
  /** Limits on this kind of request, worst first. */
  readonly limits: readonly EndpointLimit[];
}

interface Tally {
  readonly count: number;
  readonly total: number;
}

export interface EndpointLimit {
  readonly threshold: Threshold;
  /**
   * Measured value as a part of the limit: above 1 it is crossed. Undefined if nothing was measured, the limit is 0,
   * or a percentile within its limit comes from too few responses.
   */
  readonly ratio: number | undefined;
}

/** All kinds of requests of a load run: those that crossed a limit first, then by distance from their nearest limit. */
export function endpointRows({
  percentiles = [],
  metrics,
  thresholds,
}: Pick<LoadResult, "percentiles" | "metrics" | "thresholds">): EndpointRow[] {
  const ids = new Set<string>([
    ...percentiles.map(({ endpoint }) => endpoint),
    ...requestKindIds.filter((id) => metrics[latencyMetric(id)] !== undefined),
  ]);
  return [...ids].map(rowOf).toSorted(worstFirst);

  function rowOf(id: string): EndpointRow {
    const curve = percentiles.find(({ endpoint }) => endpoint === id);
    const values = metrics[latencyMetric(id)] ?? {};
    // What a limit was compared with is the figure; the curve is read from a histogram and may differ a little.
    const limited = (statistic: string) =>
      thresholds.find(
        (one) => one.request === id && one.crossing === "latency-over-limit" && one.statistic === statistic,
      )?.value;
    const latency = shownPercentiles.map((percentile) => [
      percentile,
      limited(`p${percentile}`) ??
        (curve === undefined
          ? values[percentile === 50 ? "med" : `p(${percentile})`]
          : curve.milliseconds[curve.at.indexOf(percentile)]),
    ]);
    const samples = curve?.count ?? values.count ?? 0;
    return {
      id,
      name: requestLabel(id),
      samples,
      latency: Object.fromEntries(latency.filter(([, value]) => value !== undefined)),
      failed: tally(metrics[`http_req_failed{name:${id}}`]),
      invalid: tally(metrics[`invalid_responses{name:${id}}`]),
      limits: thresholds
        .filter(({ request, guards }) => request === id && guards !== "run")
        .map((threshold) => limitOf(threshold, samples))
        .toSorted(nearestFirst),
    };
  }
}

/** `12.3 ms`; a dash without responses, or with too few for the percentile, unless a limit on it was exceeded. */
export function latencyText({ latency, samples, limits }: EndpointRow, percentile: ShownPercentile): string {
  const value = latency[percentile];
  const hasDecided = limits.some(
    ({ threshold }) =>
      threshold.crossing === "latency-over-limit" &&
      threshold.statistic === `p${percentile}` &&
      isCrossed(threshold),
  );
  return value === undefined || !(hasDecided || showsPercentile(percentile, samples))
    ? "–"
    : milliseconds(value);
}

/** `p95 at most 500 ms`, for the row of its kind of request. */
export function limitText({ threshold }: EndpointLimit): string {
  const { crossing, statistic } = threshold;
  return `${crossing === "latency-over-limit" ? statistic : limitedName(crossing)} ${limitFigures(threshold)}`;
}

/** `3 of 1,240`; empty if nothing was counted. */
export function tallyText(tally: Tally | undefined): string {
  return tally === undefined ? "" : `${grouped(tally.count)} of ${grouped(tally.total)}`;
}

function latencyMetric(id: string): string {
  return `http_req_duration{name:${id},status:200}`;
}

/** A rate metric of k6, which counts as `passes` the events it is named for. */
function tally(values: Readonly<Record<string, number>> | undefined): Tally | undefined {
  const { passes, fails } = values ?? {};
  return passes === undefined || fails === undefined ? undefined : { count: passes, total: passes + fails };
}

function limitOf(threshold: Threshold, samples: number): EndpointLimit {
  const { value, limit, bound, met, crossing, statistic } = threshold;
  const isNoise =
    met && crossing === "latency-over-limit" && !showsPercentile(Number(statistic.slice(1)), samples);
  if (value === undefined || limit === 0 || value === 0 || isNoise) return { threshold, ratio: undefined };
  return { threshold, ratio: bound === "most" ? value / limit : limit / value };
}

function nearestFirst(one: EndpointLimit, other: EndpointLimit): number {
  const crossed = Number(isCrossed(other.threshold)) - Number(isCrossed(one.threshold));
  return crossed || (other.ratio ?? 0) - (one.ratio ?? 0);
}

function worstFirst(one: EndpointRow, other: EndpointRow): number {
  const [first, second] = [one.limits[0], other.limits[0]];
  const hasCrossed = (limit: EndpointLimit | undefined) => limit !== undefined && isCrossed(limit.threshold);
  const crossed = Number(hasCrossed(second)) - Number(hasCrossed(first));
  return crossed || (second?.ratio ?? 0) - (first?.ratio ?? 0);
}
