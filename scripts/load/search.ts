import { cpus } from "node:os";
import { unsentFailures } from "../../scenarios/lib/failures.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { TransportFailure } from "../../schemas/words/transport.ts";
import { countedByTag, firstCrossing, type LoadFacts, lossUnderLoad } from "./blame.ts";
import type { LoadSeries } from "./recording.ts";

// A search for the capacity ends when it has its answer: a limit was crossed, or requests are refused again and again. It has
// none if this machine could not have told: then its own delay may be what was measured.

/** Total and idle time of the machine's processors, in milliseconds. */
export interface ProcessorTimes {
  readonly total: number;
  readonly idle: number;
}

export function processorTimes(): ProcessorTimes {
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
export function unsureSearch(facts: LoadFacts): Finding[] {
  const { profile, series, summary } = facts;
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
  const loss = isUnsent ? lossUnderLoad(facts) : undefined;
  return [
    ...(loss === undefined ? [] : [loss.finding]),
    ...(late > mostLateMilliseconds
      ? [{ code: "iterations-late", actual: late, expected: mostLateMilliseconds, unit: "ms" } as const]
      : []),
    ...(isLost
      ? [
          {
            code: "search-figures-lost",
            seen: { count: withoutFigures(rates), total: rates.length, of: "samples" },
          } as const,
        ]
      : []),
  ];
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
