import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Results } from "../../schemas/contracts/results.ts";
import { showsPercentile } from "../../schemas/words/format.ts";
import { type Difference, differencesBetween } from "../load/conditions.ts";
import { type KindLatency, latenciesOf, type Percentile, shownPercentiles } from "../load/latencies.ts";
import type { EarlierRun } from "../runs/read-run.ts";

/** One latency in two runs. */
export interface LatencyChange {
  readonly endpoint: string;
  readonly statistic: string;
  /** Milliseconds. */
  readonly before: number;
  readonly after: number;
  /** Relative: 0.2 is 20 % slower. */
  readonly change: number;
}

/** The load of one scenario in two runs. Its latency is a trend: which deployment is slower is judged while both run. */
export interface ComparedLoad {
  readonly scenario: string;
  readonly profile: string;
  readonly latency: readonly LatencyChange[];
  /** What the figures depend on besides the service, where it differs. */
  readonly differing: readonly Difference[];
  /** Number of limits that both runs judged. */
  readonly limits: number;
}

/** The load that two runs have in common. Without rate-limit, whose latency depends on its own pacing. */
export function compareLoads(
  before: EarlierRun,
  after: EarlierRun,
): { readonly shared: readonly ComparedLoad[]; readonly notes: readonly Finding[] } {
  const [earlier, later] = [before, after].map(({ results }) =>
    results.load.filter(({ scenario }) => scenario !== "rate-limit"),
  ) as [Results["load"], Results["load"]];
  const names = [...new Set([...earlier, ...later].map(({ scenario }) => scenario))];
  const shared: ComparedLoad[] = [];
  const notes: Finding[] = [];
  for (const subject of names) {
    const [old, now] = [earlier, later].map((loads) => loads.find(({ scenario }) => scenario === subject));
    if (old === undefined || now === undefined) {
      notes.push({ code: "scenario-not-in-every-run", subject });
      continue;
    }
    const compared = comparedLoad(old, now);
    shared.push(compared);
    const unmeasured = old.verdict === "invalid" ? before : now.verdict === "invalid" ? after : undefined;
    if (unmeasured !== undefined)
      notes.push({ code: "latency-not-measured", subject, details: { run: unmeasured.name } });
    else if (compared.differing.length > 0)
      notes.push({ code: "runs-differ", subject, details: { parts: [...compared.differing] } });
  }
  return { shared, notes };
}

function comparedLoad(old: LoadResult, now: LoadResult): ComparedLoad {
  const { scenario, profile } = now;
  const isMeasured = old.verdict !== "invalid" && now.verdict !== "invalid";
  const [earlier, later] = [old, now].map(latenciesOf) as [KindLatency[], KindLatency[]];
  const latency = (isMeasured ? later : []).flatMap((kind) =>
    shownPercentiles.flatMap((percentile): LatencyChange[] => {
      const same = earlier.find(({ id }) => id === kind.id);
      const [before, after] = [valueAt(same, percentile), valueAt(kind, percentile)];
      if (before === undefined || after === undefined) return [];
      return [{ endpoint: kind.id, statistic: `p${percentile}`, before, after, change: after / before - 1 }];
    }),
  );
  const judged = ({ thresholds }: LoadResult) =>
    thresholds.filter(({ guards, notJudged }) => guards === "target" && notJudged === undefined).length;
  return {
    scenario,
    profile,
    latency: latency.toSorted((one, other) => other.change - one.change),
    differing: differencesBetween(old.conditions, now.conditions),
    limits: isMeasured ? Math.min(judged(old), judged(now)) : 0,
  };
}

/** Milliseconds at a percentile; undefined when it was not measured, or from too few responses. */
function valueAt(kind: KindLatency | undefined, percentile: Percentile): number | undefined {
  return kind !== undefined && showsPercentile(percentile, kind.samples) ? kind.at[percentile] : undefined;
}
