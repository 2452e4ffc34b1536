import { type ScenarioId, scenarios, type Traffic } from "../../schemas/scenarios.ts";
import type { Profile } from "../../schemas/types.ts";
import { plannedIterations, type Stage } from "./schedule.ts";

const defaultBatchShare = 0.2;

/** Stages of one kind of open traffic: batches come at their share of the profile's rate. */
export function stagesOf(profile: Profile, traffic: "lookup" | "batch"): Stage[] {
  if (traffic === "lookup") return profile.stages;
  const share = profile.batchShare ?? defaultBatchShare;
  return profile.stages.map(({ seconds, rate }) => ({ seconds, rate: rate * share }));
}

/** Iterations that a scenario's open traffic plans; walks are not planned by number. */
export function plannedOf(profile: Profile, scenario: ScenarioId): number {
  const traffics: readonly Traffic[] = scenarios[scenario].traffic;
  return traffics
    .filter((traffic) => traffic === "lookup" || traffic === "batch")
    .reduce((sum, traffic) => sum + plannedIterations(stagesOf(profile, traffic)), 0);
}

/** Whether the rate-limit scenario goes above the limit or keeps below it: the two are never mixed. */
export function rateLimitMode(profile: Profile): "probe" | "polite" {
  return profile.rateLimit?.mode ?? "probe";
}
