import { catalogueFrom } from "../../scenarios/lib/catalogue.ts";
import { optionsFor } from "../../scenarios/lib/options.ts";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { peakRate, plannedOf, totalSeconds } from "../../scenarios/lib/schedule.ts";
import { limitsFor, thresholdOf } from "../../scenarios/lib/thresholds.ts";
import type { ScenarioId } from "../../schemas/scenarios.ts";
import type { LoadFixtures, Profile, Threshold } from "../../schemas/types.ts";
import { limitFigures, thresholdLabel } from "../../schemas/words/load.ts";
import { type LoadOverrides, overrideProfile } from "./overrides.ts";

export interface PlanRequest {
  readonly scenario: ScenarioId;
  readonly profileName: string;
  readonly profile: Profile;
  readonly overrides?: LoadOverrides | undefined;
  /** Without them the plan is that of a catalogue that has everything. */
  readonly fixtures?: LoadFixtures | undefined;
  readonly seed?: number | undefined;
}

/** What a run would do, without doing it. */
export interface LoadPlan {
  readonly scenario: ScenarioId;
  readonly profile: string;
  readonly description: string;
  /** Requests of open traffic; walks send as many as they come to, at most at the peak rate. */
  readonly requests: number;
  readonly peakRate: number;
  readonly virtualUsers: number;
  readonly seconds: number;
  readonly thresholds: readonly Threshold[];
}

/** Works the plan of a run out. */
export function planLoad(request: PlanRequest): LoadPlan {
  const { scenario, profileName, fixtures = sampleFixtures(), seed = 1 } = request;
  const profile = overrideProfile(request.profile, request.overrides);
  const catalogue = catalogueFrom(fixtures);
  const options = optionsFor(scenario, profile, catalogue, seed, []);
  const executors = Object.values(options.scenarios);
  const users = executors.map((executor) =>
    executor.executor === "ramping-arrival-rate" ? executor.preAllocatedVUs : executor.vus,
  );
  return {
    scenario,
    profile: profileName,
    description: profile.description,
    requests: plannedOf(profile, scenario),
    peakRate: peakRate(profile.stages),
    virtualUsers: users.reduce((sum, count) => sum + count, 0),
    seconds: totalSeconds(profile.stages),
    thresholds: limitsFor(scenario, profile, catalogue, seed).map((limit) =>
      thresholdOf({ ...limit, held: true }, undefined),
    ),
  };
}

/** The plan for a person: `load --print`. */
export function renderPlan(plan: LoadPlan): string {
  const walks = plan.scenario === "paging" || plan.scenario === "mixed";
  const requests = [
    ...(plan.requests > 0 ? [`${plan.requests}`] : []),
    ...(walks ? [`pages of walks, up to ${plan.peakRate}/s`] : []),
    ...(plan.scenario === "rate-limit" ? ["as many as the limit shows itself with"] : []),
  ].join(" and ");
  // That something must be measured at all goes without saying.
  const limits = plan.thresholds.filter(({ bound }) => bound === "most");
  const labels = limits.map(thresholdLabel);
  const width = Math.max(...labels.map((label) => label.length));
  return [
    `${plan.scenario}, profile ${plan.profile}: ${plan.description}`,
    `  requests       ${requests}`,
    `  peak rate      ${plan.peakRate}/s`,
    `  virtual users  ${plan.virtualUsers}`,
    `  expected time  ${duration(plan.seconds)}, and a few seconds to start and end`,
    "  limits",
    ...limits.map(
      (threshold, place) => `    ${(labels[place] ?? "").padEnd(width)}  ${limitFigures(threshold)}`,
    ),
    "",
  ].join("\n");
}

function duration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = Math.round((seconds % 60) * 10) / 10;
  return [hours > 0 ? `${hours} h` : "", minutes > 0 ? `${minutes} min` : "", rest > 0 ? `${rest} s` : ""]
    .filter((part) => part !== "")
    .join(" ");
}
