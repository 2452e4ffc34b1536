import { latencyMetric } from "../../scenarios/lib/thresholds.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { requestKindIds, walkName } from "../../schemas/scenarios.ts";

/** The percentiles of latency that are shown and compared, by k6's names of them. */
const statistics = { 50: "med", 95: "p(95)", 99: "p(99)" } as const;
export const shownPercentiles = [50, 95, 99] as const;
export type Percentile = (typeof shownPercentiles)[number];

/** How long the successful responses of one kind of request took, or whole walks through a category. */
export interface KindLatency {
  readonly id: string;
  readonly samples: number;
  /** Milliseconds; empty without samples. */
  readonly at: Readonly<Partial<Record<Percentile, number>>>;
}

/** The latency of each kind of request that a run could have sent, and of its walks. */
export function latenciesOf({ metrics }: Pick<LoadResult, "metrics">): KindLatency[] {
  const kinds = requestKindIds.map((id) => [id, latencyMetric(id)] as const);
  return [...kinds, [walkName, "chain_duration"] as const].flatMap(([id, metric]) => {
    const { count: samples = 0, ...values } = metrics[metric] ?? {};
    if (metrics[metric] === undefined || (samples === 0 && id === walkName)) return [];
    const known = shownPercentiles.flatMap((one) => {
      const value = values[statistics[one]];
      return value === undefined || samples === 0 ? [] : [[one, value] as const];
    });
    return [{ id, samples, at: Object.fromEntries(known) }];
  });
}
