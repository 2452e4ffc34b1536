import type { Target } from "../../conformance/client/target.ts";
import { requestsAtOnce, responsesHeld } from "../../scenarios/lib/options.ts";
import {
  peakRateOf,
  plannedIterations,
  rateLimitMode,
  requestRate,
  stagesOf,
  totalSeconds,
} from "../../scenarios/lib/schedule.ts";
import type { Finding } from "../../schemas/contracts/finding.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { keyVariables } from "../../schemas/redaction.ts";
import { requestKindIds, type ScenarioId, scenarios } from "../../schemas/scenarios.ts";
import { duration, listed, perSecond } from "../../schemas/words/format.ts";
import { UsageError } from "../errors.ts";

/** A load run as it is asked for: a profile, and what overrides it. */
export interface RequestedLoad {
  readonly scenario: ScenarioId;
  readonly profileName: string;
  readonly profile: Profile;
  /** Peak rate of all traffic of the scenario together, in requests per second. Scales every stage. */
  readonly rate?: number | undefined;
  /** Total duration. Scales every stage. */
  readonly durationSeconds?: number | undefined;
  /** Virtual users of open traffic, and number of walkers for paging. */
  readonly vus?: number | undefined;
  /** Default: 1 */
  readonly seed?: number | undefined;
  /** Default: 1 */
  readonly shards?: number | undefined;
  /** Default: none */
  readonly k6Args?: readonly string[] | undefined;
}

/** A load run as it is sent. It is made once, where a command starts, and read by everything that sends or judges load. */
export interface LoadPlan {
  readonly scenario: ScenarioId;
  readonly profileName: string;
  /** The profile with the flags and the limits of the target applied. */
  readonly profile: Profile;
  readonly seed: number;
  /** Pods of a cluster that share the run. On this machine, one k6 uses all cores. */
  readonly shards: number;
  /** Additional arguments for k6. */
  readonly k6Args: readonly string[];
  /** What was reduced to stay within the limits of the target. */
  readonly notes: readonly Finding[];
}

/** What the configuration of a target says about load. */
type TargetLimits = Partial<
  Pick<Target, "name" | "avoid" | "maxRequestsPerSecond" | "maxConcurrency" | "keys" | "keyVariables">
>;

/**
 * Plans a load run within the limits of its target, with a note for each reduction. The proportions of the profile's stages
 * stay the same.
 *
 * @throws UsageError when the scenario cannot stay within a limit, or lacks a key.
 */
export function planLoad(load: RequestedLoad, limits: TargetLimits = {}): LoadPlan {
  const { scenario, profileName, seed = 1, shards = 1, k6Args = [], vus } = load;
  if (scenario === "rate-limit") refuseProbe(load.profile, limits);
  if (scenario === "tenants") requireTwoOrganizations(limits);
  refuseUnknownKinds(load);
  const wanted = load.rate ?? requestRate(load.profile, scenario);
  const rate = Math.min(wanted, limits.maxRequestsPerSecond ?? wanted);
  const scaled = scaledProfile(load, rate);
  const asked = vus === undefined ? scaled : withUsers(scaled, vus);
  const profile = withinConcurrency(scenario, asked, limits);
  refuseTooLittle(scenario, profile, limits);
  const [expected, actual] = [responsesHeld(scenario, asked), responsesHeld(scenario, profile)];
  const notes: Finding[] = [
    ...(rate < wanted
      ? [{ code: "load-bounded", expected: wanted, actual: rate, unit: "requests/s" } as const]
      : []),
    ...(actual < expected ? [{ code: "load-bounded", expected, actual } as const] : []),
  ];
  return { scenario, profileName, profile, seed, shards, k6Args, notes };
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
    fix: "Choose a scenario with one kind of traffic, or raise the target's maxConcurrency.",
  });
}

function refuseUnknownKinds({ profileName, profile }: RequestedLoad): void {
  const kinds: readonly string[] = requestKindIds;
  const unknown = Object.keys(profile.thresholds.endpoints ?? {}).find((name) => !kinds.includes(name));
  if (unknown === undefined) return;
  throw new UsageError({
    what: `The profile has limits for ${unknown}, which is no kind of request`,
    where: `profile ${profileName}`,
    fix: `Name one of ${listed(kinds)} under thresholds.endpoints.`,
  });
}

/** A kind of traffic of which nothing is sent has limits that nothing is measured for: such a run is invalid. */
function refuseTooLittle(scenario: ScenarioId, profile: Profile, { name }: TargetLimits): void {
  for (const traffic of scenarios[scenario].traffic) {
    if (traffic === "paging" || traffic === "limit") continue;
    if (plannedIterations(stagesOf(profile, traffic)) > 0) continue;
    throw new UsageError({
      what: `The load is too small: at ${perSecond(peakRateOf(profile, traffic))} for ${duration(totalSeconds(profile.stages))}, no request of the kind ${traffic} is sent`,
      where: `${scenario}${name === undefined ? "" : `, target ${name}`}`,
      fix: "Make the run longer with --duration, or raise its rate: --rate, or the target's maxRequestsPerSecond.",
    });
  }
}

function requireTwoOrganizations({ name, keys, keyVariables: variables }: TargetLimits): void {
  if (keys === undefined || keys.otherOrg !== undefined) return;
  throw new UsageError({
    what: "The scenario tenants needs keys of two organizations",
    where: `target ${name}`,
    fix: `Set ${variables?.otherOrg ?? keyVariables.otherOrg} to a key of another organization, or choose another scenario.`,
  });
}

/** The scenario rate-limit sends without waiting for responses, and a probe increases its rate until requests are refused. */
function refuseProbe(
  profile: Profile,
  { name, avoid, maxRequestsPerSecond, maxConcurrency }: TargetLimits,
): void {
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
    where: `target ${name}`,
    fix: "Choose another scenario, or a polite profile with rateLimit.perSecond; or remove the setting if the target's rate limit may be exceeded.",
  });
}
