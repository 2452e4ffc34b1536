import { totalSeconds } from "../../scenarios/lib/schedule.ts";
import { countOf, type RunSummary, slices } from "../../scenarios/lib/summary.ts";
import { measuredOf, thresholdOf } from "../../scenarios/lib/thresholds.ts";
import type { CrossingFinding, Finding } from "../../schemas/contracts/finding.ts";
import type { JudgedShare, Threshold } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { isCrossed } from "../../schemas/contracts/verdicts.ts";
import { requestKindIds, requestKinds } from "../../schemas/scenarios.ts";

// When a limit is exceeded, and when a share, as of failed requests, is above it, within it, or too close to
// tell. The exact binomial probability decides, never the measured value alone.

export type JudgedLimits = ReturnType<typeof judgeLimits>;

/**
 * The limits of a run with their outcomes, and the findings of those that were exceeded: on the target; and on
 * the run itself, with latency that may be the delay of this machine.
 */
export function judgeLimits(summary: RunSummary, profile: Profile) {
  const thresholds = judgeShares(thresholdsOf(summary, profile), summary);
  const late = thresholds.find(({ crossing }) => crossing === "iterations-late")?.value ?? 0;
  const crossedOf = (guards: Threshold["guards"]) =>
    thresholds
      .filter((one) => isCrossed(one) && one.guards === guards)
      .map((one) => crossingOf(one, summary));
  const { delayed = [], onTarget = [] } = Object.groupBy(crossedOf("target"), (one) =>
    isWithinDelay(one, late) ? "delayed" : "onTarget",
  );
  const byThisMachine = delayed.map(({ details, ...one }) => ({
    ...one,
    details: { ...details, lateMilliseconds: late },
  }));
  const onRun = [...crossedOf("run"), ...byThisMachine];
  return { thresholds, onTarget, onRun, failures: failuresOf(thresholds, summary, profile) };
}

/** From this delay of its iterations on, a machine may also have delayed what it measured. */
const leastDelayMilliseconds = 20;

/** Whether latency is above its limit by no more than this machine's own delay, which may be the reason. */
function isWithinDelay({ code, actual = 0, expected = 0 }: CrossingFinding, late: number): boolean {
  return code === "latency-over-limit" && late >= leastDelayMilliseconds && actual - late <= expected;
}

/** What was measured of each limit. Latency is what a search looks for. */
function thresholdsOf(summary: RunSummary, profile: Profile): Threshold[] {
  return summary.thresholds.map((limit): Threshold => {
    const measured = { ...thresholdOf(limit), value: measuredOf(limit, summary.metrics) };
    const threshold = withoutDropped(measured, summary, profile);
    const searched = profile.findsCapacity === true && threshold.crossing === "latency-over-limit";
    return searched ? { ...threshold, guards: "search" } : threshold;
  });
}

/**
 * Corrects the measured delay for dropped iterations. The planned time follows from an iteration's number,
 * and a dropped one has none, so that each makes all later ones seem late by one interval.
 */
function withoutDropped(threshold: Threshold, summary: RunSummary, { stages }: Profile): Threshold {
  const { crossing, value, limit } = threshold;
  const dropped = countOf(summary, "dropped_iterations");
  if (crossing !== "iterations-late" || value === undefined || dropped === 0) return threshold;
  const spacing = (totalSeconds(stages) * 1000) / Math.max(1, summary.plannedIterations);
  const late = Math.max(0, value - dropped * spacing);
  return { ...threshold, value: late, met: late <= limit };
}

/**
 * Judges the shares of a run: first of all kinds with the same limit together, for which a threshold is
 * added, then of each. A kind fails only if even the one among so many would not by chance.
 *
 * A crossed share that may be chance is marked as not judged; one within its limit is marked where that may
 * be chance.
 */
function judgeShares(thresholds: readonly Threshold[], summary: RunSummary): Threshold[] {
  const groups = sharedLimits(thresholds);
  const wholes = groups.flatMap(({ kinds, whole }): Threshold[] => {
    const tally = tallyOf(kinds, summary);
    if (tally.total === 0) return [];
    const value = tally.count / tally.total;
    return [marked({ ...whole, value, met: value <= whole.limit, counted: tally }, tally)];
  });
  const parts = thresholds.map((threshold): Threshold => {
    const { limit, statistic, met } = threshold;
    if (statistic === "p95" || statistic === "p99") return withoutChance(threshold, statistic, summary);
    if (statistic !== "share") return threshold;
    const tally = tallyOf([threshold], summary);
    // Without counts the word of k6 is all there is.
    if (tally.total === 0 && !met) return threshold;
    const { length } = groups.find(({ kinds }) => kinds.includes(threshold))?.kinds ?? [threshold];
    if (length === 1 || limit === 0) return marked(threshold, tally);
    return tally.total < leastRequests && !met
      ? { ...threshold, notJudged: { samples: tally.total, needed: samplesFor(limit) } }
      : marked(threshold, tally, length);
  });
  return [...wholes, ...parts];
}

/** Kinds of request that have the same limit on a share, and the limit of all of them together. */
export function sharedLimits<L extends Pick<Threshold, "crossing" | "limit" | "metric" | "statistic">>(
  limits: readonly (L & Pick<Threshold, "request">)[],
) {
  const groups = Map.groupBy(
    limits.filter(({ statistic }) => statistic === "share"),
    ({ crossing, limit }) => `${crossing} ${limit}`,
  );
  return [...groups.values()].flatMap((kinds) => {
    const [first] = kinds;
    if (first === undefined || kinds.length === 1) return [];
    const { request: _, ...same } = first;
    return [{ kinds, whole: { ...same, metric: first.metric.split("{", 1)[0] ?? first.metric } }];
  });
}

/** Above its limit, more than 5 % or 1 % of the responses were slower: a share like any other. */
function withoutChance(threshold: Threshold, statistic: "p95" | "p99", summary: RunSummary): Threshold {
  const distribution = summary.distributions[threshold.metric];
  if (threshold.met || distribution === undefined) return threshold;
  const { count: total, slices: values } = distribution;
  const firstSlow = slices()[values.findIndex((value) => value > threshold.limit)] ?? 100;
  // k6 interpolates between two samples: of these, only the upper one is certain to be slow.
  const count = total - Math.ceil(((total - 1) * firstSlow) / 100);
  return marked(threshold, { count, total }, 1, { p95: 0.05, p99: 0.01 }[statistic]);
}

function marked(threshold: Threshold, tally: Tally, among = 1, limit = threshold.limit): Threshold {
  const { outcome, needed } = judgeShare(tally, limit, among);
  const few = { samples: tally.total, needed };
  if (threshold.met) return outcome === "within" ? threshold : { ...threshold, fewSamples: few };
  return outcome === "above" ? threshold : { ...threshold, notJudged: few };
}

/** The failed requests of a whole run against the limit of its profile; undefined if nothing was counted. */
function failuresOf(
  thresholds: readonly Threshold[],
  summary: RunSummary,
  { thresholds: { failedShare } }: Pick<Profile, "thresholds">,
): JudgedShare | undefined {
  const ofKinds = thresholds.filter(
    ({ crossing, request }) => crossing === "failed-requests" && request !== undefined,
  );
  const tally = tallyOf(ofKinds, summary);
  return tally.total === 0 ? undefined : judgeShare(tally, failedShare);
}

/** How often the metrics of these limits say that it happened. */
function tallyOf(thresholds: readonly Threshold[], { metrics }: RunSummary): Tally {
  const sumOf = (value: "passes" | "fails") =>
    thresholds.reduce((sum, { metric }) => sum + (metrics[metric]?.[value] ?? 0), 0);
  return { count: sumOf("passes"), total: sumOf("passes") + sumOf("fails") };
}

/** How often something happened, and in how many requests. */
interface Tally {
  readonly count: number;
  readonly total: number;
}

/** Probability at which a service exactly at its limit would be judged to exceed it. */
const mostChance = 0.01;
/** Probability at which a service exactly at its limit would be judged to be within it. */
const mostChanceWithin = 0.05;
/** Rule of three: without a failure in n requests, the share is below 3/n with 95 % confidence. */
const ruleOfThree = 3;
/** For a limit of 0, which no number of samples can confirm: the share that the samples must rule out. */
const shareRuledOut = 0.01;
/** A kind of request that was sent less often never decides alone. */
const leastRequests = 3;

/** Number of requests of which none may fail to confirm a limit. */
function samplesFor(limit: number): number {
  return Math.ceil(ruleOfThree / (limit === 0 ? shareRuledOut : limit));
}

/** `among`: how many shares are judged beside it. The chance is divided among them. */
export function judgeShare({ count, total }: Tally, limit: number, among = 1): JudgedShare {
  const least = limit === 0 ? shareRuledOut : limit;
  const needed = samplesFor(limit);
  const outcome =
    count > 0 && chanceOfAtLeast(count, total, limit) < mostChance / among
      ? "above"
      : total >= needed && chanceOfAtMost(count, total, least) < mostChanceWithin
        ? "within"
        : "open";
  return { count, total, limit, needed, outcome };
}

/** Binomial probability of `count` or more failures in `total` requests that each fail with `share`. */
export function chanceOfAtLeast(count: number, total: number, share: number): number {
  return Math.max(0, 1 - chanceOfAtMost(count - 1, total, share));
}

function chanceOfAtMost(count: number, total: number, share: number): number {
  if (share <= 0 || share >= 1) return share <= 0 || count >= total ? (count < 0 ? 0 : 1) : 0;
  // In logarithms, because the first term of a long run is too small for a number.
  let term = total * Math.log1p(-share);
  let sum = 0;
  for (let at = 0; at <= Math.min(count, total); at += 1) {
    sum += Math.exp(term);
    term += Math.log((total - at) / (at + 1)) + Math.log(share / (1 - share));
  }
  return Math.min(1, sum);
}

/** The finding of a crossed threshold, with its counts. */
export function crossingOf(threshold: Threshold, summary: RunSummary): CrossingFinding {
  const { crossing, request, statistic, limit, value, unit } = threshold;
  const kind = requestKindIds.find((name) => name === request);
  return {
    code: crossing,
    ...(kind && { endpoint: requestKinds[kind].endpoint, subject: kind }),
    expected: limit,
    actual: value,
    unit,
    seen: seenOf(threshold, summary),
    ...(unit === "ms" ? { details: { statistic } } : {}),
  };
}

/** How often something that a threshold limits happened, and in how many requests or iterations. */
function seenOf(
  { metric, crossing, request, value = 0, counted }: Threshold,
  summary: RunSummary,
): Finding["seen"] {
  const { passes = 0, fails = 0, count = 0 } = summary.metrics[metric] ?? {};
  const share = counted ?? { count: passes, total: passes + fails };
  const { passes: failed = 0 } = summary.metrics[`http_req_failed{name:${request}}`] ?? {};
  const rows: { readonly [Code in Threshold["crossing"]]?: Finding["seen"] } = {
    "latency-over-limit": { count, of: "samples" },
    "iterations-late": { count, of: "samples" },
    "failed-requests": { ...share, of: "requests" },
    "invalid-responses": { ...share, of: "responses" },
    "no-samples": failed === 0 ? undefined : { count: 0, total: failed, of: "requests" },
    "foreign-responses": totalled("fitting_responses", "responses", value),
    "retry-after-malformed": totalled("refusals", "responses"),
    "other-organization-refused": totalled("probe_other_requests", "requests"),
    "script-exceptions": { count: value, of: "iterations" },
    "cursor-repeated": { count: value, of: "iterations" },
  };
  return rows[crossing];

  function totalled(total: string, of: "requests" | "responses", more = 0): Finding["seen"] {
    return { count: value, total: countOf(summary, total) + more, of };
  }
}

/**
 * When a run that ends once its failures are judged looks at them: requests, in multiples of 1 / limit. With
 * the first, a service that fails twice as often as it may is judged within its limit once in 3,000 runs.
 */
const looks = [4, 10, 20, 35, 50] as const;

/** Longest time of a run in which nothing fails: a limit that takes more requests is not confirmed. */
const mostSecondsWithoutFailure = 40;

/** A rare kind of request is certain to be among as many. */
const leastToEnd = 220;

/** Smaller than the chances of a judgement: requests until the run has ended do not change the outcome. */
const shareOfChance = 3;

/** A fixed number of looks, not one at each request: each look is another chance to be judged by accident. */
export function createJudge({
  thresholds: { failedShare },
}: Pick<Profile, "thresholds">): (seen: Tally & { readonly seconds: number }) => boolean {
  const left = looks.map((one) => one / (failedShare === 0 ? shareRuledOut : failedShare));
  return ({ count, total, seconds }) => {
    if (count === 0 && seconds >= mostSecondsWithoutFailure) return true;
    const due = total < leastToEnd ? -1 : left.findLastIndex((requests) => total >= requests);
    if (due < 0) return false;
    left.splice(0, due + 1);
    return left.length === 0 || judgeShare({ count, total }, failedShare, shareOfChance).outcome !== "open";
  };
}
