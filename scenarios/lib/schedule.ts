import { type ScenarioId, scenarios, type Traffic } from "../../schemas/scenarios.ts";
import type { Profile } from "../../schemas/types.ts";

export type Stage = Profile["stages"][number];

/** The same rate from the start to the end. */
export function constantRate(rate: number, seconds: number): Stage[] {
  return [
    { seconds: 0, rate },
    { seconds, rate },
  ];
}

/** Rate at the start: a first stage of no duration sets it, else traffic rises from nothing. */
export function startRate(stages: readonly Stage[]): number {
  const first = stages[0];
  return first !== undefined && first.seconds === 0 ? first.rate : 0;
}

/** Highest rate a second that the stages reach. */
export function peakRate(stages: readonly Stage[]): number {
  return Math.max(...stages.map((stage) => stage.rate));
}

/** Length in seconds. */
export function totalSeconds(stages: readonly Stage[]): number {
  return stages.reduce((sum, stage) => sum + stage.seconds, 0);
}

/** Number of iterations that the stages ask for: the area under the rate, whole ones. */
export function plannedIterations(stages: readonly Stage[]): number {
  // The area is a sum of products of decimals: 39.999999999 is 40.
  return Math.floor(area(stages) + 1e-6);
}

/**
 * Milliseconds from the start at which iteration `index` (from 0) is due: when the area under the rate
 * reaches index + 1, as k6's ramping-arrival-rate has it. Past the last stage it is the end.
 */
export function dueMilliseconds(stages: readonly Stage[], index: number): number {
  let from = startRate(stages);
  let left = index + 1;
  let start = 0;
  for (const { seconds, rate } of stages) {
    const area = (seconds * (from + rate)) / 2;
    if (area >= left && seconds > 0)
      return (start + secondsToArea(from, (rate - from) / seconds, left)) * 1000;
    left -= area;
    start += seconds;
    from = rate;
  }
  return start * 1000;
}

/** Solves from * t + slope * t^2 / 2 = area for the smaller t, in the form that stays exact for a small slope. */
function secondsToArea(from: number, slope: number, area: number): number {
  return (2 * area) / (from + Math.sqrt(Math.max(0, from * from + 2 * slope * area)));
}

const silentSeconds = 0.5;

/**
 * The stages with a little at the end, so that the last planned iteration is due clearly before it: k6 races
 * the end of the run against an iteration that is due at that very moment, and the number sent would be
 * one more or less. Half an iteration's time, then silence; no iteration is added.
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

const defaultBatchShare = 0.2;

/** Stages of one kind of open traffic: batches come at their share of the profile's rate. */
export function stagesOf(profile: Profile, traffic: "lookup" | "batch"): Stage[] {
  if (traffic === "lookup") return profile.stages;
  const share = profile.batchShare ?? defaultBatchShare;
  return profile.stages.map(({ seconds, rate }) => ({ seconds, rate: rate * share }));
}

/** Highest rate a second of one kind of traffic; that of walks is the pace that all walkers together keep below. */
export function peakRateOf(profile: Profile, traffic: Traffic): number {
  return peakRate(traffic === "batch" ? stagesOf(profile, traffic) : profile.stages);
}

/** Requests a second that a scenario sends at its peak, all kinds of traffic together. */
export function requestRate(profile: Profile, scenario: ScenarioId): number {
  const traffics: readonly Traffic[] = scenarios[scenario].traffic;
  return traffics.reduce((sum, traffic) => sum + peakRateOf(profile, traffic), 0);
}

/** Kinds of traffic that come at a rate, whatever the target does. */
export function openTraffic(scenario: ScenarioId): ("lookup" | "batch")[] {
  const traffics: readonly Traffic[] = scenarios[scenario].traffic;
  return traffics.filter((traffic) => traffic === "lookup" || traffic === "batch");
}

/** Iterations that a scenario's open traffic plans; walks are not planned by number. */
export function plannedOf(profile: Profile, scenario: ScenarioId): number {
  return openTraffic(scenario).reduce(
    (sum, traffic) => sum + plannedIterations(stagesOf(profile, traffic)),
    0,
  );
}

/** Whether the rate-limit scenario goes above the limit or keeps below it: the two are never mixed. */
export function rateLimitMode(profile: Profile): "probe" | "polite" {
  return profile.rateLimit?.mode ?? "probe";
}
