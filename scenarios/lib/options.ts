import type { ConstantVUsScenario, PerVUIterationsScenario, RampingArrivalRateScenario } from "k6/options";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { type ScenarioId, scenarios, type Traffic } from "../../schemas/scenarios.ts";
import {
  type OpenTraffic,
  peakRate,
  plannedIterations,
  type Stage,
  stagesOf,
  startRate,
  totalSeconds,
  withRoomAtTheEnd,
} from "./schedule.ts";
import { trendStatistics } from "./summary.ts";
import { volleySize } from "./tenant-calls.ts";

/** Longest wait for Retry-After; if it is longer, the iteration ends. */
export const patienceSeconds = 30;

/** A request without a response is given up after this many times what the profile plans for. */
export const patienceTimes = 5;

/** The k6 options of a scenario without its limits. */
export function optionsFor(scenario: ScenarioId, profile: Profile) {
  const atOnce = requestsAtOnce(scenario);
  return {
    scenarios: executorsOf(scenario, profile),
    summaryTrendStats: trendStatistics(),
    setupTimeout: `${setupSeconds}s`,
    // The service never redirects: a redirect is a failure, and the key is sent to no other address.
    maxRedirects: 0,
    ...(atOnce > 1 ? { batch: atOnce, batchPerHost: atOnce } : {}),
    ...(profile.newConnections === true ? { noConnectionReuse: true } : {}),
  };
}

/** Number of virtual users of a scenario, all kinds of traffic together. */
export function plannedVirtualUsers(scenario: ScenarioId, profile: Profile): number {
  return Object.values(executorsOf(scenario, profile))
    .map((one) => (one.executor === "ramping-arrival-rate" ? one.preAllocatedVUs : (one.vus ?? 1)))
    .reduce((sum, count) => sum + count, 0);
}

/** Responses that all virtual users of a scenario may hold at the same time. */
export function responsesHeld(scenario: ScenarioId, profile: Profile): number {
  return plannedVirtualUsers(scenario, profile) * requestsAtOnce(scenario);
}

/** Requests of the scenario rate-limit that may wait for their response at the same time; more are held back. */
export const mostUnderWay = 1000;

/** Requests that a virtual user sends at the same time. */
export function requestsAtOnce(name: ScenarioId | Traffic): number {
  return name === "tenants" ? volleySize : 1;
}

/** By kind of traffic. Their metrics have a tag that those of setup and teardown do not have. */
function executorsOf(scenario: ScenarioId, profile: Profile) {
  const part = { tags: { part: "load" } };
  const executors = scenarios[scenario].traffic.map(
    (exec) => [exec, { ...executorFor(exec, profile), exec, ...part }] as const,
  );
  return Object.fromEntries(executors);
}

function executorFor(
  traffic: Traffic,
  profile: Profile,
): RampingArrivalRateScenario | ConstantVUsScenario | PerVUIterationsScenario {
  const gracefulStop = `${gracefulSeconds(profile)}s`;
  if (traffic === "limit") {
    // One virtual user that sends without waiting for responses, so it sees each refusal at once.
    const maxDuration = `${Math.ceil(totalSeconds(profile.stages)) + probeExtraSeconds}s`;
    const once = { vus: 1, iterations: 1, maxDuration, gracefulStop: `${limitGracefulSeconds}s` };
    return { executor: "per-vu-iterations", ...once };
  }
  if (traffic === "paging") {
    const duration = `${totalSeconds(profile.stages)}s`;
    return { executor: "constant-vus", vus: profile.walkers ?? 1, duration, gracefulStop };
  }
  const stages = stagesOf(profile, traffic);
  const unit = timeUnitSeconds(stages);
  return {
    executor: "ramping-arrival-rate",
    startRate: Math.round(startRate(stages) * unit),
    timeUnit: `${unit}s`,
    // All are allocated before the start: k6 drops iterations while it allocates more during the run.
    preAllocatedVUs: virtualUsersOf(profile, traffic),
    stages: withRoomAtTheEnd(stages).map(({ seconds, rate }) => ({
      duration: `${Math.round(seconds * 1e6)}us`,
      target: Math.round(rate * unit),
    })),
    gracefulStop,
  };
}

/** Longest time of a probe beside its stages, for its steps, waits and checks of Retry-After. */
const probeExtraSeconds = 150;
const setupSeconds = 60;
/** k6's own default. */
export const teardownSeconds = 60;
const limitGracefulSeconds = 5;
/** For starting and for writing the results on a busy machine. */
const spareSeconds = 30;

/** How long running iterations may continue after the end of the stages. */
function gracefulSeconds(profile: Profile): number {
  return Math.ceil(profile.maxResponseSeconds) + patienceSeconds;
}

/** The maximum duration of a run in seconds; if k6 still runs after that, it hangs. */
export function longestSeconds(scenario: ScenarioId, profile: Profile): number {
  const planned = totalSeconds(withRoomAtTheEnd(profile.stages));
  const [atTheEnd, more] =
    scenario === "rate-limit" ? [limitGracefulSeconds, probeExtraSeconds] : [gracefulSeconds(profile), 0];
  return setupSeconds + planned + more + atTheEnd + teardownSeconds + spareSeconds;
}

/** Up to so many iterations, a run has a virtual user for each, so that each can wait after a 429. */
const waitingVirtualUsers = 50;

/** The profile's number, or by Little's law those busy with responses as slow as the profile plans for. */
export function virtualUsersOf(profile: Profile, traffic: OpenTraffic): number {
  const stages = stagesOf(profile, traffic);
  const waiting = Math.min(waitingVirtualUsers, plannedIterations(stages));
  return (
    profile.virtualUsers ?? Math.max(1, waiting, Math.ceil(peakRate(stages) * profile.maxResponseSeconds))
  );
}

/** The unit of time in which all rates are whole numbers, to a thousandth: k6 accepts only whole rates. */
function timeUnitSeconds(stages: readonly Stage[]): number {
  const whole = (unit: number) =>
    stages.every(({ rate }) => Math.abs(rate * unit - Math.round(rate * unit)) < 1e-6);
  return [1, 10, 100].find(whole) ?? 1000;
}
