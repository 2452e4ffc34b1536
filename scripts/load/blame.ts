import { virtualUsersOf } from "../../scenarios/lib/options.ts";
import {
  type OpenTraffic,
  openTraffic,
  peakRate,
  requestRate,
  stagesOf,
} from "../../scenarios/lib/schedule.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import { given } from "../../schemas/json.ts";
import { requestKindIds, requestKinds, type ScenarioId, scenarios } from "../../schemas/scenarios.ts";
import { judgeShare } from "./shares.ts";

type Series = NonNullable<LoadResult["series"]>;

/** What is known about a run that did not send everything. */
export interface LoadFacts {
  readonly scenario: ScenarioId;
  readonly profile: Profile;
  readonly summary: RunSummary;
  readonly series?: Series | undefined;
  /** Resources that the load generators ran out of. */
  readonly starved: readonly Finding[];
  /** Responses that were kept, for who gave them. Default: none */
  readonly evidence?: LoadResult["evidence"];
}

/** Why a run sent less than its profile plans: because of the target, or because of the run itself. */
export interface Blame {
  readonly guards: Exclude<Threshold["guards"], "search">;
  readonly findings: readonly Finding[];
}

/**
 * Decides why iterations were lost. The target is to blame if it refuses requests below the planned rate, or responds
 * more slowly than the profile plans for, since both keep virtual users busy. Otherwise the run is: its generator lacks
 * CPU or memory or starts iterations late, or its profile has too few virtual users.
 *
 * @param late Findings about iterations that started late.
 */
export function blameForLost(facts: LoadFacts, late: readonly Finding[]): Blame {
  const limit = rateLimitFinding(facts);
  if (limit !== undefined) return { guards: "target", findings: [limit] };
  if (facts.starved.length > 0) return { guards: "run", findings: [...facts.starved, ...late] };
  const { profile, scenario, summary } = facts;
  const lost = { count: countOf(summary, "dropped_iterations"), total: summary.plannedIterations };
  const seen = { ...lost, of: "iterations" } as const;
  for (const traffic of openTraffic(scenario)) {
    const milliseconds = latencyOf(summary, traffic);
    const rate = peakRate(stagesOf(profile, traffic));
    const users = virtualUsersOf(profile, traffic);
    const needed = Math.ceil((rate * milliseconds) / 1000);
    const planned = profile.maxResponseSeconds * 1000;
    if (milliseconds > planned) {
      const slow = { expected: planned, actual: milliseconds, unit: "ms", seen } as const;
      return { guards: "target", findings: [{ code: "slower-than-planned", ...slow }] };
    }
    if (needed > users) {
      const details = { rate, milliseconds };
      return {
        guards: "run",
        findings: [{ code: "too-few-virtual-users", expected: needed, actual: users, details }],
      };
    }
  }
  // Requests that a gateway refuses are repeated later, which keeps virtual users busy and delays iterations.
  const loss = lossUnderLoad(facts);
  if (loss !== undefined) return { guards: "run", findings: [loss.finding] };
  if (late.length > 0) return { guards: "run", findings: late };
  const virtualUsers = openTraffic(scenario).reduce((sum, one) => sum + virtualUsersOf(profile, one), 0);
  return { guards: "run", findings: [{ code: "iterations-dropped", seen, details: { virtualUsers } }] };
}

/** Requests that did not reach the service, or whose responses did not reach the generator. */
interface LossUnderLoad {
  /** The responses of gateways and proxies, by status. */
  readonly finding: Finding;
  /** Number of requests that were not repeated successfully. */
  readonly lost: number;
  readonly total: number;
}

/** The loss at gateways and proxies; undefined when there is none. */
export function lossUnderLoad({
  summary,
  evidence = [],
}: Pick<LoadFacts, "summary" | "evidence">): LossUnderLoad | undefined {
  const count = countOf(summary, "on_the_way");
  if (count === 0) return undefined;
  const total = requestKindIds.reduce((sum, name) => {
    const { passes = 0, fails = 0 } = summary.metrics[`http_req_failed{name:${name}}`] ?? {};
    return sum + passes + fails;
  }, count);
  const details = countedByTag(summary, "on_the_way", "status");
  const shown = evidence.find(({ finding }) => finding.code === "answered-on-the-way");
  return {
    finding: {
      code: "lost-on-the-way",
      ...given({ subject: shown?.finding.from?.name }),
      seen: { count, total, of: "requests" },
      details,
    },
    lost: countOf(summary, "lost_on_the_way"),
    total,
  };
}

/** The non-zero counts of a metric by the values of a tag. */
export function countedByTag({ metrics }: RunSummary, metric: string, tag: string): Record<string, number> {
  const start = `${metric}{${tag}:`;
  return Object.fromEntries(
    Object.entries(metrics).flatMap(([name, { count = 0 }]) =>
      name.startsWith(start) && count > 0 ? [[name.slice(start.length, -1), count]] : [],
    ),
  );
}

/** The rate that the target accepted before it refused requests with 429; undefined when it refused none. */
export function rateLimitFinding({ scenario, profile, summary, series }: LoadFacts): Finding | undefined {
  const refused = countOf(summary, "refusals");
  if (refused === 0) return undefined;
  const total = countOf(summary, "http_reqs");
  const overall = ((total - refused) * 1000) / Math.max(1, summary.durationMilliseconds);
  return {
    code: "rate-limit-reached",
    expected: requestRate(profile, scenario),
    actual: acceptedRate(series) || overall,
    unit: "requests/s",
    seen: { count: refused, total, of: "responses" },
  };
}

/**
 * Mean rate of accepted requests, per second, from the first refusal to the last. If there are periods between these two,
 * only they count: in the first period a token bucket was still partly full, in the last one the load was ending.
 */
function acceptedRate(series: Series | undefined): number {
  if (series === undefined) return 0;
  const refusing = series.refusedRate.map((rate) => (rate ?? 0) > 0);
  const from = refusing.indexOf(true);
  const all = series.requestRate
    .map((rate, place) => (rate ?? 0) - (series.refusedRate[place] ?? 0))
    .slice(from, refusing.lastIndexOf(true) + 1);
  const accepted = all.length > 2 ? all.slice(1, -1) : all;
  return from < 0 ? 0 : accepted.reduce((sum, rate) => sum + rate, 0) / accepted.length;
}

/** Mean p99 of the kinds of request in one kind of traffic, weighted by their number; 0 without samples. */
function latencyOf({ metrics }: RunSummary, traffic: OpenTraffic): number {
  const kinds = requestKindIds.filter((name) => {
    const asks: readonly string[] = scenarios[traffic].endpoints;
    return asks.includes(requestKinds[name].endpoint);
  });
  const timed = Object.entries(metrics).filter(([metric]) =>
    kinds.some((name) => metric.startsWith(`http_req_duration{name:${name},`)),
  );
  const count = timed.reduce((sum, [, values]) => sum + (values.count ?? 0), 0);
  const weighted = timed.reduce((sum, [, values]) => sum + (values.count ?? 0) * (values["p(99)"] ?? 0), 0);
  return count === 0 ? 0 : weighted / count;
}

/** The finding that the target no longer responded after the run, with the second of its last good response; undefined when it responded. */
export function targetGoneFinding({ metrics }: RunSummary, series: Series | undefined): Finding | undefined {
  const responded = metrics.target_responded_after;
  if (responded?.value !== 0 && responded?.min !== 0) return undefined;
  const code = "target-gone-under-load";
  if (series === undefined) return { code };
  const { requestRate: rates, failedRate, refusedRate, periodSeconds = 1 } = series;
  const good = rates.findLastIndex(
    (rate, place) => (rate ?? 0) > (failedRate[place] ?? 0) + (refusedRate[place] ?? 0),
  );
  // Time counts from the first load, not from the start of k6, which runs the setup first.
  const began = rates.findIndex((rate) => (rate ?? 0) * periodSeconds > 1);
  const periods = Math.max(0, good + 1 - Math.max(0, began));
  return { code, actual: periods * periodSeconds, unit: "s" };
}

/** The result of a profile that searches for the capacity. */
export interface Capacity {
  readonly finding: Finding;
  /** The target missed its limits from the first periods on, so no capacity was found. */
  readonly fromTheStart: boolean;
}

/** Periods at the start of a run. A target that misses its limits there fails at the lowest rate. */
const startPeriods = 2;

/** The rate at which a limit was first crossed, or the highest rate when none was. */
export function capacityOf({ scenario, profile, series }: LoadFacts, lostToTarget: boolean): Capacity {
  const unit = "requests/s";
  const at = series === undefined ? undefined : firstCrossing(profile, series);
  if (series === undefined || at === undefined) {
    const highest = Math.max(0, ...(series?.requestRate ?? []).map((rate) => rate ?? 0));
    return lostToTarget
      ? { finding: { code: "capacity-reached", actual: highest, unit }, fromTheStart: false }
      : {
          finding: { code: "capacity-not-reached", actual: requestRate(profile, scenario), unit },
          fromTheStart: false,
        };
  }
  const rate = series.requestRate[at.place] ?? 0;
  const details = { limit: at.limit, limitUnit: at.unit };
  return {
    finding: { code: "capacity-reached", subject: at.what, actual: rate, unit, details },
    fromTheStart: at.place < startPeriods,
  };
}

interface Crossing {
  readonly place: number;
  readonly what: "p95" | "p99" | "failed requests";
  readonly limit: number;
  readonly unit: "ms" | "share";
}

/** The first of two consecutive periods above the same limit. A single slow period, or a single failure, does not count. */
export function firstCrossing(
  { thresholds }: Profile,
  { requestRate: rates, failedRate, latency, periodSeconds }: Series,
): Crossing | undefined {
  const { p95Milliseconds, p99Milliseconds = Number.POSITIVE_INFINITY, failedShare } = thresholds;
  const countOfTwo = (column: Series["requestRate"], place: number) =>
    Math.round(((column[place] ?? 0) + (column[place + 1] ?? 0)) * periodSeconds);
  const limits: {
    what: Crossing["what"];
    limit: number;
    unit: Crossing["unit"];
    of: (place: number) => number;
  }[] = [
    { what: "p99", limit: p99Milliseconds, unit: "ms", of: (place) => latency.p99[place] ?? 0 },
    { what: "p95", limit: p95Milliseconds, unit: "ms", of: (place) => latency.p95[place] ?? 0 },
    {
      what: "failed requests",
      limit: failedShare,
      unit: "share",
      of: (place) => (failedRate[place] ?? 0) / Math.max(1e-9, rates[place] ?? 0),
    },
  ];
  for (let place = 0; place + 1 < rates.length; place += 1) {
    const crossed = limits.find(
      ({ limit, of, unit }) =>
        of(place) > limit &&
        of(place + 1) > limit &&
        (unit === "ms" ||
          judgeShare({ count: countOfTwo(failedRate, place), total: countOfTwo(rates, place) }, limit)
            .outcome === "above"),
    );
    if (crossed !== undefined) return { place, what: crossed.what, limit: crossed.limit, unit: crossed.unit };
  }
  return undefined;
}

function countOf({ metrics }: RunSummary, metric: string): number {
  return metrics[metric]?.count ?? 0;
}
