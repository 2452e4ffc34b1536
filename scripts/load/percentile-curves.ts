import { requests } from "../../scenarios/lib/response-rules.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { requestKindIds, walkName } from "../../schemas/scenarios.ts";
import type { LoadResult } from "../../schemas/types.ts";
import { mergedHistogram, percentile } from "./histogram.ts";

export type PercentileCurve = NonNullable<LoadResult["percentiles"]>[number];

const steps = (from: number, step: number, count: number) =>
  Array.from({ length: count }, (_, place) => from + place * step);

/** Percentiles of a curve: every two and a half, and closer where the slow answers are. */
const points = [0, ...steps(2.5, 2.5, 36), ...steps(91, 1, 8), ...steps(99, 0.1, 10), 99.95, 99.99, 100].map(
  (at) => Math.round(at * 100) / 100,
);

/** The latency of the good responses of each kind of request, and the time of whole walks, at about sixty percentiles. */
export function percentileCurves(summary: RunSummary): PercentileCurve[] {
  const timed = requestKindIds.map((name) => ({
    name,
    metric: `http_req_duration{name:${name},status:${requests[name].gated}}`,
  }));
  return [...timed, { name: walkName, metric: "chain_duration" }].flatMap(({ name, metric }) => {
    const distribution = summary.distributions[metric];
    if (distribution === undefined) return [];
    const histogram = mergedHistogram([distribution]);
    const { min = 0, max = Number.POSITIVE_INFINITY } = summary.metrics[metric] ?? {};
    // The ends are known from the samples themselves; the histogram has them to a thousandth.
    const at = (point: number) =>
      point === 0 ? min : point === 100 ? max : Math.min(max, Math.max(min, percentile(histogram, point)));
    return [
      {
        endpoint: name,
        count: distribution.count,
        at: points,
        milliseconds: points.map((point) => Math.round(at(point) * 1000) / 1000),
      },
    ];
  });
}
