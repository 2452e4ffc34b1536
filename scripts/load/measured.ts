import { rateLimitMode } from "../../scenarios/lib/schedule.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { overallLatency } from "../../scenarios/lib/thresholds.ts";
import { longestKeptWait } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, RateLimitResult } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { requestKindIds } from "../../schemas/scenarios.ts";
import { countedByTag } from "./figures.ts";
import type { LiveFigures } from "./recording.ts";
import type { GeneratorUse } from "./resources.ts";
import type { LoadJudgement } from "./rules.ts";

/** The result of a run without its verdict. */
export type MeasuredLoad = Omit<LoadResult, Exclude<keyof LoadJudgement, "notes">>;

/** What is known about a run besides its summary. */
export interface Measurements extends Pick<MeasuredLoad, "evidence" | "conditions"> {
  readonly series?: MeasuredLoad["series"] | undefined;
  /** Counts from the time series, for a run without a summary. */
  readonly counted?: LiveFigures | undefined;
  readonly scenario: string;
  readonly profileName: string;
  readonly profile: Profile;
  readonly use?: GeneratorUse | undefined;
}

/** Builds the measurements of a run from its summary and from what was observed besides. */
export function measuredLoad(summary: RunSummary | undefined, beside: Measurements): MeasuredLoad {
  const { scenario, profileName, profile, use, evidence = [], series, counted, conditions } = beside;
  const rateLimit =
    scenario === "rate-limit" && summary !== undefined
      ? rateLimitResult(rateLimitMode(profile), summary)
      : undefined;
  const metrics = summary?.metrics ?? {};
  const { passes: invalid, fails: valid } = sharesOf(metrics, "invalid_responses");
  const answers = invalid + valid;
  const complete = countedOf(metrics, "complete_checks");
  const refused = metrics.refusals?.count ?? counted?.refused ?? 0;
  const longest = metrics.retry_after_seconds?.max;
  return {
    scenario,
    profile: profileName,
    notes: [
      ...(summary === undefined ? [] : notesOn(summary)),
      ...(rateLimit === undefined ? [] : [...rateLimitNotes(rateLimit), ...longWaitNotes(longest)]),
    ],
    metrics: {
      ...(summary === undefined ? countedMetrics(counted) : shownMetrics(summary)),
      ...generatorMetrics(use),
    },
    retryAfter: {
      refused,
      withRetryAfter: refused - (metrics.refusals_malformed?.count ?? 0),
      longestSeconds: refused === 0 || longest === undefined ? undefined : longest,
    },
    rateLimit,
    series,
    evidence: evidence.length === 0 ? undefined : [...evidence],
    validated: {
      answers,
      invalid,
      ...(complete > 0 ? { complete } : {}),
      // Rule of three: without a failure in n responses, the 95 % upper bound of the share is 3/n.
      undetectedShareBound: invalid > 0 || answers === 0 ? undefined : Math.min(1, 3 / answers),
    },
    conditions,
  };
}

/** Metrics of a run without a summary, from its time series. */
function countedMetrics(counted: LiveFigures | undefined): LoadResult["metrics"] {
  if (counted === undefined || counted.requests === 0) return {};
  const { requests, seconds, failedShare } = counted;
  return {
    http_reqs: { count: requests, ...(seconds > 0 ? { rate: requests / seconds } : {}) },
    http_req_failed: { rate: failedShare },
  };
}

/** CPU and memory that k6 used. */
function generatorMetrics(use: GeneratorUse | undefined): LoadResult["metrics"] {
  if (use === undefined) return {};
  const { cpuSeconds, memoryBytes, saturatedShare } = use;
  return { generator: { cpuSeconds, memoryBytes, saturatedShare } };
}

const ours =
  /^(http_reqs\{|http_req_duration\{name|http_req_failed|iterations|dropped_iterations|foreign_responses|fitting_responses|schedule_lag|exceptions|invalid_responses|checked_responses|complete_checks|odd_responses|requests_without_response|failed_responses|on_the_way|lost_on_the_way|refusals|retry_after|abandoned_iterations|chain_|walks_|products_|cursors_|limit_|polite_|probe_)/;

/**
 * The metrics that a report shows. Totals are computed from the endpoints of the scenario, so that they include neither
 * the request of the setup nor 429 responses.
 */
function shownMetrics({ metrics, durationMilliseconds }: RunSummary): LoadResult["metrics"] {
  const shown = Object.fromEntries(Object.entries(metrics).filter(([name]) => ours.test(name)));
  const { passes, fails } = sharesOf(metrics, "http_req_failed");
  const count = passes + fails;
  return {
    ...shown,
    http_reqs: { count, rate: durationMilliseconds === 0 ? 0 : (count * 1000) / durationMilliseconds },
    http_req_failed: { rate: count === 0 ? 0 : passes / count, passes, fails },
    http_req_duration: { ...metrics[overallLatency] },
  };
}

/** How many responses got the complete check, which sees more than the quick one, and the odd values that it saw. */
function completeNotes(summary: RunSummary): Finding[] {
  const { metrics } = summary;
  const { passes, fails } = sharesOf(metrics, "invalid_responses");
  const count = countedOf(metrics, "complete_checks");
  const odd = countedByTag(summary, "odd_responses", "finding");
  const odds = Object.values(odd).reduce((sum, each) => sum + each, 0);
  return [
    ...(count > 0 && count < passes + fails
      ? [{ code: "checked-completely", seen: { count, total: passes + fails, of: "responses" } } as const]
      : []),
    ...(odds > 0
      ? [{ code: "odd-values", seen: { count: odds, total: count, of: "responses" }, details: odd } as const]
      : []),
  ];
}

/** Total of a counter over all kinds of request. */
function countedOf(metrics: RunSummary["metrics"], metric: string): number {
  return requestKindIds.reduce((sum, name) => sum + (metrics[`${metric}{name:${name}}`]?.count ?? 0), 0);
}

/** Totals of a rate metric over all kinds of request. */
function sharesOf(metrics: RunSummary["metrics"], metric: string): { passes: number; fails: number } {
  const all = requestKindIds.map((name) => metrics[`${metric}{name:${name}}`] ?? {});
  return {
    passes: all.reduce((sum, { passes = 0 }) => sum + passes, 0),
    fails: all.reduce((sum, { fails = 0 }) => sum + fails, 0),
  };
}

function notesOn(summary: RunSummary): Finding[] {
  const { metrics } = summary;
  const counted = (name: string) => metrics[name]?.count ?? 0;
  const abandoned = counted("abandoned_iterations");
  const repeated = counted("products_repeated");
  const noneEnded = counted("walks_cut") > 0 && counted("walks_ended") === 0;
  return [
    ...(abandoned > 0
      ? [{ code: "iterations-withheld", seen: { count: abandoned, of: "iterations" } } as const]
      : []),
    ...(noneEnded ? [{ code: "no-walk-ended" } as const] : []),
    ...(counted("probe_cached") > 0
      ? [{ code: "limit-behind-cache", seen: { count: counted("probe_cached"), of: "requests" } } as const]
      : []),
    ...failureNotes(summary),
    ...(counted("fitting_responses") > 0 && counted("foreign_responses") === 0
      ? [
          {
            code: "tenants-kept-apart",
            seen: { count: counted("fitting_responses"), of: "responses" },
          } as const,
        ]
      : []),
    ...uncheckedNotes(metrics),
    ...completeNotes(summary),
    ...(counted("walks_differing") > 0
      ? [
          {
            code: "walks-differ",
            seen: { count: counted("walks_differing"), total: counted("walks_compared"), of: "walks" },
          } as const,
        ]
      : []),
    ...(repeated > 0
      ? [{ code: "products-repeated", seen: { count: repeated, of: "products" } } as const]
      : []),
  ];
}

/** How requests failed: the statuses of the service's own responses, and how others got no response. */
function failureNotes(summary: RunSummary): Finding[] {
  const { passes, fails } = sharesOf(summary.metrics, "http_req_failed");
  const seen = (metric: string) =>
    ({ count: summary.metrics[metric]?.count ?? 0, total: passes + fails, of: "requests" }) as const;
  const statuses = countedByTag(summary, "failed_responses", "status");
  const failures = countedByTag(summary, "requests_without_response", "failure");
  return [
    ...(Object.keys(statuses).length > 0
      ? [{ code: "failed-by-status", seen: seen("failed_responses"), details: statuses } as const]
      : []),
    ...(Object.keys(failures).length > 0
      ? [
          {
            code: "requests-without-response",
            seen: seen("requests_without_response"),
            details: failures,
          } as const,
        ]
      : []),
  ];
}

/** The note on requests that were under way when the run ended: k6 counts them, and every other response is checked. */
function uncheckedNotes(metrics: RunSummary["metrics"]): Finding[] {
  const sent = sharesOf(metrics, "http_req_failed");
  const { passes: invalid, fails: valid } = sharesOf(metrics, "invalid_responses");
  const counted = (name: string) => metrics[name]?.count ?? 0;
  const total = sent.passes + sent.fails - counted("requests_without_response") - counted("lost_on_the_way");
  const count = total - invalid - valid;
  return count <= 0 || count === total
    ? []
    : [{ code: "responses-unchecked", seen: { count, total, of: "responses" } }];
}

/** The result of the rate-limit scenario, from its metrics. */
function rateLimitResult(mode: "probe" | "polite", { metrics }: RunSummary): RateLimitResult {
  const count = (name: string) => metrics[name]?.count ?? 0;
  const gauge = (name: string) => metrics[name]?.value;
  return mode === "probe"
    ? probeResult(count, gauge)
    : politeResult(count, gauge, metrics.polite_recovery?.med);
}

type Read<Value> = (name: string) => Value;

function probeResult(count: Read<number>, gauge: Read<number | undefined>): RateLimitResult {
  const perSecond = gauge("limit_estimate");
  const windowSeconds = gauge("limit_window_seconds") ?? 0;
  const requests = count("probe_requests");
  const refusals = count("refusals");
  const isWaitNamed = refusals > count("refusals_malformed");
  const highestRate = gauge("probe_rate");
  return {
    mode: "probe",
    ...(perSecond === undefined
      ? {}
      : {
          limit: {
            perSecond,
            low: gauge("limit_low") ?? perSecond,
            high: gauge("limit_high") ?? perSecond,
            burst: gauge("limit_burst") ?? 0,
            burstLow: gauge("limit_burst_low"),
            burstHigh: gauge("limit_burst_high"),
            ...(windowSeconds === 0 ? { kind: "bucket" } : { kind: "window", windowSeconds }),
          },
        }),
    highestRate,
    refusedShare: requests === 0 ? undefined : Math.min(1, refusals / requests),
    // A wait of a second in place of one that was not named shows nothing about Retry-After.
    ...(count("probe_waits_tried") === 0 || !isWaitNamed
      ? {}
      : {
          retryAfter: {
            tried: count("probe_waits_tried"),
            accepted: count("probe_waits_accepted"),
            refused: count("probe_waits_refused"),
          },
        }),
    ...(count("probe_other_requests") === 0
      ? {}
      : {
          otherOrganization: {
            requests: count("probe_other_requests"),
            refused: count("probe_other_refused"),
          },
        }),
  };
}

function politeResult(
  count: Read<number>,
  gauge: Read<number | undefined>,
  recovery: number | undefined,
): RateLimitResult {
  const seconds = gauge("polite_seconds");
  // A run that was interrupted has not counted what was accepted.
  if (seconds === undefined) return { mode: "polite" };
  return {
    mode: "polite",
    polite: {
      goodput: seconds === 0 ? 0 : count("polite_admitted") / seconds,
      paced: gauge("polite_rate") ?? 0,
      unsent: count("polite_unsent"),
      waits: count("polite_waits"),
      waitSeconds: count("polite_wait_seconds"),
      refusedAgain: count("polite_refused_again"),
      recoveryMilliseconds: recovery === undefined || count("polite_waits") === 0 ? undefined : recovery,
    },
  };
}

/** A wait that no load run keeps: most likely milliseconds. */
function longWaitNotes(actual = 0): Finding[] {
  if (actual <= longestKeptWait) return [];
  return [{ code: "wait-too-long", expected: longestKeptWait, actual, unit: "s" }];
}

/** Notes that sum up the result of the rate-limit scenario. */
export function rateLimitNotes({
  mode,
  limit,
  highestRate,
  refusedShare = 0,
  retryAfter,
  polite,
}: RateLimitResult): Finding[] {
  if (mode === "polite") {
    if (polite === undefined) return [];
    const seen = { count: polite.refusedAgain, total: polite.waits, of: "attempts" } as const;
    return [{ code: "polite-result", actual: polite.goodput, unit: "requests/s", seen }];
  }
  // Without an estimate, waits still show that a limit was reached.
  const isReached = retryAfter !== undefined && retryAfter.tried > 0;
  const notFound: Finding[] = isReached
    ? []
    : [
        {
          code: "rate-limit-not-found",
          actual: highestRate ?? 0,
          unit: "requests/s",
          ...(refusedShare > 0 ? { details: { refusedShare } } : {}),
        },
      ];
  const found: Finding[] =
    limit === undefined
      ? notFound
      : [{ code: "rate-limit-found", actual: limit.perSecond, unit: "requests/s", details: limit }];
  if (retryAfter === undefined) return found;
  return [
    ...found,
    { code: "waits-kept", seen: { count: retryAfter.accepted, total: retryAfter.tried, of: "attempts" } },
  ];
}
