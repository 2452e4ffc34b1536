import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import { isCrossed } from "../../schemas/contracts/verdicts.ts";
import { showsPercentile } from "../../schemas/words/format.ts";
import { type Difference, differencesBetween } from "../load/conditions.ts";
import { type KindLatency, latenciesOf, type Percentile, shownPercentiles } from "../load/latencies.ts";
import type { ChangeWeight } from "./verdict-changes.ts";

/** The load of one scenario in two runs. */
export interface LoadChange {
  readonly scenario: string;
  readonly profile: string;
  /** Which of the runs measured it: an invalid one measured nothing. */
  readonly measured: "both" | "before" | "after";
  /** Limits that only the later run exceeds. */
  readonly exceeded: readonly { readonly threshold: Threshold; readonly weight: ChangeWeight }[];
  /** Limits that both runs judged. */
  readonly limits: number;
  /** A trend: which deployment is slower is judged while both run. */
  readonly latency: readonly LatencyChange[];
  /** What the figures depend on besides the service, where it differs. */
  readonly differing: readonly Difference[];
}

interface LatencyChange {
  readonly endpoint: string;
  readonly statistic: string;
  /** Milliseconds. */
  readonly before: number;
  readonly after: number;
  /** Relative: 0.2 is 20 % slower. */
  readonly change: number;
}

export function loadChanges(before: Results, after: Results): LoadChange[] {
  const scenarios = new Set([...before.load, ...after.load].map(({ scenario }) => scenario));
  return [...scenarios].flatMap((scenario): LoadChange[] => {
    const [old, now] = [before, after].map(({ load }) =>
      load.find((one) => one.scenario === scenario && one.verdict !== "invalid"),
    );
    const profile = (now ?? old)?.profile;
    if (profile === undefined) return [];
    if (old === undefined || now === undefined) {
      const measured = now === undefined ? "before" : "after";
      const exceeded = now === undefined ? [] : exceededNow(undefined, now);
      return [{ scenario, profile, measured, exceeded, limits: 0, latency: [], differing: [] }];
    }
    const differing = differencesBetween(
      { profile: old.profile, ...old.conditions },
      { profile: now.profile, ...now.conditions },
    );
    const isSame = differing.length === 0;
    // With another load, or on another machine, it is no evidence of a change in the service.
    const exceeded = exceededNow(old, now).map((one) => (isSame ? one : { ...one, weight: "open" as const }));
    // That of rate-limit depends on its own pacing.
    const latency = scenario === "rate-limit" ? [] : latencyChanges(old, now);
    const limits = Math.min(judgedLimits(old).length, judgedLimits(now).length);
    return [{ scenario, profile, measured: "both", exceeded, limits, latency, differing }];
  });
}

function judgedLimits({ thresholds }: LoadResult): Threshold[] {
  return thresholds.filter(({ guards, notJudged }) => guards === "target" && notJudged === undefined);
}

/** One that was not judged before is no proven regression. */
function exceededNow(old: LoadResult | undefined, now: LoadResult): LoadChange["exceeded"] {
  const parts = ["metric", "statistic", "bound", "limit"] as const;
  return judgedLimits(now)
    .filter(isCrossed)
    .flatMap((threshold) => {
      const before = old?.thresholds.find((one) => parts.every((part) => one[part] === threshold[part]));
      if (before !== undefined && isCrossed(before)) return [];
      const wasJudged = before !== undefined && before.notJudged === undefined;
      return [{ threshold, weight: wasJudged ? ("worse" as const) : ("open" as const) }];
    });
}

/** Largest increase first. */
function latencyChanges(old: LoadResult, now: LoadResult): LatencyChange[] {
  const earlier = latenciesOf(old);
  const changes = latenciesOf(now).flatMap((kind) =>
    shownPercentiles.flatMap((percentile): LatencyChange[] => {
      const same = earlier.find(({ id }) => id === kind.id);
      const [before, after] = [valueAt(same, percentile), valueAt(kind, percentile)];
      if (before === undefined || after === undefined) return [];
      return [{ endpoint: kind.id, statistic: `p${percentile}`, before, after, change: after / before - 1 }];
    }),
  );
  return changes.toSorted((one, other) => other.change - one.change);
}

/** Milliseconds at a percentile; undefined when it was not measured, or from too few responses. */
function valueAt(kind: KindLatency | undefined, percentile: Percentile): number | undefined {
  return kind !== undefined && showsPercentile(percentile, kind.samples) ? kind.at[percentile] : undefined;
}
