import { catalogFrom } from "../../scenarios/lib/catalog.ts";
import { highestRate } from "../../scenarios/lib/limit-estimate.ts";
import { plannedVirtualUsers } from "../../scenarios/lib/options.ts";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import { rateLimitMode, requestRate, totalSeconds } from "../../scenarios/lib/schedule.ts";
import { limitsFor, thresholdOf } from "../../scenarios/lib/thresholds.ts";
import { duration, grouped, perSecond } from "../../schemas/words/format.ts";
import { limitFigures, thresholdLabel } from "../../schemas/words/thresholds.ts";
import { type LoadPlan, mustProbeFirst } from "./plan.ts";

type LoadPreview = ReturnType<typeof previewLoad>;

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
export function renderPreview(preview: LoadPreview): string {
  // Only upper limits: a lower one only demands that anything is measured.
  const limits = preview.thresholds.filter(({ bound }) => bound === "most");
  const { openEnded, peakRate: rate } = preview;
  return [
    `${preview.scenario}, profile ${preview.profile}: ${preview.description}`,
    `  rate           ${openEnded ? `${perSecond(rate)} to ${perSecond(highestRate)}, until the rate limit is reached` : `at most ${perSecond(rate)}`}`,
    `  virtual users  ${grouped(preview.virtualUsers)}`,
    `  expected time  ${expectedTime(preview)}`,
    "  limits",
    ...columns(limits.map((limit) => [thresholdLabel(limit), limitFigures(limit)])),
    "",
  ].join("\n");
}

function expectedTime({ seconds, openEnded, probesFirst }: LoadPreview): string {
  const time = duration(seconds);
  if (openEnded)
    return `${time} above the rate limit, plus up to a minute to find the limit and test its waits`;
  if (probesFirst) return `${time}, after a probe of about a minute to learn the rate limit`;
  return `${time}, plus a few seconds to start and stop; longer when responses are slow or a 429 requires a wait`;
}

function columns(rows: readonly (readonly [name: string, text: string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `    ${name.padEnd(width)}  ${text}`);
}
