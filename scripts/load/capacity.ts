import { cpus } from "node:os";
import { unsentFailures } from "../../scenarios/lib/failures.ts";
import { requestRate } from "../../scenarios/lib/schedule.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";
import { countedByTag, type LoadFigures, type SummedRun } from "./figures.ts";
import type { LoadSeries } from "./recording.ts";
import { judgeShare } from "./shares.ts";

// A search for the capacity ends when it has its answer: a limit was crossed, or requests are refused again and again. It has
// none if this machine could not have told: then its own delay may be what was measured.

/** Total and idle time of the machine's processors, in milliseconds. */
export interface ProcessorTimes {
  readonly total: number;
  readonly idle: number;
}

function processorTimes(): ProcessorTimes {
  const times = cpus().map((one) => one.times);
  const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);
  return {
    total: sum(times.flatMap((one) => Object.values(one))),
    idle: sum(times.map(({ idle }) => idle)),
  };
}

/** Periods before the end of a search in which the machine must have been able to generate the load. */
const periodsLookedAt = 4;
/** Periods with refusals after which the rate limit is the answer. */
const refusedPeriods = 4;
const leastIdle = 0.1;
const mostLateMilliseconds = 200;
/** Largest share of periods without figures in the whole search. */
const mostFiguresLost = 0.1;
/** Resources of this machine that connections need. */
const ofThisMachine: ReadonlySet<string> = new Set<TransportFailure>(["open files", "no free port"]);
const unsent: ReadonlySet<string> = new Set(unsentFailures);

/** Why a search has no answer, although it has ended: it was not generated, or not recorded, as planned. */
export function unsureSearch({ run: { profile, series, summary }, loss }: LoadFigures): Finding[] {
  const rates = series?.requestRate ?? [];
  const crossing = series && firstCrossing(profile, series);
  const end = crossing === undefined ? rates.length : crossing.place + 2;
  const looked = [Math.max(0, end - periodsLookedAt), end] as const;
  const withoutFigures = (all: readonly (number | null)[]) => all.filter((rate) => rate === null).length;
  const isLost =
    withoutFigures(rates.slice(...looked)) > 0 || withoutFigures(rates) >= mostFiguresLost * rates.length;
  const late = Math.max(0, ...(series?.lateMilliseconds ?? []).slice(...looked).map((one) => one ?? 0));
  const failures = Object.keys(countedByTag(summary, "on_the_way", "status"));
  const isUnsent =
    failures.some((one) => ofThisMachine.has(one)) ||
    (crossing?.what === "failed requests" && failures.some((one) => unsent.has(one)));
  const found: (Finding | false | undefined)[] = [
    isUnsent && loss,
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

/** The answer of a search: its limit was reached, and why it was not the target's, if that is possible. */
export interface SearchEnd {
  readonly starved: readonly Finding[];
}

/**
 * Watches a search: it is given the series after each period, and returns the answer once there is one.
 *
 * @param times Reads the processor times of this machine.
 */
export function watchSearch(
  profile: Profile,
  times: () => ProcessorTimes = processorTimes,
): (series: LoadSeries | undefined) => SearchEnd | undefined {
  const measured: ProcessorTimes[] = [times()];
  return (series) => {
    if (series === undefined) return undefined;
    measured.push(times());
    if (measured.length > periodsLookedAt) measured.shift();
    const lastRefusals = series.refusedRate.slice(-refusedPeriods);
    const isRefused = lastRefusals.length === refusedPeriods && lastRefusals.every((rate) => (rate ?? 0) > 0);
    if (isRefused) return { starved: [] };
    return firstCrossing(profile, series) === undefined ? undefined : { starved: starvedBy(measured) };
  };
}

function starvedBy(measured: readonly ProcessorTimes[]): Finding[] {
  const [first, last] = [measured[0], measured.at(-1)];
  const passed = (last?.total ?? 0) - (first?.total ?? 0);
  const idle = passed <= 0 ? 1 : ((last?.idle ?? 0) - (first?.idle ?? 0)) / passed;
  return idle < leastIdle ? [{ code: "search-on-busy-machine", actual: 1 - idle, unit: "share" }] : [];
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
export function capacityOf({ scenario, profile, series }: SummedRun, isLostToTarget: boolean): Capacity {
  const unit = "requests/s";
  const crossing = series && firstCrossing(profile, series);
  const rates = (series?.requestRate ?? []).map((rate) => rate ?? 0);
  if (crossing === undefined) {
    const finding: Finding = isLostToTarget
      ? { code: "capacity-reached", actual: Math.max(0, ...rates), unit }
      : { code: "capacity-not-reached", actual: requestRate(profile, scenario), unit };
    return { finding, fromTheStart: false };
  }
  const { place, what, limit, unit: limitUnit } = crossing;
  const details = { limit, limitUnit };
  return {
    finding: { code: "capacity-reached", subject: what, actual: rates[place] ?? 0, unit, details },
    fromTheStart: place < startPeriods,
  };
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
