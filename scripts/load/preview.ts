import { catalogFrom } from "../../scenarios/lib/catalog.ts";
import { highestRate } from "../../scenarios/lib/limit-estimate.ts";
import { plannedVirtualUsers } from "../../scenarios/lib/options.ts";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import {
  peakRate,
  peakRateOf,
  plannedIterations,
  rateLimitMode,
  requestRate,
  stagesOf,
  totalSeconds,
} from "../../scenarios/lib/schedule.ts";
import { volley, volleySize } from "../../scenarios/lib/tenant-calls.ts";
import { limitsFor, thresholdOf } from "../../scenarios/lib/thresholds.ts";
import { lookupKind, lookupMix, mixPeriod } from "../../scenarios/lib/traffic.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import type { Threshold } from "../../schemas/contracts/threshold.ts";
import { type RequestKindId, requestLabel, type ScenarioId, scenarios } from "../../schemas/scenarios.ts";
import { duration, figure, grouped, perSecond } from "../../schemas/words/format.ts";
import { limitFigures, thresholdLabel } from "../../schemas/words/thresholds.ts";
import { type LoadPlan, mustProbeFirst } from "./plan.ts";

/** What a run would send. */
export interface LoadPreview {
  readonly scenario: ScenarioId;
  readonly profile: string;
  readonly description: string;
  readonly requests: readonly PlannedRequests[];
  /** Peak rate of all requests, per second. */
  readonly peakRate: number;
  readonly virtualUsers: number;
  readonly seconds: number;
  /** Whether the run continues after `seconds` until it has found the rate limit. */
  readonly openEnded: boolean;
  /** Whether a probe runs first to find the rate limit. */
  readonly probesFirst: boolean;
  readonly thresholds: readonly Threshold[];
}

/** Planned requests of one kind. */
export interface PlannedRequests {
  readonly request: RequestKindId;
  /** Omitted if it depends on the target: for walks, and behind a rate limit. */
  readonly count?: number;
  readonly peakRate: number;
}

/** Calculates what a run would send, and its limits, with a sample catalog that has everything. */
export function previewLoad(plan: LoadPlan): LoadPreview {
  const { scenario, profileName, profile, seed } = plan;
  const catalog = catalogFrom(sampleFixtures());
  return {
    scenario,
    profile: profileName,
    description: profile.description,
    requests: scenarios[scenario].traffic.flatMap((traffic): PlannedRequests[] => {
      const rate = peakRateOf(profile, traffic);
      switch (traffic) {
        case "lookup": {
          const mix = lookupMix(catalog, seed);
          return plannedLookups(profile, (index) => lookupKind(mix, index));
        }
        case "paging":
          return [{ request: "category-page", peakRate: rate }];
        case "batch": {
          const count = plannedIterations(stagesOf(profile, traffic));
          return [{ request: "batch", count, peakRate: rate }];
        }
        case "tenants": {
          const volleys = plannedIterations(stagesOf(profile, traffic));
          const kinds = Map.groupBy(volley(catalog, seed, 0), ({ name }) => name);
          return [...kinds].map(([request, { length }]) => ({
            request,
            count: volleys * length,
            peakRate: (rate * length) / volleySize,
          }));
        }
        case "limit":
          return [{ request: "lookup-by-id", peakRate: rate }];
        default:
          return traffic satisfies never;
      }
    }),
    peakRate: requestRate(profile, scenario),
    virtualUsers: plannedVirtualUsers(scenario, profile),
    seconds: totalSeconds(profile.stages),
    openEnded: scenario === "rate-limit" && rateLimitMode(profile) === "probe",
    probesFirst: mustProbeFirst(plan),
    thresholds: limitsFor(scenario, profile, catalog, seed).map((limit) =>
      thresholdOf({ ...limit, met: true }, undefined),
    ),
  };
}

/** Planned lookups by kind, in the proportions of the first `mixPeriod` of them. */
function plannedLookups(profile: Profile, kindOf: (index: number) => RequestKindId): PlannedRequests[] {
  const planned = plannedIterations(profile.stages);
  const counted = Math.min(planned, mixPeriod);
  const byKind = Map.groupBy(
    Array.from({ length: counted }, (_, index) => kindOf(index)),
    (kind) => kind,
  );
  return [...byKind].map(([request, of]) => ({
    request,
    count: Math.round((planned * of.length) / counted),
    peakRate: (peakRate(profile.stages) * of.length) / counted,
  }));
}

/** The preview as text: `load --print`. */
export function renderPreview(preview: LoadPreview): string {
  // Only upper limits: a lower one only demands that anything is measured.
  const limits = preview.thresholds.filter(({ bound }) => bound === "most");
  const { openEnded, requests, peakRate: rate } = preview;
  return [
    `${preview.scenario}, profile ${preview.profile}: ${preview.description}`,
    `  rate           ${openEnded ? `${perSecond(rate)} to ${perSecond(highestRate)}, until the rate limit is reached` : `at most ${perSecond(rate)}`}`,
    `  virtual users  ${grouped(preview.virtualUsers)}`,
    `  expected time  ${expectedTime(preview)}`,
    "  requests",
    ...columns(requests.map((one) => [requestLabel(one.request), openEnded ? "all of them" : amountOf(one)])),
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

function amountOf({ count, peakRate: rate }: PlannedRequests): string {
  return count === undefined ? `up to ${perSecond(rate)}` : `${grouped(count)}, ${figure(rate)}/s at most`;
}

function columns(rows: readonly (readonly [name: string, text: string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `    ${name.padEnd(width)}  ${text}`);
}
