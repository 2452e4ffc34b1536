import type { Profile } from "../../schemas/contracts/profile.ts";
import { type ScenarioId, scenarios, type Traffic } from "../../schemas/scenarios.ts";
import { volleySize } from "./tenant-calls.ts";

export type Stage = Profile["stages"][number];

/** The same rate from the start to the end. */
export function constantRate(rate: number, seconds: number): Stage[] {
  return [
    { seconds: 0, rate },
    { seconds, rate },
  ];
}

/** Rate at the start: that of a first stage of 0 seconds, otherwise 0. */
export function startRate(stages: readonly Stage[]): number {
  const first = stages[0];
  return first !== undefined && first.seconds === 0 ? first.rate : 0;
}

/** Highest rate of the stages, per second. */
export function peakRate(stages: readonly Stage[]): number {
  return Math.max(...stages.map((stage) => stage.rate));
}

/** Length in seconds. */
export function totalSeconds(stages: readonly Stage[]): number {
  return stages.reduce((sum, stage) => sum + stage.seconds, 0);
}

/** Number of planned iterations: the area under the rate, rounded down. */
export function plannedIterations(stages: readonly Stage[]): number {
  // Floating-point sums may be slightly too small: 39.999999999 means 40.
  return Math.floor(area(stages) + 1e-6);
}

/**
 * Milliseconds from the start at which iteration `index` (from 0) is due: when the area under the rate
 * reaches index + 1, as in k6's ramping-arrival-rate. After the last stage, it is the end.
 */
export function dueMilliseconds(stages: readonly Stage[], index: number): number {
  let from = startRate(stages);
  let left = index + 1;
  let start = 0;
  // By index: an iterator would take memory in every virtual user.
  for (let place = 0; place < stages.length; place += 1) {
    const { seconds, rate } = stages[place] as Stage;
    const area = (seconds * (from + rate)) / 2;
    if (area >= left && seconds > 0) {
      // The smaller t of from * t + slope * t^2 / 2 = left, in a form that is exact for small slopes.
      const slope = (rate - from) / seconds;
      const root = Math.sqrt(Math.max(0, from * from + 2 * slope * left));
      return (start + (2 * left) / (from + root)) * 1000;
    }
    left -= area;
    start += seconds;
    from = rate;
  }
  return start * 1000;
}

const silentSeconds = 0.5;

/**
 * The stages with half an iteration's time and a pause, so that the last iteration is due clearly before the
 * end, where k6 may or may not start one. No iteration is added.
 */
export function withRoomAtTheEnd(stages: readonly Stage[]): Stage[] {
  const beyond = Math.max(0, area(stages) - plannedIterations(stages));
  const rate = stages.at(-1)?.rate ?? 0;
  const room = beyond < 0.5 && rate > 0 ? [{ seconds: (0.5 - beyond) / rate, rate }] : [];
  const rise = beyond < 0.5 && rate === 0 ? [{ seconds: 1 - 2 * beyond, rate: 1 }] : [];
  return [...stages, ...room, ...rise, { seconds: 0, rate: 0 }, { seconds: silentSeconds, rate: 0 }];
}

function area(stages: readonly Stage[]): number {
  let from = startRate(stages);
  let sum = 0;
  for (const { seconds, rate } of stages) {
    sum += (seconds * (from + rate)) / 2;
    from = rate;
  }
  return sum;
}

/** A kind of traffic in the open model: sent at a rate, whatever the target does. */
export type OpenTraffic = Exclude<Traffic, "paging" | "limit">;

/** In iterations a second: of batches their share of the rate; one of tenants sends many requests. */
export function stagesOf({ stages, batchShare = 0.2 }: Profile, traffic: OpenTraffic): readonly Stage[] {
  if (traffic === "lookup") return stages;
  const share = traffic === "batch" ? batchShare : 1 / volleySize;
  // In thousandths, which k6 can be told.
  return stages.map(({ seconds, rate }) => ({ seconds, rate: Math.round(rate * share * 1000) / 1000 }));
}

/** Highest rate per second of one kind of traffic; for walks, the highest rate of all walkers together. */
export function peakRateOf(profile: Profile, traffic: Traffic): number {
  return peakRate(traffic === "batch" ? stagesOf(profile, traffic) : profile.stages);
}

/** Peak rate of a scenario in requests a second, all kinds of traffic together. */
export function requestRate(profile: Profile, scenario: ScenarioId): number {
  const traffics: readonly Traffic[] = scenarios[scenario].traffic;
  return traffics.reduce((sum, traffic) => sum + peakRateOf(profile, traffic), 0);
}

export function openTraffic(scenario: ScenarioId): OpenTraffic[] {
  const traffics: readonly Traffic[] = scenarios[scenario].traffic;
  return traffics.filter((traffic) => traffic !== "paging" && traffic !== "limit");
}

/** Number of planned iterations of a scenario's open traffic; walks have no planned number. */
export function plannedOf(profile: Profile, scenario: ScenarioId): number {
  return openTraffic(scenario).reduce(
    (sum, traffic) => sum + plannedIterations(stagesOf(profile, traffic)),
    0,
  );
}

/** Whether the rate-limit scenario exceeds the limit or stays below it; the two are never mixed. */
export function rateLimitMode(profile: Profile): "probe" | "polite" {
  return profile.rateLimit?.mode ?? "probe";
}
