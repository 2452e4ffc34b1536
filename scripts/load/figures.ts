import { patienceTimes, virtualUsersOf } from "../../scenarios/lib/options.ts";
import { type OpenTraffic, openTraffic, requestRate } from "../../scenarios/lib/schedule.ts";
import { countOf, loadSeconds, type RunSummary } from "../../scenarios/lib/summary.ts";
import type { CrossingFinding, Finding } from "../../schemas/contracts/finding.ts";
import type { LoadResult, Threshold } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { given } from "../../schemas/json.ts";
import { requestKindIds, requestKinds, type ScenarioId, scenarios } from "../../schemas/scenarios.ts";
import type { K6Exit } from "./k6-process.ts";
import { type JudgedLimits, judgeShare } from "./limits.ts";
import { type LiveFigures, type LoadSeries, setupRequests } from "./recording.ts";
import type { GeneratorUse } from "./supervision.ts";

// What rules.ts reads of a run. Each figure is computed once, and none of them decides the verdict.

/** A finished run. */
export interface EndedRun extends Pick<LoadResult, "conditions" | "series"> {
  readonly scenario: ScenarioId;
  readonly profileName: string;
  readonly profile: Profile;
  readonly exit: K6Exit;
  /** Undefined when k6 did not write one. */
  readonly summary: RunSummary | undefined;
  /** Resources that the load generator ran out of. */
  readonly starved: readonly Finding[];
  /** Responses that were kept for what was found in them. */
  readonly evidence: NonNullable<LoadResult["evidence"]>;
  /** Share of this machine's CPU that was in use; of a search, at its end. */
  readonly busy?: number | undefined;
  /** CPU and memory that the generator used. */
  readonly use?: GeneratorUse | undefined;
  /** Counts from the time series, for a run without a summary. */
  readonly counted?: LiveFigures | undefined;
}

/** A run with its summary. */
export type SummedRun = EndedRun & { readonly summary: RunSummary };

export type LoadFigures = ReturnType<typeof figuresOf> & JudgedLimits;

/** Crossings that lost iterations cause. */
const lostCodes: readonly Finding["code"][] = ["iterations-dropped", "iterations-late"];
/** Crossings that a target causes by refusing every request. */
const emptyCodes: readonly Finding["code"][] = ["no-samples", "nothing-checked"];
export const isEmptied = ({ code }: Pick<Finding, "code">) => emptyCodes.includes(code);

/** Largest share of periods without figures. */
export const mostFiguresLost = 0.1;

export function figuresOf(run: SummedRun, { onRun }: JudgedLimits) {
  const { summary, profile } = run;
  const gone = targetGoneFinding(run);
  const loss = lossUnderLoad(run);
  /** Why more iterations were lost than may be; undefined also when this machine started them late. */
  const cause = gone === undefined ? causeOf(run, onRun, loss?.finding) : undefined;
  const isRefused = cause?.code === "rate-limit-reached";
  const isEmpty = onRun.some(isEmptied);
  const { total } = sharesOf(summary.metrics, "http_req_failed");
  /** Gateways and proxies lost more than may fail, or all that was to be measured. */
  const isLossTooHigh = loss !== undefined && (isEmpty || loss.isAbove);
  return {
    ...{ run, cause, isRefused, isLossTooHigh },
    isSearch: profile.findsCapacity === true,
    /** Requests got no response in a time that no delay of this machine explains. */
    isHanging: hangingRequests(summary) > 0,
    /** The target responded no more after the run. */
    gone,
    /** What gateways and proxies lost. */
    loss: loss?.finding,
    isLossDecisive: isLossTooHigh || (loss !== undefined && cause === loss.finding),
    /** It refused requests below the planned rate, or was slower than planned. */
    isOnTarget: isRefused || cause?.code === "slower-than-planned",
    /** Nobody chose or promised the rate of a gate: it sends what the limit accepts, if that is anything. */
    isYielded: isRefused && profile.untilJudged === true && total > 0,
    /** Crossings that say that nothing was measured of a kind, and that its failures explain. */
    emptied: emptiedOf(onRun, summary),
  };
}

/** Whether lost iterations cause the crossing. */
export function isLostCrossing({ crossing, met }: Threshold): boolean {
  return !met && [...lostCodes, ...emptyCodes].includes(crossing);
}

/**
 * Why iterations were lost. The target, if it refuses below the planned rate or is slower than the profile
 * plans for: both keep virtual users busy. Otherwise the run: its generator lacks CPU, memory or virtual
 * users, or is late, or gateways lost requests, which are repeated later.
 */
function causeOf(
  run: SummedRun,
  onRun: readonly CrossingFinding[],
  loss: Finding | undefined,
): Finding | undefined {
  const { profile, scenario, summary, exit, starved } = run;
  const limit = rateLimitFinding(run);
  // A rate limit is the answer of a search, which ends before its refusals cost it an iteration.
  if (profile.findsCapacity === true && exit.finished === true && limit !== undefined) return limit;
  const [total, dropped] = [summary.plannedIterations, countOf(summary, "dropped_iterations")];
  const abandoned = countOf(summary, "abandoned_iterations");
  const isLost =
    onRun.some(({ code }) => lostCodes.includes(code)) ||
    (abandoned > 0 && abandoned + dropped > Math.floor(profile.thresholds.droppedShare * total)) ||
    (limit !== undefined && onRun.some(isEmptied));
  if (!isLost) return undefined;
  if (limit !== undefined || starved.length > 0) return limit;
  const seen = { count: dropped, total, of: "iterations" } as const;
  // Virtual users that are busy cost iterations; without that, what is late is this machine.
  const open = dropped + abandoned > 0 ? openTraffic(scenario) : [];
  const expected = profile.maxResponseSeconds * 1000;
  const silent = hangingRequests(summary);
  if (open.length > 0 && silent > 0) {
    const actual = expected * patienceTimes;
    return { code: "slower-than-planned", expected, actual, unit: "ms", seen, details: { silent } };
  }
  const actual = Math.max(0, ...open.map((traffic) => latencyOf(summary, traffic)));
  if (actual > expected) return { code: "slower-than-planned", expected, actual, unit: "ms", seen };
  if (loss !== undefined || onRun.some(({ code }) => code === "iterations-late")) return loss;
  const virtualUsers = openTraffic(scenario).reduce((sum, one) => sum + virtualUsersOf(profile, one), 0);
  return { code: "iterations-dropped", seen, details: { virtualUsers } };
}

/** Requests given up without a response; 0 if they are so few that they would not show in a p99. */
function hangingRequests(summary: RunSummary): number {
  const { silent = 0 } = countedByTag(summary, "requests_without_response", "failure");
  return silent > 0.01 * sharesOf(summary.metrics, "http_req_failed").total ? silent : 0;
}

/** Of a kind that was sent and failed, nothing was measured: its share judges it, unless it is the only one. */
function emptiedOf(onRun: readonly CrossingFinding[], { metrics }: RunSummary): CrossingFinding[] {
  const responded = sharesOf(metrics, "http_req_failed").fails > 0;
  return onRun.filter((one) => {
    const { passes: failed = 0 } = metrics[`http_req_failed{name:${one.subject}}`] ?? {};
    return isEmptied(one) && responded && failed > 0;
  });
}

/**
 * The loss at gateways and proxies, if any. `isAbove`: a larger share than the profile lets fail was not
 * repeated successfully. The run then says nothing about the service, except in a search for the capacity,
 * which is expected to end in losses.
 */
function lossUnderLoad({ summary, evidence, profile }: SummedRun) {
  const count = countOf(summary, "on_the_way");
  if (count === 0) return undefined;
  const total = count + sentBy(summary);
  const shown = evidence.find(({ finding }) => finding.code === "answered-on-the-way");
  const finding: Finding = {
    code: "lost-on-the-way",
    ...given({ subject: shown?.finding.from?.name }),
    seen: { count, total, of: "requests" },
    // By the statuses of the responses of gateways and proxies.
    details: countedByTag(summary, "on_the_way", "status"),
  };
  const lost = { count: countOf(summary, "lost_on_the_way"), total };
  const { outcome } = judgeShare(lost, profile.thresholds.failedShare);
  return { finding, isAbove: profile.findsCapacity !== true && outcome === "above" };
}

/** The rate that the target accepted before it refused requests with 429; undefined when it refused none. */
function rateLimitFinding({ scenario, profile, summary, series }: SummedRun): Finding | undefined {
  const refused = countOf(summary, "refusals");
  if (refused === 0) return undefined;
  const total = sentBy(summary);
  const overall = (total - refused) / Math.max(0.001, loadSeconds(summary));
  return {
    code: "rate-limit-reached",
    expected: requestRate(profile, scenario),
    ...given({ actual: series ? acceptedRate(series, overall) : overall }),
    unit: "requests/s",
    seen: { count: refused, total, of: "responses" },
  };
}

/**
 * Mean rate of accepted requests, per second, from the first refusal to the last; of the periods between
 * these, if any has requests: in the first one a token bucket was still partly full, in the last one the load
 * was ending. A lower median counts instead, of those in which k6 recorded anything: a bucket fills up while
 * this machine stands still. Where most have no acceptance, as between volleys, it says nothing. Undefined
 * with too few figures; `overall` without a refusal.
 */
function acceptedRate({ requestRate: rates, refusedRate }: LoadSeries, overall: number) {
  const refusing = refusedRate.map((rate) => (rate ?? 0) > 0);
  const [from, to] = [refusing.indexOf(true), refusing.lastIndexOf(true)];
  if (from < 0) return overall;
  const isSentBetween = rates.slice(from + 1, to).some((rate) => rate);
  const [first, last] = isSentBetween ? [from + 1, to - 1] : [from, to];
  const accepted = rates
    .map((rate, place) => (rate === null ? [] : [rate - (refusedRate[place] ?? 0)]))
    .slice(first, last + 1)
    .flat()
    .sort((one, other) => one - other);
  const length = last + 1 - first;
  if (length - accepted.length >= mostFiguresLost * length) return undefined;
  const mean = accepted.reduce((sum, rate) => sum + rate, 0) / length;
  return Math.min(mean, accepted[accepted.length >> 1] || mean);
}

/** Mean p99 of the kinds of request in one kind of traffic, weighted by their number; 0 without samples. */
function latencyOf({ metrics }: RunSummary, traffic: OpenTraffic): number {
  const asked: readonly string[] = scenarios[traffic].endpoints;
  const kinds = requestKindIds.filter((name) => asked.includes(requestKinds[name].endpoint));
  let [samples, weighted] = [0, 0];
  for (const [metric, { count = 0, "p(99)": slow = 0 }] of Object.entries(metrics)) {
    if (!kinds.some((name) => metric.startsWith(`http_req_duration{name:${name},`))) continue;
    samples += count;
    weighted += count * slow;
  }
  return weighted / Math.max(1, samples);
}

/** What the target responded to without a failure or refusal, a second. */
export function goodRates({ requestRate, failedRate, refusedRate }: LoadSeries): number[] {
  return requestRate.map((rate, place) =>
    Math.max(0, (rate ?? 0) - (failedRate[place] ?? 0) - (refusedRate[place] ?? 0)),
  );
}

/** The target did not respond after the run; with the second of its last good response. */
function targetGoneFinding({ summary: { metrics }, series }: SummedRun): Finding | undefined {
  const responded = metrics.target_responded_after;
  if (responded?.value !== 0 && responded?.min !== 0) return undefined;
  const code = "target-gone-under-load";
  const good = series === undefined ? -1 : goodRates(series).findLastIndex((rate) => rate > 0);
  if (series === undefined || good < 0) return { code };
  return { code, actual: Math.max(0, good + 1 - firstOfLoad(series)) * series.periodSeconds, unit: "s" };
}

/** The first period of the load: k6 runs the setup before. */
export function firstOfLoad({ requestRate, periodSeconds }: LoadSeries): number {
  const began = requestRate.findIndex((rate) => (rate ?? 0) * periodSeconds > setupRequests);
  return Math.max(0, began);
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

/** The sum of a value of a metric over all kinds of request. */
export function overKinds(metrics: RunSummary["metrics"], metric: string, value: string): number {
  return requestKindIds.reduce((sum, name) => sum + (metrics[`${metric}{name:${name}}`]?.[value] ?? 0), 0);
}

/** Requests of the load, also those refused: neither the setup's nor those lost on the way. */
export function sentBy(summary: RunSummary): number {
  return sharesOf(summary.metrics, "http_req_failed").total + countOf(summary, "refusals");
}

/** Totals of a share over all kinds of request. */
export function sharesOf(metrics: RunSummary["metrics"], metric: string) {
  const [passes, fails] = [overKinds(metrics, metric, "passes"), overKinds(metrics, metric, "fails")];
  return { passes, fails, total: passes + fails };
}
