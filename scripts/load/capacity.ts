import { unsentFailures } from "../../scenarios/lib/failures.ts";
import { totalSeconds } from "../../scenarios/lib/schedule.ts";
import { countOf } from "../../scenarios/lib/summary.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { given } from "../../schemas/json.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";
import { countedByTag, firstOfLoad, goodRates, type LoadFigures, mostFiguresLost } from "./figures.ts";
import { judgeShare } from "./limits.ts";
import type { LoadSeries } from "./recording.ts";
import { hasNoRoom, periodsLookedAt } from "./supervision.ts";

// A search for the capacity has its answer when a limit is crossed, or requests are refused again and again;
// none if this machine's own delay may be what was measured. What it saw is said in any case.

/** Periods in a row, each with refusals, after which the rate limit is the answer. */
const refusedPeriods = 6;
/** Periods at the start of a run. A target that misses its limits there fails at the lowest rate. */
const startPeriods = 2;
/** Resources of this machine that connections need. */
const ofThisMachine: readonly string[] = ["open files", "no free port"] satisfies TransportFailure[];
const unsent: readonly string[] = unsentFailures;

type Crossing = ReturnType<typeof firstCrossing>;

/** Watches a search: it is given the series after each period, and returns whether there is an answer. */
export function hasAnswer(profile: Profile, series: LoadSeries | undefined): boolean {
  if (series === undefined) return false;
  const lastRefusals = series.refusedRate.slice(-refusedPeriods);
  const isRefused = lastRefusals.length === refusedPeriods && lastRefusals.every((rate) => (rate ?? 0) > 0);
  return isRefused || firstCrossing(profile, series) !== undefined;
}

/** @param found What makes the run say nothing about the target, whatever was searched for. */
export function searchOf(figures: LoadFigures, found: readonly Finding[]) {
  const { run, gone, cause } = figures;
  const { profile, series } = run;
  const crossing = series && firstCrossing(profile, series);
  const unsure = unsureSearch(figures, crossing).filter(({ code }) =>
    found.every((one) => one.code !== code),
  );
  const confirmed = found.length + unsure.length === 0;
  const held = heldRate(series, crossing?.place);
  // Up to the first period above a limit: a target may break down in those after it.
  const completed = series && crossing && meanOfTwo(goodRates(series), crossing.place);
  const result = confirmed && gone === undefined ? resultOf(figures, crossing, completed ?? held) : undefined;
  const isFromTheStart = crossing !== undefined && crossing.place < startPeriods;
  const refused = cause?.code === "rate-limit-reached" ? cause : undefined;
  // A burst may be accepted above a rate limit. Where no limit was crossed, the result itself is that rate.
  const isHeldSaid = refused === undefined && !(confirmed && crossing === undefined);
  const seen: Finding = { code: "search-seen", details: { held } };
  return {
    unsure,
    /** The rate limit, or the rate at which a limit was first crossed, or the highest rate when none was. */
    answer: isFromTheStart ? undefined : result && (refused ?? result),
    /** The target missed its limits from the first periods on, so no capacity was found. */
    failed: isFromTheStart ? result : undefined,
    /** Up to which rate all limits held, even if the search is not sure. */
    seen: series && isHeldSaid ? seen : undefined,
  };
}

function resultOf({ run, isOnTarget }: LoadFigures, crossing: Crossing, actual: number): Finding {
  const unit = "requests/s";
  if (crossing === undefined && isOnTarget) return { code: "capacity-reached", actual, unit };
  if (crossing === undefined) {
    // Refusals that came too late to measure the rate limit: a burst may be in what was accepted.
    const count = countOf(run.summary, "refusals");
    const seen = count > 0 ? ({ count, of: "requests" } as const) : undefined;
    return { code: "capacity-not-reached", actual, unit, ...given({ seen }) };
  }
  const details = { limit: crossing.limit, limitUnit: crossing.unit };
  return { code: "capacity-reached", subject: crossing.what, actual, unit, details };
}

/** Why a search has no answer, although it has ended: it was not generated, or not recorded, as planned. */
function unsureSearch({ run, loss }: LoadFigures, crossing: Crossing): Finding[] {
  const { series, summary, busy = 0 } = run;
  const rates = series?.requestRate ?? [];
  const end = crossing === undefined ? rates.length : crossing.place + 2;
  // What was accepted while requests were refused is a mean of all those periods.
  const refusing = series?.refusedRate.findIndex((rate) => (rate ?? 0) > 0) ?? -1;
  const from = Math.min(end - periodsLookedAt, refusing < 0 ? end : refusing);
  const looked = rates.slice(Math.max(0, from), end);
  const withoutFigures = (all: readonly (number | null)[]) => all.filter((rate) => rate === null).length;
  const lost = withoutFigures(rates);
  const seenLost = { count: lost, total: rates.length, of: "samples" } as const;
  const isLost = withoutFigures(looked) > 0 || lost >= mostFiguresLost * rates.length;
  const failures = Object.keys(countedByTag(summary, "on_the_way", "status"));
  const isUnsent =
    failures.some((one) => ofThisMachine.includes(one)) ||
    (crossing?.what === "failed requests" && failures.some((one) => unsent.includes(one)));
  // A busy machine delays responses, and sends less than a target or its limit accepts. Failures are not its own.
  const isBusy = crossing?.unit !== "share" && hasNoRoom(busy);
  const found: (Finding | false | undefined)[] = [
    isUnsent && loss,
    isBusy && { code: "search-on-busy-machine", actual: busy, unit: "share" },
    isLost && { code: "search-figures-lost", ...(series && { seen: seenLost }) },
  ];
  return found.filter((one) => !!one);
}

/** Of a period and the one before: k6 may record a little of one in the next. */
function meanOfTwo(rates: readonly number[], place: number): number {
  const rate = rates[place] ?? 0;
  return (rate + (rates[place - 1] ?? rate)) / 2;
}

/** The highest rate that was completed in two periods in a row, before the period `end`. */
function heldRate(series: LoadSeries | undefined, end?: number): number {
  const rates = series === undefined ? [] : goodRates(series).slice(0, end);
  // k6 may record a little of one period in the next.
  return Math.max(0, ...rates.slice(1).map((rate, place) => Math.min(rate, rates[place] ?? 0)));
}

/**
 * The first of two consecutive periods above the same limit. A single slow or failed one does not count, nor
 * what ends after the planned load: only its slowest responses come then.
 */
function firstCrossing({ thresholds, stages }: Profile, series: LoadSeries) {
  const { requestRate: rates, failedRate, latency, periodSeconds } = series;
  const end = Math.min(rates.length, firstOfLoad(series) + totalSeconds(stages) / periodSeconds);
  const { p95Milliseconds, p99Milliseconds = Number.POSITIVE_INFINITY, failedShare } = thresholds;
  const countOfTwo = (column: LoadSeries["requestRate"], place: number) =>
    Math.round(((column[place] ?? 0) + (column[place + 1] ?? 0)) * periodSeconds);
  const shareAt = (place: number) => (failedRate[place] ?? 0) / Math.max(1e-9, rates[place] ?? 0);
  const isNoChance = (place: number) =>
    judgeShare({ count: countOfTwo(failedRate, place), total: countOfTwo(rates, place) }, failedShare)
      .outcome === "above";
  const limits = [
    { what: "p99", limit: p99Milliseconds, unit: "ms", of: (place: number) => latency.p99[place] ?? 0 },
    { what: "p95", limit: p95Milliseconds, unit: "ms", of: (place: number) => latency.p95[place] ?? 0 },
    { what: "failed requests", limit: failedShare, unit: "share", of: shareAt },
  ] as const;
  for (let place = 0; place + 2 <= end; place += 1) {
    const crossed = limits.find(
      ({ limit, of, unit }) =>
        of(place) > limit && of(place + 1) > limit && (unit === "ms" || isNoChance(place)),
    );
    if (crossed !== undefined) return { ...crossed, place };
  }
  return undefined;
}
