import { type ScenarioId, scenarios, type Traffic } from "../../schemas/scenarios.ts";
import type { Profile } from "../../schemas/types.ts";
import type { LoadCatalogue } from "./catalogue.ts";
import {
  peakRate,
  plannedIterations,
  type Stage,
  stagesOf,
  startRate,
  totalSeconds,
  withRoomAtTheEnd,
} from "./schedule.ts";
import { limitsFor, thresholdOptions } from "./thresholds.ts";

/** The part of k6's options that we set. */
export interface ScenarioOptions {
  readonly scenarios: Readonly<Record<string, Executor>>;
  readonly thresholds: Readonly<Record<string, string[]>>;
  readonly summaryTrendStats: string[];
  readonly setupTimeout: string;
  readonly maxRedirects: number;
}

type Executor = ArrivalExecutor | WalkExecutor | LimitExecutor;
interface ArrivalExecutor {
  readonly executor: "ramping-arrival-rate";
  readonly startRate: number;
  readonly timeUnit: string;
  readonly preAllocatedVUs: number;
  readonly stages: { readonly duration: string; readonly target: number }[];
  readonly gracefulStop: string;
  readonly exec: Traffic;
}
interface WalkExecutor {
  readonly executor: "constant-vus";
  readonly vus: number;
  readonly duration: string;
  readonly gracefulStop: string;
  readonly exec: Traffic;
}

interface LimitExecutor {
  readonly executor: "per-vu-iterations";
  readonly vus: 1;
  readonly iterations: 1;
  readonly maxDuration: string;
  readonly gracefulStop: string;
  readonly exec: Traffic;
}

/** Longest wait that a 429 may ask of an iteration; beyond, it sends nothing. */
export const patienceSeconds = 30;

/** The options of a scenario: what runs when, and what it must hold. */
export function optionsFor(
  scenario: ScenarioId,
  profile: Profile,
  catalogue: LoadCatalogue,
  seed: number,
  trendStats: readonly string[],
): ScenarioOptions {
  return {
    scenarios: executorsOf(scenario, profile),
    thresholds: thresholdOptions(limitsFor(scenario, profile, catalogue, seed)),
    summaryTrendStats: [...trendStats],
    setupTimeout: `${setupSeconds}s`,
    // This service never redirects: a redirect fails, and the key goes nowhere else.
    maxRedirects: 0,
  };
}

/** Virtual users of all traffic of a scenario together. */
export function plannedVirtualUsers(scenario: ScenarioId, profile: Profile): number {
  return Object.values(executorsOf(scenario, profile))
    .map((executor) =>
      executor.executor === "ramping-arrival-rate" ? executor.preAllocatedVUs : executor.vus,
    )
    .reduce((sum, count) => sum + count, 0);
}

/** What runs when, by kind of traffic. */
function executorsOf(scenario: ScenarioId, profile: Profile): Readonly<Record<string, Executor>> {
  return Object.fromEntries(scenarios[scenario].traffic.map((name) => [name, executorFor(name, profile)]));
}

function executorFor(traffic: Traffic, profile: Profile): Executor {
  const gracefulStop = `${gracefulSeconds(profile)}s`;
  if (traffic === "limit") return limitExecutor(profile);
  if (traffic === "paging") {
    const duration = `${totalSeconds(profile.stages)}s`;
    return { executor: "constant-vus", vus: profile.walkers, duration, gracefulStop, exec: "paging" };
  }
  const stages = stagesOf(profile, traffic);
  const unit = timeUnitSeconds(stages);
  return {
    executor: "ramping-arrival-rate",
    startRate: Math.round(startRate(stages) * unit),
    timeUnit: `${unit}s`,
    // All are made before the start: k6 drops iterations while it makes more on the way.
    preAllocatedVUs: virtualUsersOf(profile, traffic),
    stages: withRoomAtTheEnd(stages).map(({ seconds, rate }) => ({
      duration: `${Math.round(seconds * 1e6)}us`,
      target: Math.round(rate * unit),
    })),
    gracefulStop,
    exec: traffic,
  };
}

/** Beside its stages a probe steps up to the limit, tries promises and waits: this long at most. */
const probeExtraSeconds = 150;

/** One virtual user, which sends without waiting for responses and so knows of each refusal at once. */
function limitExecutor(profile: Profile): LimitExecutor {
  const maxDuration = `${Math.ceil(totalSeconds(profile.stages)) + probeExtraSeconds}s`;
  return {
    executor: "per-vu-iterations",
    vus: 1,
    iterations: 1,
    maxDuration,
    gracefulStop: `${limitGracefulSeconds}s`,
    exec: "limit",
  };
}

const setupSeconds = 60;
/** k6's own default. */
const teardownSeconds = 60;
const limitGracefulSeconds = 5;
/** To start, and to write what was measured, on a machine that is busy. */
const spareSeconds = 30;

/** How long iterations under way may go on when the time is over. */
function gracefulSeconds(profile: Profile): number {
  return Math.ceil(profile.maxResponseSeconds) + patienceSeconds;
}

/** Seconds that a run takes at the very most, from its start to its end: beyond, k6 hangs. */
export function longestSeconds(scenario: ScenarioId, profile: Profile): number {
  const planned = totalSeconds(withRoomAtTheEnd(profile.stages));
  const [atTheEnd, more] =
    scenario === "rate-limit" ? [limitGracefulSeconds, probeExtraSeconds] : [gracefulSeconds(profile), 0];
  return setupSeconds + planned + more + atTheEnd + teardownSeconds + spareSeconds;
}

/** A short run has one for each iteration, up to this many, so that each can sit out a 429. */
const waitingVirtualUsers = 50;

/**
 * Virtual users of one kind of open traffic: those that the profile sets, or by Little's law as many as are busy at
 * once when responses take as long as planned for.
 */
export function virtualUsersOf(profile: Profile, traffic: "lookup" | "batch"): number {
  const stages = stagesOf(profile, traffic);
  const waiting = Math.min(waitingVirtualUsers, plannedIterations(stages));
  return (
    profile.virtualUsers ?? Math.max(1, waiting, Math.ceil(peakRate(stages) * profile.maxResponseSeconds))
  );
}

/** k6 takes whole rates only: the unit of time that makes all of them whole, to a thousandth. */
function timeUnitSeconds(stages: readonly Stage[]): number {
  const whole = (unit: number) =>
    stages.every(({ rate }) => Math.abs(rate * unit - Math.round(rate * unit)) < 1e-6);
  return [1, 10, 100].find(whole) ?? 1000;
}
