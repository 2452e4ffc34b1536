import type { Target } from "../../conformance/client/target.ts";
import { catalogFrom } from "../../scenarios/lib/catalog.ts";
import { highestRate } from "../../scenarios/lib/limit-estimate.ts";
import { plannedVirtualUsers, requestsAtOnce, responsesHeld } from "../../scenarios/lib/options.ts";
import { sampleFixtures } from "../../scenarios/lib/sample-fixtures.ts";
import {
  openTraffic,
  peakRateOf,
  plannedIterations,
  rateLimitMode,
  requestRate,
  stagesOf,
  totalSeconds,
} from "../../scenarios/lib/schedule.ts";
import { limitsFor, plannedRequests, thresholdOf } from "../../scenarios/lib/thresholds.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { type ScenarioId, scenarios } from "../../schemas/scenarios.ts";
import { duration, grouped, listed, perSecond } from "../../schemas/words/format.ts";
import { limitFigures, thresholdLabel } from "../../schemas/words/thresholds.ts";
import { UsageError } from "../errors.ts";
import { sharedLimits } from "./limits.ts";

/** A load run as it is sent: made once, where a command starts, and read by all that sends or judges load. */
export interface LoadPlan {
  readonly scenario: ScenarioId;
  readonly profileName: string;
  /** The profile with the flags and the limits of the target applied. */
  readonly profile: Profile;
  readonly seed: number;
  /** Additional arguments for k6. */
  readonly k6Args: readonly string[];
  /** What was reduced to stay within the limits of the target. */
  readonly notes: readonly Finding[];
}

/** A load run as it is asked for: a profile, and what overrides it. */
export interface RequestedLoad extends Pick<LoadPlan, "scenario" | "profileName" | "profile"> {
  /** Peak rate of all traffic of the scenario together, in requests per second. Scales every stage. */
  readonly rate?: number | undefined;
  /** Total duration. Scales every stage. */
  readonly durationSeconds?: number | undefined;
  /** Virtual users of open traffic, and number of walkers for paging. */
  readonly vus?: number | undefined;
  /** Default: 1 */
  readonly seed?: number | undefined;
  /** Default: none */
  readonly k6Args?: readonly string[] | undefined;
}

/** What the configuration of a target says about load. */
type TargetLimits = Partial<
  Pick<Target, "name" | "avoid" | "maxRequestsPerSecond" | "maxConcurrency" | "keys" | "keyVariables">
>;

/**
 * Plans a load run within the limits of its target, with a note for each reduction; stages keep their
 * proportions.
 * @throws UsageError when the scenario cannot stay within a limit, or lacks a key.
 */
export function planLoad(load: RequestedLoad, limits: TargetLimits = {}): LoadPlan {
  const { scenario, profileName, seed = 1, k6Args = [], vus } = load;
  refuseMistakes(load, limits);
  const wanted = load.rate ?? requestRate(load.profile, scenario);
  const rate = Math.min(wanted, limits.maxRequestsPerSecond ?? wanted);
  const scaled = scaledProfile(load, rate);
  const asked = vus === undefined ? scaled : withUsers(scaled, vus);
  const profile = withinConcurrency(scenario, asked, limits);
  refuseTooLittle(scenario, profile, limits);
  refuseUnsent({ scenario, profileName, profile, seed });
  const [expected, actual] = [responsesHeld(scenario, asked), responsesHeld(scenario, profile)];
  const bounded = { code: "load-bounded" } as const;
  const notes: Finding[] = [
    ...(rate < wanted ? [{ ...bounded, expected: wanted, actual: rate, unit: "requests/s" } as const] : []),
    ...(actual < expected ? [{ ...bounded, expected, actual }] : []),
  ];
  return { scenario, profileName, profile, seed, k6Args, notes };
}

/** Whether a polite run has to find the rate limit itself, because the profile does not set it. */
export function mustProbeFirst({ scenario, profile }: Pick<LoadPlan, "scenario" | "profile">): boolean {
  const isPolite = scenario === "rate-limit" && rateLimitMode(profile) === "polite";
  return isPolite && profile.rateLimit?.perSecond === undefined;
}

function scaledProfile({ scenario, profile, durationSeconds }: RequestedLoad, rate: number): Profile {
  const peak = requestRate(profile, scenario);
  const length = totalSeconds(profile.stages);
  const rateScale = peak === 0 ? 1 : rate / peak;
  const timeScale = durationSeconds === undefined || length === 0 ? 1 : durationSeconds / length;
  const stages = profile.stages.map((stage) => ({
    seconds: thousandths(stage.seconds * timeScale),
    rate: thousandths(stage.rate * rateScale),
  }));
  return { ...profile, stages };
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** The number of users of each kind of open traffic, and of walkers. */
function withUsers(profile: Profile, users: number): Profile {
  return { ...profile, virtualUsers: users, walkers: users };
}

/** The profile with as many users as the target may get requests at the same time. */
function withinConcurrency(
  scenario: ScenarioId,
  profile: Profile,
  { name, maxConcurrency: most }: TargetLimits,
): Profile {
  const atOnce = responsesHeld(scenario, profile);
  if (most === undefined || atOnce <= most) return profile;
  const kinds = scenarios[scenario].traffic.reduce((sum, traffic) => sum + requestsAtOnce(traffic), 0);
  const each = Math.floor(most / kinds);
  if (each > 0) return withUsers(profile, each);
  throw new UsageError({
    what: `${scenario} sends up to ${atOnce} requests at the same time, more than the target's limit of ${most} concurrent requests`,
    where: `target ${name}`,
    fix: `Choose another scenario, or raise the target's maxConcurrency to at least ${kinds}.`,
  });
}

/** A kind of traffic that is not sent has limits that nothing is measured for: such a run is invalid. */
function refuseTooLittle(scenario: ScenarioId, profile: Profile, { name }: TargetLimits): void {
  const empty = openTraffic(scenario).find((traffic) => plannedIterations(stagesOf(profile, traffic)) === 0);
  if (empty === undefined) return;
  throw new UsageError({
    what: `The load is too small: at ${perSecond(peakRateOf(profile, empty))} for ${duration(totalSeconds(profile.stages))}, no request of the kind ${empty} is sent`,
    where: `${scenario}${name === undefined ? "" : `, target ${name}`}`,
    fix: "Make the run longer with --duration, or raise its rate: --rate, or the target's maxRequestsPerSecond.",
  });
}

/** Limits of the profile for what the load does not send, even where a catalog has everything. */
function refuseUnsent({ scenario, profileName, profile, seed }: Omit<LoadPlan, "k6Args" | "notes">): void {
  const sent: ReadonlySet<string> = plannedRequests(scenario, profile, catalogFrom(sampleFixtures()), seed);
  const kind = Object.keys(profile.thresholds.endpoints ?? {}).find((one) => !sent.has(one));
  if (kind === undefined) return;
  throw new UsageError({
    what: `The profile has limits for ${kind}, of which this load of ${scenario} sends none`,
    where: `profile ${profileName}`,
    fix: `Under thresholds.endpoints, name what it sends: ${listed([...sent])}.`,
  });
}

/** What cannot be planned for a target, whatever its rate. */
function refuseMistakes(
  { scenario, profileName, profile, rate = requestRate(profile, scenario) }: RequestedLoad,
  { name, avoid, maxRequestsPerSecond, maxConcurrency, keys, keyVariables: variables }: TargetLimits,
): void {
  const where = `target ${name}`;
  if (scenario === "tenants" && keys !== undefined && keys.otherOrg === undefined)
    throw new UsageError({
      what: "The scenario tenants needs keys of two organizations",
      where,
      fix: `Set ${variables?.otherOrg ?? keyVariables.otherOrg} to a key of another organization, or choose another scenario.`,
    });
  if (scenario !== "rate-limit") return;
  if (rateLimitMode(profile) === "probe" && rate > highestRate)
    throw new UsageError({
      what: `A probe goes up to ${perSecond(highestRate)}, and cannot start at ${perSecond(rate)}`,
      where: `profile ${profileName}`,
      fix: "Choose a lower --rate.",
    });
  // It sends without waiting for responses, and a probe increases its rate until requests are refused.
  const isBounded = rateLimitMode(profile) === "polite" && profile.rateLimit?.perSecond !== undefined;
  const exceeded = {
    maxConcurrency: maxConcurrency !== undefined,
    maxRequestsPerSecond: maxRequestsPerSecond !== undefined && !isBounded,
    'avoid: ["burst"]': avoid?.includes("burst") === true && !isBounded,
  };
  const [bound] = Object.entries(exceeded).find(([, isExceeded]) => isExceeded) ?? [];
  if (bound === undefined) return;
  throw new UsageError({
    what: `The scenario rate-limit exceeds the limits set for the target (${bound})`,
    where,
    fix:
      bound === "maxConcurrency"
        ? "Choose another scenario, or remove the setting if the target may get more requests at the same time."
        : "Choose another scenario, or a polite profile with rateLimit.perSecond; or remove the setting if the target's rate limit may be exceeded.",
  });
}

/** Calculates what a run would send, and its limits, with a sample catalog that has everything. */
export function previewLoad(plan: LoadPlan) {
  const { scenario, profileName, profile, seed } = plan;
  const limits = limitsFor(scenario, profile, catalogFrom(sampleFixtures()), seed).map(thresholdOf);
  return {
    scenario,
    profile: profileName,
    description: profile.description,
    /** Of all requests, per second. */
    peakRate: requestRate(profile, scenario),
    virtualUsers: plannedVirtualUsers(scenario, profile),
    seconds: totalSeconds(profile.stages),
    /** Whether the run may end before. */
    isMost: profile.untilJudged === true || profile.findsCapacity === true,
    /** Whether the run continues after `seconds` until it has found the rate limit. */
    openEnded: scenario === "rate-limit" && rateLimitMode(profile) === "probe",
    /** Whether a probe runs first to find the rate limit. */
    probesFirst: mustProbeFirst(plan),
    thresholds: [...limits, ...sharedLimits(limits).map(({ whole }) => whole)],
  };
}

/** The preview as text: `load --print`. */
export function renderPreview(preview: ReturnType<typeof previewLoad>): string {
  const { scenario, profile, description, peakRate, virtualUsers, openEnded, probesFirst } = preview;
  // Only upper limits: a lower one only demands that anything is measured.
  const limits = preview.thresholds.filter(({ bound }) => bound === "most");
  const width = Math.max(...limits.map((limit) => thresholdLabel(limit).length));
  const rate = openEnded
    ? `${perSecond(peakRate)} to ${perSecond(highestRate)}: steps until requests are refused, then above the limit`
    : `at most ${perSecond(peakRate)}`;
  const more = openEnded
    ? " above the rate limit, plus up to two and a half minutes to find it and test its waits"
    : probesFirst
      ? ", after a probe of up to three minutes to learn the rate limit"
      : ", plus a few seconds to start and stop; longer when responses are slow or a 429 requires a wait";
  return [
    `${scenario}, profile ${profile}: ${description}`,
    `  rate           ${rate}`,
    `  virtual users  ${grouped(virtualUsers)}`,
    `  planned time   ${preview.isMost ? "at most " : ""}${duration(preview.seconds)}${more}`,
    "  limits",
    ...limits.map((limit) => `    ${thresholdLabel(limit).padEnd(width)}  ${limitFigures(limit)}`),
    "",
  ].join("\n");
}
