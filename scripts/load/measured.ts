import { rateLimitMode } from "../../scenarios/lib/schedule.ts";
import type { RunSummary } from "../../scenarios/lib/summary.ts";
import { overallLatency } from "../../scenarios/lib/thresholds.ts";
import { longestKeptWait } from "../../schemas/api.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, RateLimitResult } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { given } from "../../schemas/json.ts";
import { requestKindIds } from "../../schemas/scenarios.ts";
import { countedByTag, countOf } from "./figures.ts";
import type { LiveFigures } from "./recording.ts";
import type { LoadJudgement } from "./rules.ts";
import type { GeneratorUse } from "./supervision.ts";

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
  return use === undefined ? {} : { generator: { ...use } };
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
  const sent = sharesOf(metrics, "http_req_failed");
  const total = sent.passes + sent.fails;
  const note = <Code extends CountNote>(
    code: Code,
    metric: string,
    of: "iterations" | "products" | "responses",
  ) => countOf(summary, metric) > 0 && { code, seen: { count: countOf(summary, metric), of } };
  const byTag = <Code extends TagNote>(code: Code, metric: string, tag: string) => {
    const details = countedByTag(summary, metric, tag);
    const seen = { count: countOf(summary, metric), total, of: "requests" } as const;
    return Object.keys(details).length > 0 && { code, seen, details };
  };
  // Those under way when the run ended: k6 counts them, and every other response is checked.
  const { passes: invalid, fails: valid } = sharesOf(metrics, "invalid_responses");
  const responses =
    total - countOf(summary, "requests_without_response") - countOf(summary, "lost_on_the_way");
  const checked = invalid + valid;
  const unchecked = responses - checked;
  const complete = countedOf(metrics, "complete_checks");
  const odd = countedByTag(summary, "odd_responses", "finding");
  const odds = Object.values(odd).reduce((sum, each) => sum + each, 0);
  const differing = countOf(summary, "walks_differing");
  const notes: (Finding | false)[] = [
    note("iterations-withheld", "abandoned_iterations", "iterations"),
    countOf(summary, "walks_cut") > 0 && countOf(summary, "walks_ended") === 0 && { code: "no-walk-ended" },
    byTag("failed-by-status", "failed_responses", "status"),
    byTag("requests-lost", "requests_without_response", "failure"),
    countOf(summary, "foreign_responses") === 0 &&
      note("tenants-kept-apart", "fitting_responses", "responses"),
    unchecked > 0 &&
      unchecked !== responses && {
        code: "responses-unchecked",
        seen: { count: unchecked, total: responses, of: "responses" },
      },
    odds > 0 && {
      code: "odd-values",
      seen: { count: odds, total: complete, of: "responses" },
      details: odd,
    },
    differing > 0 && {
      code: "walks-differ",
      seen: { count: differing, total: countOf(summary, "walks_compared"), of: "walks" },
    },
    note("products-repeated", "products_repeated", "products"),
  ];
  return notes.filter((one) => one !== false);
}

type CountNote = "iterations-withheld" | "tenants-kept-apart" | "products-repeated";
type TagNote = "failed-by-status" | "requests-lost";

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
  const requests = count("probe_requests");
  const refusals = count("refusals");
  // A wait of a second in place of one that was not named shows nothing about Retry-After.
  const isWaitNamed = refusals > count("refusals_malformed");
  const tried = isWaitNamed ? count("probe_waits_tried") : 0;
  const others = count("probe_other_requests");
  const limit = perSecond !== undefined && {
    perSecond,
    low: gauge("limit_low") ?? perSecond,
    high: gauge("limit_high") ?? perSecond,
    burst: gauge("limit_burst") ?? 0,
    burstLow: gauge("limit_burst_low"),
    burstHigh: gauge("limit_burst_high"),
  };
  const [accepted, refused] = [count("probe_waits_accepted"), count("probe_waits_refused")];
  return {
    mode: "probe",
    ...(limit && { limit }),
    highestRate: gauge("probe_rate"),
    refusedShare: requests === 0 ? undefined : Math.min(1, refusals / requests),
    ...(tried > 0 && { retryAfter: { tried, accepted, refused } }),
    ...(others > 0 && { otherOrganization: { requests: others, refused: count("probe_other_refused") } }),
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
      recoveryMilliseconds: count("polite_waits") === 0 ? undefined : recovery,
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
  const waits: Finding[] =
    retryAfter === undefined
      ? []
      : [
          {
            code: "waits-kept",
            seen: { count: retryAfter.accepted, total: retryAfter.tried, of: "attempts" },
          },
        ];
  if (limit !== undefined)
    return [
      { code: "rate-limit-found", actual: limit.perSecond, unit: "requests/s", details: limit },
      ...waits,
    ];
  // Without an estimate, waits still show that a limit was reached.
  if ((retryAfter?.tried ?? 0) > 0) return waits;
  const details = refusedShare > 0 ? { refusedShare } : undefined;
  return [
    { code: "rate-limit-not-found", actual: highestRate ?? 0, unit: "requests/s", ...given({ details }) },
    ...waits,
  ];
}
