import { type RunSummary, slices } from "../../scenarios/lib/summary.ts";
import type { JudgedShare, Threshold } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";

// When a share, as of failed requests, is above its limit, within it, or too close to tell. The exact
// binomial probability decides, never the measured value alone.

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

/**
 * Judges the shares of a run: first of all kinds with the same limit together, for which a threshold is
 * added, then of each. A kind fails only if even the one among so many would not by chance.
 *
 * A crossed share that may be chance is marked as not judged; one within its limit is marked where that may
 * be chance.
 */
export function judgeShares(thresholds: readonly Threshold[], summary: RunSummary): Threshold[] {
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
  const count = Math.round((total * (100 - firstSlow)) / 100);
  return marked(threshold, { count, total }, 1, { p95: 0.05, p99: 0.01 }[statistic]);
}

function marked(threshold: Threshold, tally: Tally, among = 1, limit = threshold.limit): Threshold {
  const { outcome, needed } = judgeShare(tally, limit, among);
  const few = { samples: tally.total, needed };
  if (threshold.met) return outcome === "within" ? threshold : { ...threshold, fewSamples: few };
  return outcome === "above" ? threshold : { ...threshold, notJudged: few };
}

/** The failed requests of a whole run against the limit of its profile; undefined if nothing was counted. */
export function failuresOf(
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

/**
 * Whether gateways lost a larger share than the profile lets fail: the run then says nothing about the
 * service, except in a search for the capacity, which is expected to end in losses.
 */
export function isLossAbove({ lost, total }: { lost: number; total: number }, profile: Profile): boolean {
  if (profile.findsCapacity === true) return false;
  return judgeShare({ count: lost, total }, profile.thresholds.failedShare).outcome === "above";
}

/** How often the metrics of these limits say that it happened. */
function tallyOf(thresholds: readonly Threshold[], { metrics }: RunSummary): Tally {
  const sumOf = (value: "passes" | "fails") =>
    thresholds.reduce((sum, { metric }) => sum + (metrics[metric]?.[value] ?? 0), 0);
  return { count: sumOf("passes"), total: sumOf("passes") + sumOf("fails") };
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
