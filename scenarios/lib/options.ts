import type { Profile } from "../../schemas/types.ts";
import type { Catalogue } from "./catalogue.ts";
import { type EndpointName, endpoints } from "./endpoints.ts";
import {
  peakRate,
  plannedIterations,
  type Stage,
  startRate,
  totalSeconds,
  withRoomAtTheEnd,
} from "./schedule.ts";
import { lookupKind, mixPeriod } from "./traffic.ts";

export type ScenarioName = "lookup" | "paging" | "batch" | "mixed" | "rate-limit";
/** A kind of traffic; a script has one of them or, mixed, the first three. */
export type TrafficName = "lookup" | "paging" | "batch" | "limit";

/** The part of k6's options that we set. */
export interface ScenarioOptions {
  readonly scenarios: Readonly<Record<string, Executor>>;
  readonly thresholds: Readonly<Record<string, string[]>>;
  readonly summaryTrendStats: string[];
  readonly setupTimeout: string;
  readonly maxRedirects: number;
}

type Executor = ArrivalExecutor | WalkExecutor | LimitExecutor;
interface ArrivalExecutor {
  readonly executor: "ramping-arrival-rate";
  readonly startRate: number;
  readonly timeUnit: string;
  readonly preAllocatedVUs: number;
  readonly stages: { readonly duration: string; readonly target: number }[];
  readonly gracefulStop: string;
  readonly exec: TrafficName;
}
interface WalkExecutor {
  readonly executor: "constant-vus";
  readonly vus: number;
  readonly duration: string;
  readonly gracefulStop: string;
  readonly exec: TrafficName;
}

interface LimitExecutor {
  readonly executor: "per-vu-iterations";
  readonly vus: 1;
  readonly iterations: 1;
  readonly maxDuration: string;
  readonly gracefulStop: string;
  readonly exec: TrafficName;
}

const trafficOf = {
  lookup: ["lookup"],
  paging: ["paging"],
  batch: ["batch"],
  mixed: ["lookup", "paging", "batch"],
  "rate-limit": ["limit"],
} as const satisfies Record<ScenarioName, readonly TrafficName[]>;

/** Longest wait that a 429 may ask of an iteration; beyond, it sends nothing. */
export const patienceSeconds = 30;
const defaultBatchShare = 0.2;
const defaultLagMilliseconds = 500;

/** Stages of one kind of open traffic: batches come at their share of the profile's rate. */
export function stagesOf(profile: Profile, traffic: "lookup" | "batch"): Stage[] {
  if (traffic === "lookup") return profile.stages;
  const share = profile.batchShare ?? defaultBatchShare;
  return profile.stages.map(({ seconds, rate }) => ({ seconds, rate: rate * share }));
}

/** Iterations that a scenario's open traffic plans; walks are not planned by number. */
export function plannedOf(profile: Profile, scenario: ScenarioName): number {
  const traffics: readonly TrafficName[] = trafficOf[scenario];
  return traffics
    .filter((traffic) => traffic === "lookup" || traffic === "batch")
    .reduce((sum, traffic) => sum + plannedIterations(stagesOf(profile, traffic)), 0);
}

/** Whether the rate-limit scenario goes above the limit or keeps below it: the two are never mixed. */
export function rateLimitMode(profile: Profile): "probe" | "polite" {
  return profile.rateLimit?.mode ?? "probe";
}

/** The options of a scenario: what runs when, and what it must hold. */
export function optionsFor(
  scenario: ScenarioName,
  profile: Profile,
  catalogue: Catalogue,
  seed: number,
  trendStats: readonly string[],
): ScenarioOptions {
  return {
    scenarios: Object.fromEntries(trafficOf[scenario].map((name) => [name, executorFor(name, profile)])),
    thresholds: thresholdsFor(scenario, profile, catalogue, seed),
    summaryTrendStats: [...trendStats],
    setupTimeout: "60s",
    // A redirect is no answer of this service: it fails, and the key goes nowhere else.
    maxRedirects: 0,
  };
}

function executorFor(traffic: TrafficName, profile: Profile): Executor {
  const gracefulStop = `${Math.ceil(profile.maxResponseSeconds) + patienceSeconds}s`;
  if (traffic === "limit") return limitExecutor(profile);
  if (traffic === "paging") {
    const duration = `${totalSeconds(profile.stages)}s`;
    return { executor: "constant-vus", vus: profile.walkers, duration, gracefulStop, exec: "paging" };
  }
  const stages = stagesOf(profile, traffic);
  const unit = timeUnitSeconds(stages);
  return {
    executor: "ramping-arrival-rate",
    startRate: Math.round(startRate(stages) * unit),
    timeUnit: `${unit}s`,
    // All are made before the start: k6 drops iterations while it makes more on the way.
    preAllocatedVUs: profile.virtualUsers ?? virtualUsersFor(stages, profile.maxResponseSeconds),
    stages: withRoomAtTheEnd(stages).map(({ seconds, rate }) => ({
      duration: `${Math.round(seconds * 1e6)}us`,
      target: Math.round(rate * unit),
    })),
    gracefulStop,
    exec: traffic,
  };
}

/** Beside its stages a probe steps up to the limit, tries promises and waits: this long at most. */
const probeExtraSeconds = 150;

/** One virtual user, which sends without waiting for answers and so knows of each refusal at once. */
function limitExecutor(profile: Profile): LimitExecutor {
  const maxDuration = `${Math.ceil(totalSeconds(profile.stages)) + probeExtraSeconds}s`;
  return {
    executor: "per-vu-iterations",
    vus: 1,
    iterations: 1,
    maxDuration,
    gracefulStop: "5s",
    exec: "limit",
  };
}

/** A short run has one for each iteration, up to this many, so that each can sit out a 429. */
const patientVirtualUsers = 50;

/** Little's law: as many as are busy at once when answers take as long as planned for. */
function virtualUsersFor(stages: readonly Stage[], maxResponseSeconds: number): number {
  const patient = Math.min(patientVirtualUsers, plannedIterations(stages));
  return Math.max(1, patient, Math.ceil(peakRate(stages) * maxResponseSeconds));
}

/** k6 takes whole rates only: the unit of time that makes all of them whole, to a thousandth. */
function timeUnitSeconds(stages: readonly Stage[]): number {
  const whole = (unit: number) =>
    stages.every(({ rate }) => Math.abs(rate * unit - Math.round(rate * unit)) < 1e-6);
  return [1, 10, 100].find(whole) ?? 1000;
}

/** Names that a scenario asks under a profile, with certainty: the first period of the mix holds them all. */
export function plannedEndpoints(
  scenario: ScenarioName,
  profile: Profile,
  catalogue: Catalogue,
  seed: number,
): EndpointName[] {
  const names = new Set<EndpointName>();
  for (const traffic of trafficOf[scenario]) {
    switch (traffic) {
      case "lookup": {
        const planned = Math.min(mixPeriod, plannedIterations(profile.stages));
        for (let index = 0; index < planned; index += 1) names.add(lookupKind(catalogue, seed, index));
        break;
      }
      case "paging":
        names.add("category-page");
        break;
      case "batch":
        names.add("batch");
        break;
      case "limit":
        names.add("lookup-by-id");
        break;
      default:
        traffic satisfies never;
    }
  }
  return [...names];
}

/**
 * Thresholds by metric. k6 lets a threshold on a metric without samples pass, so every gate has a count
 * beside it that fails on no data.
 */
export function thresholdsFor(
  scenario: ScenarioName,
  profile: Profile,
  catalogue: Catalogue,
  seed: number,
): Record<string, string[]> {
  const { lagMilliseconds, droppedShare, endpoints: own } = profile.thresholds;
  const asked = plannedEndpoints(scenario, profile, catalogue, seed);
  const named = Object.keys(own ?? {}).filter(isEndpoint);
  const planned = plannedOf(profile, scenario);
  const thresholds: Record<string, string[]> = {
    exceptions: ["count<1"],
    refusals_malformed: ["count<1"],
  };
  if (planned > 0) {
    thresholds.dropped_iterations = [`count<=${Math.floor(droppedShare * planned)}`];
    thresholds.schedule_lag = [`p(95)<=${lagMilliseconds ?? defaultLagMilliseconds}`];
  }
  if (scenario === "paging" || scenario === "mixed") thresholds.cursors_repeated = ["count<1"];
  for (const name of new Set([...asked, ...named])) {
    Object.assign(thresholds, endpointThresholds(name, { ...profile.thresholds, ...own?.[name] }));
  }
  if (scenario === "rate-limit") Object.assign(thresholds, rateLimitThresholds(rateLimitMode(profile)));
  return thresholds;
}

function isEndpoint(name: string): name is EndpointName {
  return Object.hasOwn(endpoints, name);
}

/** Under a probe the target is overrun on purpose: its latency says nothing, its promises do. */
function rateLimitThresholds(mode: "probe" | "polite"): Record<string, string[]> {
  if (mode === "polite") return { polite_admitted: ["count>0"] };
  return {
    "http_req_duration{name:lookup-by-id,status:200}": [],
    probe_requests: ["count>0"],
    probe_other_refused: ["count<1"],
  };
}

type Limits = Pick<
  Profile["thresholds"],
  "p95Milliseconds" | "p99Milliseconds" | "failedShare" | "invalidShare"
>;

function endpointThresholds(name: EndpointName, limits: Limits): Record<string, string[]> {
  const gated = `{name:${name},status:${endpoints[name].gated}}`;
  const { p95Milliseconds, p99Milliseconds, failedShare, invalidShare } = limits;
  const duration = [`p(95)<=${p95Milliseconds}`];
  if (p99Milliseconds !== undefined) duration.push(`p(99)<=${p99Milliseconds}`);
  return {
    // By status, so that refusals (429), which answer fast, never flatter the latency.
    [`http_req_duration${gated}`]: duration,
    [`http_reqs${gated}`]: ["count>0"],
    [`http_req_failed{name:${name}}`]: [`rate<=${failedShare}`],
    [`answers_invalid{name:${name}}`]: [`rate<=${invalidShare}`],
    [`checks_begun{name:${name}}`]: ["count>0"],
  };
}

/** What a crossed threshold on a metric says: about the target, or about the run itself. */
export function guardOf(metric: string): "target" | "run" {
  const base = metric.split("{", 1)[0] ?? metric;
  switch (base) {
    case "http_req_duration":
    case "http_req_failed":
    case "answers_invalid":
    case "refusals_malformed":
    case "cursors_repeated":
    case "probe_other_refused":
      return "target";
    default:
      return "run";
  }
}
