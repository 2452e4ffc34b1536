import type { LoadResult } from "../../../../schemas/contracts/load-result.ts";
import type { Threshold } from "../../../../schemas/contracts/threshold.ts";
import { requestLabel } from "../../../../schemas/scenarios.ts";
import { isCrossed, loadVerdictLabels, verdictLabels } from "../../../../schemas/verdicts.ts";
import { grouped, inUnit, milliseconds, showsPercentile } from "../../../../schemas/words/format.ts";
import {
  limitedName,
  limitFigures,
  thresholdFigures,
  thresholdLabel,
} from "../../../../schemas/words/thresholds.ts";
import { type KindLatency, latenciesOf, type Percentile } from "../../../load/latencies.ts";

/** The figures of one kind of request with its limits. */
export interface EndpointRow {
  readonly id: string;
  /** `Lookup by id` */
  readonly name: string;
  /** Number of successful responses, whose latency was measured. */
  readonly samples: number;
  /** Milliseconds; omitted without responses. */
  readonly latency: Readonly<Partial<Record<Percentile, number>>>;
  /** Failed requests. */
  readonly failed: Tally | undefined;
  /** Invalid responses among the checked ones. */
  readonly invalid: Tally | undefined;
  /** Limits on this kind of request, worst first. */
  readonly limits: readonly ShownThreshold[];
}

interface Tally {
  readonly count: number;
  readonly total: number;
}

/** A limit and its measured value, in words. */
export interface ShownThreshold {
  readonly threshold: Threshold;
  /** `Batch lookup, p95`. */
  readonly name: string;
  /** `at most 500 ms`. */
  readonly limit: string;
  /** `115 ms, limit 5 ms`. */
  readonly figures: string;
  readonly verdict: "passed" | "failed" | "waived" | "not judged";
  /** Whether it was not exceeded, but by too few responses to say that it is met. */
  readonly isUnsure: boolean;
  /**
   * Measured value as a part of the limit: above 1 it is exceeded. Undefined if nothing was measured, the limit is 0,
   * or a percentile is unsure.
   */
  readonly ratio: number | undefined;
}

/** A limit in words. */
export function shownThreshold(threshold: Threshold, result: LoadResult): ShownThreshold {
  const { met, guards, waiver, notJudged, request, crossing, statistic, fewSamples } = threshold;
  const isNoise =
    crossing === "latency-over-limit" &&
    request !== undefined &&
    !showsPercentile(Number(statistic.slice(1)), samplesOf(request, result));
  return {
    threshold,
    name: thresholdLabel(threshold),
    limit: limitFigures(threshold),
    figures: thresholdFigures(threshold),
    // Reaching a limit that the profile searches for is no failure.
    verdict:
      met || guards === "search"
        ? loadVerdictLabels.pass
        : notJudged !== undefined
          ? verdictLabels.inconclusive
          : waiver === undefined
            ? loadVerdictLabels.fail
            : "waived",
    isUnsure: met && (isNoise || fewSamples !== undefined),
    ratio: met && isNoise ? undefined : ratioOf(threshold),
  };
}

/** All kinds of requests of a load run: those that crossed a limit first, then by distance from their nearest limit. */
export function endpointRows(result: LoadResult, thresholds: readonly ShownThreshold[]): EndpointRow[] {
  const { metrics } = result;
  return latenciesOf(result).map(rowOf).toSorted(worstFirst);

  function rowOf({ id, samples, at }: KindLatency): EndpointRow {
    const limits = thresholds.filter(
      ({ threshold: { request, guards } }) => request === id && guards !== "run",
    );
    return {
      id,
      name: requestLabel(id),
      samples,
      latency: at,
      failed: tally(metrics[`http_req_failed{name:${id}}`]),
      invalid: tally(metrics[`invalid_responses{name:${id}}`]),
      limits: limits.toSorted(nearestFirst),
    };
  }
}

/** `12.3 ms`; `none` without responses, `too few` for the percentile unless a limit on it was exceeded. */
export function latencyText({ latency, samples, limits }: EndpointRow, percentile: Percentile): string {
  if (samples === 0) return "none";
  const value = latency[percentile];
  const hasDecided = limits.some((one) => isLatency(one, `p${percentile}`) && isOver(one));
  const isShown = hasDecided || showsPercentile(percentile, samples);
  return value !== undefined && isShown ? milliseconds(value) : "too few";
}

/** `p95 at most 500 ms`, for the row of its kind of request. */
export function limitText({ threshold: { crossing, statistic }, limit }: ShownThreshold): string {
  return `${crossing === "latency-over-limit" ? statistic : limitedName(crossing)} ${limit}`;
}

/** The same for 80 columns: `p95 ≤ 500 ms`. */
export function shortLimit({
  threshold: { crossing, statistic, bound, limit, unit },
}: ShownThreshold): string {
  const what = crossing === "latency-over-limit" ? statistic : limitedName(crossing).split(" ", 1)[0];
  return `${what} ${bound === "most" ? "≤" : "≥"} ${inUnit(limit, unit)}`;
}

/** Whether a limit was exceeded, also if it is waived. */
export function isOver({ threshold }: ShownThreshold): boolean {
  return isCrossed(threshold);
}

export function isLatency({ threshold }: ShownThreshold, statistic: string): boolean {
  return threshold.crossing === "latency-over-limit" && threshold.statistic === statistic;
}

/** `3 of 1,240`, `none of 40`; empty if nothing was counted. */
export function tallyText(tally: Tally | undefined): string {
  if (tally === undefined) return "";
  return `${tally.count === 0 ? "none" : grouped(tally.count)} of ${grouped(tally.total)}`;
}

/** A rate metric of k6, which counts as `passes` the events it is named for. */
function tally(values: Readonly<Record<string, number>> | undefined): Tally | undefined {
  const { passes, fails } = values ?? {};
  return passes === undefined || fails === undefined ? undefined : { count: passes, total: passes + fails };
}

function samplesOf(kind: string, result: LoadResult): number {
  return latenciesOf(result).find(({ id }) => id === kind)?.samples ?? 0;
}

function ratioOf({ value, limit, bound }: Threshold): number | undefined {
  if (value === undefined || limit === 0 || value === 0) return undefined;
  return bound === "most" ? value / limit : limit / value;
}

/** Exceeded limits first, of these those of 0, then by distance. */
export function nearestFirst(one: ShownThreshold, other: ShownThreshold): number {
  return rankOf(other) - rankOf(one);
}

function worstFirst({ limits: [first] }: EndpointRow, { limits: [second] }: EndpointRow): number {
  return rankOf(second) - rankOf(first);
}

function rankOf(limit: ShownThreshold | undefined): number {
  if (limit === undefined) return 0;
  return isOver(limit) ? 1e6 + (limit.ratio ?? 1e6) : (limit.ratio ?? 0);
}
