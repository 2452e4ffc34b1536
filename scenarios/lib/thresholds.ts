import { type ScenarioId, scenarios } from "../../schemas/scenarios.ts";
import type { Profile } from "../../schemas/types.ts";
import type { Catalogue } from "./catalogue.ts";
import { type EndpointName, endpoints } from "./endpoints.ts";
import { plannedIterations } from "./schedule.ts";
import { lookupKind, mixPeriod } from "./traffic.ts";
import { plannedOf, rateLimitMode } from "./workload.ts";

const defaultLagMilliseconds = 500;

/** Names that a scenario asks under a profile, with certainty: the first period of the mix holds them all. */
export function plannedEndpoints(
  scenario: ScenarioId,
  profile: Profile,
  catalogue: Catalogue,
  seed: number,
): EndpointName[] {
  const names = new Set<EndpointName>();
  for (const traffic of scenarios[scenario].traffic) {
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
  scenario: ScenarioId,
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
