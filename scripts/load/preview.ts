import { catalogFrom } from "../../scenarios/lib/catalog.ts";
import { highestRate } from "../../scenarios/lib/limit-estimate.ts";
import { plannedVirtualUsers } from "../../scenarios/lib/options.ts";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { rateLimitMode, requestRate, totalSeconds } from "../../scenarios/lib/schedule.ts";
import { limitsFor, thresholdOf } from "../../scenarios/lib/thresholds.ts";
import { duration, grouped, perSecond } from "../../schemas/words/format.ts";
import { limitFigures, thresholdLabel } from "../../schemas/words/thresholds.ts";
import { type LoadPlan, mustProbeFirst } from "./plan.ts";

/** Calculates what a run would send, and its limits, with a sample catalog that has everything. */
export function previewLoad(plan: LoadPlan) {
  const { scenario, profileName, profile, seed } = plan;
  const limits = limitsFor(scenario, profile, catalogFrom(sampleFixtures()), seed);
  return {
    scenario,
    profile: profileName,
    description: profile.description,
    /** Of all requests, per second. */
    peakRate: requestRate(profile, scenario),
    virtualUsers: plannedVirtualUsers(scenario, profile),
    seconds: totalSeconds(profile.stages),
    /** Whether the run continues after `seconds` until it has found the rate limit. */
    openEnded: scenario === "rate-limit" && rateLimitMode(profile) === "probe",
    /** Whether a probe runs first to find the rate limit. */
    probesFirst: mustProbeFirst(plan),
    thresholds: limits.map((limit) => thresholdOf({ ...limit, met: true }, undefined)),
  };
}

/** The preview as text: `load --print`. */
export function renderPreview(preview: ReturnType<typeof previewLoad>): string {
  const { scenario, profile, description, peakRate, virtualUsers, seconds, openEnded, probesFirst } = preview;
  // Only upper limits: a lower one only demands that anything is measured.
  const limits = preview.thresholds.filter(({ bound }) => bound === "most");
  const width = Math.max(...limits.map((limit) => thresholdLabel(limit).length));
  const rate = openEnded
    ? `${perSecond(peakRate)} to ${perSecond(highestRate)}, until the rate limit is reached`
    : `at most ${perSecond(peakRate)}`;
  const more = openEnded
    ? " above the rate limit, plus up to a minute to find the limit and test its waits"
    : probesFirst
      ? ", after a probe of about a minute to learn the rate limit"
      : ", plus a few seconds to start and stop; longer when responses are slow or a 429 requires a wait";
  return [
    `${scenario}, profile ${profile}: ${description}`,
    `  rate           ${rate}`,
    `  virtual users  ${grouped(virtualUsers)}`,
    `  expected time  ${duration(seconds)}${more}`,
    "  limits",
    ...limits.map((limit) => `    ${thresholdLabel(limit).padEnd(width)}  ${limitFigures(limit)}`),
    "",
  ].join("\n");
}
