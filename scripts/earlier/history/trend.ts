import type { LoadResult, RequirementResult, Results } from "../../../schemas/types.ts";

/** One earlier run, by the name of its folder. */
export interface NamedRun {
  readonly name: string;
  readonly results: Results;
}

/** The last runs of a target, oldest first. */
export interface Trend {
  readonly target: string;
  readonly runs: readonly TrendRun[];
  /** 95th percentiles of good answers over the runs. */
  readonly latency: readonly LatencyTrend[];
}

export interface TrendRun {
  readonly name: string;
  readonly startedAt: string;
  readonly command: Results["command"];
  readonly verdict: Results["verdict"];
  readonly exitCode: Results["exitCode"];
  readonly summary: Results["summary"];
  /** Requests of conformance and load. */
  readonly requests: number;
  /** Requirements that fail, waived ones included. */
  readonly failing: readonly string[];
  /** Requirements that were judged and hold. */
  readonly holding: readonly string[];
  /** Of those that fail, the ones that held when an earlier run of the trend last judged them. */
  readonly newlyFailing: readonly string[];
  /** Requirements that hold, and failed when an earlier run of the trend last judged them. */
  readonly fixed: readonly string[];
  readonly load: readonly Pick<LoadResult, "scenario" | "profile" | "verdict">[];
}

export interface LatencyTrend {
  readonly scenario: string;
  readonly profile: string;
  readonly endpoint: string;
  /** Milliseconds, one for each run; null where it was not measured. */
  readonly p95: readonly (number | null)[];
}

/** Makes the trend of the runs of one target, given oldest first. */
export function trendOf(target: string, runs: readonly NamedRun[]): Trend {
  const last = new Map<string, "failing" | "holding">();
  return { target, runs: runs.map((run) => trendRun(run, last)), latency: latencyTrends(runs) };
}

// `last` is what each requirement did when it was last judged: a run that judged little fixes nothing.
function trendRun({ name, results }: NamedRun, last: Map<string, "failing" | "holding">): TrendRun {
  const { startedAt, command, verdict, exitCode, summary, requirements, load } = results;
  const states = requirements.flatMap((one) => {
    const state = stateOf(one);
    return state === undefined ? [] : [{ id: one.id, state, before: last.get(one.id) }];
  });
  for (const { id, state } of states) last.set(id, state);
  const ids = (wanted: (one: (typeof states)[number]) => boolean) =>
    states.filter(wanted).map(({ id }) => id);
  return {
    name,
    startedAt,
    command,
    verdict,
    exitCode,
    summary,
    requests:
      results.requests.total + load.reduce((sum, { metrics }) => sum + (metrics.http_reqs?.count ?? 0), 0),
    failing: ids(({ state }) => state === "failing"),
    holding: ids(({ state }) => state === "holding"),
    newlyFailing: ids(({ state, before }) => state === "failing" && before === "holding"),
    fixed: ids(({ state, before }) => state === "holding" && before === "failing"),
    load: load.map(({ scenario, profile, verdict: said }) => ({ scenario, profile, verdict: said })),
  };
}

function stateOf({ verdict, checks }: RequirementResult): "failing" | "holding" | undefined {
  // A waiver makes a warning of a failure; it mends nothing.
  if (verdict === "fail" || checks.some(({ waiver }) => waiver !== undefined)) return "failing";
  return verdict === "pass" || verdict === "warn" ? "holding" : undefined;
}

function latencyTrends(runs: readonly NamedRun[]): LatencyTrend[] {
  const measured = runs.flatMap(({ results: { load } }, place) =>
    load.flatMap(({ scenario, profile, ...result }) =>
      p95ByEndpoint(result).map(([endpoint, value]) => ({ scenario, profile, endpoint, value, place })),
    ),
  );
  const lines = Map.groupBy(measured, ({ scenario, profile, endpoint }) =>
    JSON.stringify([scenario, profile, endpoint]),
  );
  return [...lines.values()].flatMap((points) => {
    const [first] = points;
    if (first === undefined) return [];
    const { scenario, profile, endpoint } = first;
    const p95 = runs.map((_run, place) => points.find((point) => point.place === place)?.value ?? null);
    return [{ scenario, profile, endpoint, p95 }];
  });
}

function p95ByEndpoint({
  percentiles,
  metrics,
}: Pick<LoadResult, "percentiles" | "metrics">): [string, number][] {
  if (percentiles !== undefined) {
    return percentiles.flatMap(({ endpoint, at, milliseconds }): [string, number][] => {
      const value = milliseconds[at.indexOf(95)];
      return value === undefined ? [] : [[endpoint, value]];
    });
  }
  // Runs from before the curves were recorded.
  return Object.entries(metrics).flatMap(([metric, values]): [string, number][] => {
    const endpoint = /^http_req_duration\{name:([^,]*),status:200\}$/.exec(metric)?.[1];
    const value = values["p(95)"];
    return endpoint === undefined || value === undefined ? [] : [[endpoint, value]];
  });
}
