import { rateLimitMode } from "../../scenarios/lib/schedule.ts";
import { countOf, loadSeconds, type RunSummary } from "../../scenarios/lib/summary.ts";
import { latencyMetric, overallLatency } from "../../scenarios/lib/thresholds.ts";
import { longestKeptWait } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, RateLimitResult } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { given } from "../../schemas/json.ts";
import { requestKindIds, walkName } from "../../schemas/scenarios.ts";
import { countedByTag, type EndedRun, overKinds, sentBy, sharesOf } from "./figures.ts";
import type { LiveFigures } from "./recording.ts";
import type { LoadJudgement } from "./rules.ts";

/** What the summary of a run says, and what was observed besides. */
export function measuredLoad(
  run: Omit<EndedRun, "exit" | "starved" | "evidence">,
): Omit<LoadResult, Exclude<keyof LoadJudgement, "notes">> {
  const { scenario, profileName, profile, summary, use, counted } = run;
  const metrics = summary?.metrics ?? {};
  const rateLimit =
    scenario === "rate-limit" && summary !== undefined
      ? rateLimitResult(rateLimitMode(profile), summary)
      : undefined;
  const { passes: invalid, total: answers } = sharesOf(metrics, "invalid_responses");
  const complete = overKinds(metrics, "complete_checks", "count");
  const refused = metrics.refusals?.count ?? counted?.refused ?? 0;
  const longest = metrics.retry_after_seconds?.max;
  return {
    scenario,
    profile: profileName,
    notes: [
      ...(summary === undefined ? [] : notesOn(summary, profile)),
      ...(rateLimit === undefined ? [] : [...rateLimitNotes(rateLimit), ...longWaitNotes(longest)]),
    ],
    metrics: {
      ...(summary === undefined ? countedMetrics(counted) : shownMetrics(summary)),
      ...(use === undefined ? {} : { generator: { ...use } }),
    },
    retryAfter: {
      refused,
      withRetryAfter: summary && refused - countOf(summary, "refusals_malformed"),
      longestSeconds: refused === 0 ? undefined : longest,
    },
    rateLimit,
    validated: {
      answers,
      invalid,
      ...(complete > 0 ? { complete } : {}),
      // Rule of three: without a failure in n responses, the 95 % upper bound of the share is 3/n.
      undetectedShareBound: invalid > 0 || answers === 0 ? undefined : Math.min(1, 3 / answers),
    },
  };
}

/** Metrics of a run without a summary, from its time series. */
function countedMetrics(counted: Partial<LiveFigures> = {}): LoadResult["metrics"] {
  const { requests, seconds, failed = 0, refused = 0 } = counted;
  if (!requests) return {};
  return {
    http_reqs: { count: requests, ...(seconds ? { rate: requests / seconds } : {}) },
    http_req_failed: { rate: failed / Math.max(1, requests - refused) },
  };
}

/** Totals are of the scenario's endpoints. A share of failed requests is of those not refused. */
function shownMetrics(summary: RunSummary): LoadResult["metrics"] {
  const { metrics } = summary;
  const { passes, fails, total } = sharesOf(metrics, "http_req_failed");
  const count = sentBy(summary);
  return {
    ...metrics,
    http_reqs: { count, rate: count / Math.max(0.001, loadSeconds(summary)) },
    http_req_failed: { rate: passes / Math.max(1, total), passes, fails },
    http_req_duration: { ...metrics[overallLatency] },
  };
}

/** Notes on what happened at least once. */
function notesOn(summary: RunSummary, { newConnections }: Profile): Finding[] {
  const { metrics } = summary;
  const count = (metric: string) => countOf(summary, metric);
  const by = (metric: string, tag: string) => countedByTag(summary, metric, tag);
  const seen = (of: NonNullable<Finding["seen"]>["of"], happened: number, total?: number) => ({
    seen: { count: happened, of, ...given({ total }) },
  });
  const sent = sentBy(summary);
  const withoutResponse = count("requests_without_response");
  // Those under way when the run ended: k6 counts them, and every other response is checked, or a right 429.
  const responses = sent - withoutResponse - count("refusals") + count("refusals_invalid");
  const checked = sharesOf(metrics, "invalid_responses").total;
  const kept = count("foreign_responses") === 0 ? count("fitting_responses") : 0;
  const unchecked = checked === 0 ? 0 : responses - checked;
  const wrong = count("failed_responses");
  const [failed, lost] = [by("failed_responses", "status"), by("requests_without_response", "failure")];
  const asked = count("probe_other_requests");
  const isRepeated = newConnections !== true && (lost.reset ?? 0) > 0;
  const isWithoutWalk = count("walks_cut") > 0 && count("walks_ended") === 0;
  const counted: Finding[] = [
    { code: "iterations-withheld", ...seen("iterations", count("abandoned_iterations")) },
    { code: "failed-by-status", ...seen("requests", wrong), details: failed },
    { code: "requests-lost", ...seen("requests", withoutResponse, sent), details: lost },
    { code: "tenants-kept-apart", ...seen("responses", kept) },
    { code: "responses-unchecked", ...seen("requests", unchecked, sent) },
    { code: "batches-unserved", ...seen("requests", count("batches_unserved")) },
  ];
  const noted: (Finding | false)[] = [
    isWithoutWalk && { code: "no-walk-ended" },
    asked > 0 && {
      code: "other-organization-asked",
      ...seen("requests", count("probe_other_refused"), asked),
    },
    isRepeated && { code: "repeats-uncounted" },
    ...counted.filter((note) => (note.seen?.count ?? 0) > 0),
  ];
  return noted.filter((note) => note !== false);
}

/** The result of the rate-limit scenario, from its metrics. */
function rateLimitResult(mode: "probe" | "polite", summary: RunSummary): RateLimitResult {
  const count = (name: string) => countOf(summary, name);
  const gauge = (name: string) => summary.metrics[name]?.value;
  if (mode === "polite") {
    const seconds = gauge("polite_seconds");
    // A run that was interrupted has not counted what was accepted.
    if (seconds === undefined) return { mode };
    const goodput = seconds === 0 ? 0 : count("polite_admitted") / seconds;
    return {
      mode,
      polite: { goodput, waits: count("polite_waits"), refusedAgain: count("polite_refused_again") },
    };
  }
  const perSecond = gauge("limit_estimate");
  const [requests, refusals] = [count("probe_requests"), count("refusals")];
  // A wait of a second in place of one that was not named shows nothing about Retry-After.
  const tried = refusals > count("refusals_malformed") ? count("probe_waits_tried") : 0;
  const [kept, again] = [count("probe_waits_accepted"), count("probe_waits_accepted_again")];
  return {
    mode,
    ...(perSecond !== undefined && {
      limit: {
        perSecond,
        low: gauge("limit_low") ?? perSecond,
        high: gauge("limit_high") ?? perSecond,
        burst: gauge("limit_burst") ?? 0,
        burstLow: gauge("limit_burst_low"),
        burstHigh: gauge("limit_burst_high"),
      },
    }),
    highestRate: gauge("probe_rate"),
    refusedShare: requests === 0 ? undefined : Math.min(1, refusals / requests),
    ...(tried > 0 && { retryAfter: { tried: tried + again, accepted: kept + again } }),
  };
}

/** A wait that no load run keeps: most likely milliseconds. */
function longWaitNotes(actual = 0): Finding[] {
  if (actual <= longestKeptWait) return [];
  return [{ code: "wait-too-long", expected: longestKeptWait, actual, unit: "s" }];
}

/** Notes that sum up the result of the rate-limit scenario. */
export function rateLimitNotes(result: RateLimitResult): Finding[] {
  const { mode, limit, highestRate: actual, refusedShare = 0, retryAfter, polite } = result;
  const unit = "requests/s";
  if (mode === "polite") {
    if (polite === undefined) return [];
    const seen = { count: polite.refusedAgain, total: polite.waits, of: "attempts" } as const;
    return [{ code: "polite-result", actual: polite.goodput, unit, seen }];
  }
  const { accepted = 0, tried = 0 } = retryAfter ?? {};
  const seen = { count: accepted, total: tried, of: "attempts" } as const;
  const waits: Finding[] = tried === 0 ? [] : [{ code: "waits-kept", seen }];
  if (limit !== undefined)
    return [{ code: "rate-limit-found", actual: limit.perSecond, unit, details: limit }, ...waits];
  // Without an estimate, waits still show that a limit was reached.
  if (tried > 0 || actual === undefined) return waits;
  const details = refusedShare > 0 ? { refusedShare } : undefined;
  return [{ code: "rate-limit-not-found", actual, unit, ...given({ details }) }];
}

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
