import { unsentFailures } from "../../scenarios/lib/failures.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { given } from "../../schemas/json.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";
import { countedByTag, goodRates, type LoadFigures, type SummedRun } from "./figures.ts";
import { hasNoRoom, periodsLookedAt } from "./machine.ts";
import type { LoadSeries } from "./recording.ts";
import { judgeShare } from "./shares.ts";

// A search for the capacity ends when it has its answer: a limit was crossed, or requests are refused again and again. It has
// none if this machine could not have told: then its own delay may be what was measured. What it saw is said in any case.

/** Periods with refusals after which the rate limit is the answer: what is accepted is counted between the first and the last. */
const refusedPeriods = 6;
const mostLateMilliseconds = 200;
/** Largest share of periods without figures in the whole search. */
const mostFiguresLost = 0.1;
/** Resources of this machine that connections need. */
const ofThisMachine: ReadonlySet<string> = new Set<TransportFailure>(["open files", "no free port"]);
const unsent: ReadonlySet<string> = new Set(unsentFailures);

/** Why a search has no answer, although it has ended: it was not generated, or not recorded, as planned. */
export function unsureSearch({ run, loss, cause, onTarget }: LoadFigures): Finding[] {
  const { profile, series, summary, machine } = run;
  const rates = series?.requestRate ?? [];
  const crossing = series && firstCrossing(profile, series);
  const end = crossing === undefined ? rates.length : crossing.place + 2;
  const looked = [Math.max(0, end - periodsLookedAt), end] as const;
  const withoutFigures = (all: readonly (number | null)[]) => all.filter((rate) => rate === null).length;
  const isLost =
    withoutFigures(rates.slice(...looked)) > 0 || withoutFigures(rates) >= mostFiguresLost * rates.length;
  const lateness = series?.lateMilliseconds ?? [];
  // A run that began late, since it has many users, is not late for that: only its schedule has moved.
  const atStart = Math.min(...lateness.map((one) => one ?? Number.POSITIVE_INFINITY));
  const late = Math.max(0, ...lateness.slice(...looked).map((one) => (one ?? 0) - atStart));
  const failures = Object.keys(countedByTag(summary, "on_the_way", "status"));
  const isUnsent =
    failures.some((one) => ofThisMachine.has(one)) ||
    (crossing?.what === "failed requests" && failures.some((one) => unsent.has(one)));
  const isAnswered = cause?.code !== "rate-limit-reached" && (crossing !== undefined || onTarget.length > 0);
  const found: (Finding | false | undefined)[] = [
    isUnsent && loss,
    isAnswered &&
      machine &&
      hasNoRoom(machine) && { code: "search-on-busy-machine", actual: machine.busy, unit: "share" },
    late > mostLateMilliseconds && {
      code: "iterations-late",
      actual: late,
      expected: mostLateMilliseconds,
      unit: "ms",
    },
    isLost && {
      code: "search-figures-lost",
      seen: { count: withoutFigures(rates), total: rates.length, of: "samples" },
    },
  ];
  return found.filter((one) => !!one);
}

/** Watches a search: it is given the series after each period, and returns whether there is an answer. */
export function hasAnswer(profile: Profile, series: LoadSeries | undefined): boolean {
  if (series === undefined) return false;
  const lastRefusals = series.refusedRate.slice(-refusedPeriods);
  const isRefused = lastRefusals.length === refusedPeriods && lastRefusals.every((rate) => (rate ?? 0) > 0);
  return isRefused || firstCrossing(profile, series) !== undefined;
}

/** The result of a profile that searches for the capacity. */
interface Capacity {
  readonly finding: Finding;
  /** The target missed its limits from the first periods on, so no capacity was found. */
  readonly fromTheStart: boolean;
}

/** Periods at the start of a run. A target that misses its limits there fails at the lowest rate. */
const startPeriods = 2;

/** The rate at which a limit was first crossed, or the highest rate when none was. */
export function capacityOf({ profile, series }: SummedRun, isLostToTarget: boolean): Capacity {
  const unit = "requests/s";
  const crossing = series && firstCrossing(profile, series);
  if (series === undefined || crossing === undefined) {
    const code = isLostToTarget ? "capacity-reached" : "capacity-not-reached";
    return { finding: { code, actual: heldRate(series), unit }, fromTheStart: false };
  }
  const { place, what, limit, unit: limitUnit } = crossing;
  const details = { limit, limitUnit };
  return {
    finding: { code: "capacity-reached", subject: what, actual: completedAt(series, place), unit, details },
    fromTheStart: place < startPeriods,
  };
}

/** What a search saw, whether or not it is sure: up to which rate all limits held, and how busy this machine was at its end. */
export function seenInSearch({ run, cause }: LoadFigures, confirmed: boolean): Finding[] {
  const { profile, series, machine } = run;
  if (series === undefined) return [];
  const crossing = firstCrossing(profile, series);
  // A burst may be accepted above a rate limit.
  const refused = cause?.code === "rate-limit-reached";
  const subject = refused ? "429" : crossing?.what;
  const atLimit = refused ? cause.actual : crossing && completedAt(series, crossing.place);
  // The result itself says at which rate it is.
  const completed = confirmed ? undefined : atLimit;
  const isSaid = refused || (confirmed && crossing === undefined);
  const held = isSaid ? undefined : heldRate(series, crossing?.place);
  const seen = given({ held, completed, machine });
  if (Object.keys(seen).length === 0) return [];
  return [{ code: "search-seen", ...given({ subject }), details: { confirmed, ...seen } }];
}

/** The highest rate that was completed in two periods in a row, before the period `end`. */
function heldRate(series: LoadSeries | undefined, end?: number): number {
  const rates = series === undefined ? [] : goodRates(series).slice(0, end);
  // k6 may record a little of one period in the next.
  return Math.max(
    0,
    ...rates.map((rate, place) => Math.min(rate, rates[place + 1] ?? rates[place - 1] ?? rate)),
  );
}

/** What was completed in the two periods from `place` on in which a limit was exceeded: the lower of both. */
function completedAt(series: LoadSeries, place: number): number {
  return Math.min(...goodRates(series).slice(place, place + 2));
}

/** The first of two consecutive periods above the same limit. A single slow period, or a single failure, does not count. */
function firstCrossing(
  { thresholds }: Profile,
  { requestRate: rates, failedRate, latency, periodSeconds }: LoadSeries,
) {
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
  for (let place = 0; place + 1 < rates.length; place += 1) {
    const crossed = limits.find(
      ({ limit, of, unit }) =>
        of(place) > limit && of(place + 1) > limit && (unit === "ms" || isNoChance(place)),
    );
    if (crossed !== undefined) return { ...crossed, place };
  }
  return undefined;
}
