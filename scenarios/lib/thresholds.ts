import type { Threshold } from "../../schemas/contracts/load-result.ts";
import type { Profile } from "../../schemas/contracts/profile.ts";
import { type RequestKindId, requestKindIds, type ScenarioId, scenarios } from "../../schemas/scenarios.ts";
import type { LoadCatalog } from "./catalog.ts";
import { failedStatuses, failures, statusesOnTheWay, unsentFailures } from "./failures.ts";
import { allowedOf } from "./response-rules.ts";
import { plannedIterations, plannedOf, rateLimitMode } from "./schedule.ts";
import { volley } from "./tenant-calls.ts";
import { lookupCall, lookupMix, mixPeriod } from "./traffic.ts";

/** What a metric with thresholds measures. */
const measures = {
  http_req_duration: { guards: "target", crossing: "latency-over-limit", unit: "ms" },
  http_req_failed: { guards: "target", crossing: "failed-requests", unit: "share" },
  invalid_responses: { guards: "target", crossing: "invalid-responses", unit: "share" },
  refusals_malformed: { guards: "target", crossing: "retry-after-malformed", unit: "count" },
  cursors_repeated: { guards: "target", crossing: "cursor-repeated", unit: "count" },
  probe_other_refused: { guards: "target", crossing: "other-organization-refused", unit: "count" },
  foreign_responses: { guards: "target", crossing: "foreign-responses", unit: "count" },
  fitting_responses: { guards: "run", crossing: "nothing-checked", unit: "count" },
  http_reqs: { guards: "run", crossing: "no-samples", unit: "count" },
  checked_responses: { guards: "run", crossing: "nothing-checked", unit: "count" },
  probe_requests: { guards: "run", crossing: "no-samples", unit: "count" },
  polite_admitted: { guards: "run", crossing: "no-samples", unit: "count" },
  dropped_iterations: { guards: "run", crossing: "iterations-dropped", unit: "count" },
  schedule_lag: { guards: "run", crossing: "iterations-late", unit: "ms" },
  exceptions: { guards: "run", crossing: "script-exceptions", unit: "count" },
} as const satisfies Record<string, Pick<Threshold, "guards" | "crossing" | "unit">>;

type MeasureId = keyof typeof measures;

export interface Limit extends Pick<Threshold, "metric" | "statistic" | "bound" | "limit"> {
  readonly measure: MeasureId;
  readonly request?: RequestKindId;
}

/** k6's names of the statistics. */
const statistics = { p95: "p(95)", p99: "p(99)", share: "rate", count: "count" } as const satisfies Record<
  Threshold["statistic"],
  string
>;

/** The limit as a k6 threshold expression. */
export function expressionOf({ statistic, bound, limit }: Limit): string {
  return `${statistics[statistic]}${bound === "most" ? "<=" : ">="}${limit}`;
}

/** The values of each metric, by k6's names of statistics. */
type Metrics = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The measured value; undefined if the metric has no samples. */
export function measuredOf({ metric, statistic }: Limit, metrics: Metrics): number | undefined {
  const values = metrics[metric] ?? {};
  const { passes, fails = 0, count } = values;
  const samples = passes === undefined ? count : passes + fails;
  // k6 gives 0 for percentiles and shares of nothing.
  return samples === 0 && statistic !== "count" ? undefined : values[statistics[statistic]];
}

/** Judged here: k6 judges none with --no-thresholds, and counts requests lost on the way as failed. */
export function judgedLimits(limits: readonly Limit[], metrics: Metrics): JudgedLimit[] {
  return limits.map((limit) => {
    // What was not measured counts as 0, as in k6.
    const measured = measuredOf(limit, metrics) ?? 0;
    return { ...limit, met: limit.bound === "most" ? measured <= limit.limit : measured >= limit.limit };
  });
}

/** A limit with its outcome, as in a summary. */
export type JudgedLimit = Limit & Pick<Threshold, "met">;

/** A limit as in the results, with its outcome if it has one. */
export function thresholdOf<L extends Limit>({ measure, ...limit }: L) {
  return { ...limit, ...measures[measure] };
}

/** Kinds of request that a scenario is certain to send under a profile. */
export function plannedRequests(
  scenario: ScenarioId,
  profile: Profile,
  catalog: LoadCatalog,
  seed: number,
): Set<RequestKindId> {
  const kinds = new Set<RequestKindId>();
  const mix = lookupMix(catalog, seed);
  for (const traffic of scenarios[scenario].traffic) {
    switch (traffic) {
      case "lookup":
        // The first period of the mix contains all kinds.
        for (let index = 0; index < Math.min(mixPeriod, plannedIterations(profile.stages)); index += 1)
          kinds.add(lookupCall(mix, index).name);
        break;
      case "paging":
        kinds.add("category-page");
        break;
      case "batch":
        kinds.add("batch");
        break;
      case "tenants":
        for (let index = 0; index < tenantsPeriod; index += 1)
          for (const { name } of volley(catalog, seed, index)) kinds.add(name);
        break;
      case "limit":
        kinds.add("lookup-by-id");
        break;
      default:
        traffic satisfies never;
    }
  }
  return kinds;
}

/** As many volleys have every kind of request that a run sends. */
const tenantsPeriod = 2;

const defaultLagMilliseconds = 500;

/** A k6 threshold without samples passes, so every limit on the target comes with one on their number. */
export function limitsFor(
  scenario: ScenarioId,
  profile: Profile,
  catalog: LoadCatalog,
  seed: number,
): Limit[] {
  const { lagMilliseconds = defaultLagMilliseconds, droppedShare, endpoints: own = {} } = profile.thresholds;
  const certain = plannedRequests(scenario, profile, catalog, seed);
  const named = requestKindIds.filter((name) => Object.hasOwn(own, name));
  const planned = plannedOf(profile, scenario);
  const isPaging = scenarios[scenario].traffic.some((traffic) => traffic === "paging");
  const isProbe = scenario === "rate-limit" && rateLimitMode(profile) === "probe";
  return [
    ...(scenario === "tenants" ? [most("foreign_responses", 0), least("fitting_responses")] : []),
    most("exceptions", 0),
    most("refusals_malformed", 0),
    ...(planned > 0
      ? [
          most("dropped_iterations", Math.floor(droppedShare * planned)),
          most("schedule_lag", lagMilliseconds, { statistic: "p95" }),
        ]
      : []),
    ...(isPaging ? [most("cursors_repeated", 0)] : []),
    ...[...new Set([...certain, ...named])].flatMap((name) =>
      requestLimits(name, { ...profile.thresholds, ...own[name] }, isProbe),
    ),
    ...(isProbe ? [least("probe_requests"), most("probe_other_refused", 0)] : []),
    ...(scenario === "rate-limit" && !isProbe ? [least("polite_admitted")] : []),
  ];
}

function most(measure: MeasureId, limit: number, more: Partial<Limit> = {}): Limit {
  return { metric: measure, measure, statistic: "count", bound: "most", limit, ...more };
}

function least(measure: MeasureId, more: Partial<Limit> = {}): Limit {
  return { metric: measure, measure, statistic: "count", bound: "least", limit: 1, ...more };
}

type Limits = Pick<
  Profile["thresholds"],
  "p95Milliseconds" | "p99Milliseconds" | "failedShare" | "invalidShare"
>;

/** The limits of one kind of request. A probe overloads the target on purpose, so its latency has none. */
function requestLimits(request: RequestKindId, limits: Limits, isProbe: boolean): Limit[] {
  const duration = latencyMetric(request);
  const tagged = (measure: MeasureId) => ({ metric: `${measure}{name:${request}}`, request });
  const latency = (["p95", "p99"] as const).flatMap((statistic) => {
    const limit = limits[`${statistic}Milliseconds`];
    return limit === undefined || isProbe
      ? []
      : [most("http_req_duration", limit, { metric: duration, request, statistic })];
  });
  const metric = duration.replace("http_req_duration", "http_reqs");
  return [
    ...latency,
    least("http_reqs", { metric, request }),
    most("http_req_failed", limits.failedShare, { ...tagged("http_req_failed"), statistic: "share" }),
    most("invalid_responses", limits.invalidShare, { ...tagged("invalid_responses"), statistic: "share" }),
    least("checked_responses", tagged("checked_responses")),
  ];
}

/** Of successful responses: by status, because fast refusals (429) would lower it. */
export function latencyMetric(request: RequestKindId): string {
  return `http_req_duration{name:${request},status:${allowedOf(request)[0]}}`;
}

/** The latency of the successful responses of all kinds, without the requests before and after the load. */
export const overallLatency = "http_req_duration{part:load,status:200}";

/** Computed from others: to count what is right would cost each request CPU. k6 only knows "none invalid". */
const computed: readonly MeasureId[] = ["invalid_responses", "checked_responses"];

/** The metric with the number of requests of a kind that were lost on the way. */
export function onTheWayMetric(request: RequestKindId): string {
  return `on_the_way{name:${request}}`;
}

/** The metric with the number of checked responses of a kind that k6 counts as failed requests. */
export function failuresMetric(request: RequestKindId): string {
  return `complete_checks{name:${request},failed:true}`;
}

/** The metric with the number of 429 to a kind of request. */
export function refusalsMetric(request: RequestKindId): string {
  return `refusals{name:${request}}`;
}

/** Submetrics that k6 records although they have no limit. */
const countedParts: readonly string[] = [
  overallLatency,
  ...[...statusesOnTheWay, "other", ...unsentFailures].map((status) => `on_the_way{status:${status}}`),
  ...failures.map((failure) => `requests_without_response{failure:${failure}}`),
  ...[...failedStatuses, "other"].map((status) => `failed_responses{status:${status}}`),
];

/** As k6 options. An empty list makes k6 record the latency of a kind of request without a limit. */
export function thresholdOptions(limits: readonly Limit[]): Record<string, string[]> {
  const options: Record<string, string[]> = Object.fromEntries(countedParts.map((part) => [part, []]));
  for (const { metric, measure, request } of limits) {
    if (measure === "http_reqs" && request !== undefined) {
      options[metric.replace(measure, "http_req_duration")] = [];
      options[onTheWayMetric(request)] = [];
      options[`invalid_responses{name:${request}}`] = [];
      options[`complete_checks{name:${request}}`] = [];
      options[failuresMetric(request)] = [];
      options[refusalsMetric(request)] = [];
      options[`refusals_invalid{name:${request}}`] = [];
    }
  }
  for (const limit of limits) {
    if (!computed.includes(limit.measure))
      options[limit.metric] = [...(options[limit.metric] ?? []), expressionOf(limit)];
    else if (limit.measure === "invalid_responses" && limit.limit === 0) options[limit.metric] = ["count<=0"];
  }
  return options;
}
