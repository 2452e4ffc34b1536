import { type FindingIn, type FindingTable, findingSchema, keysOf } from "./finding-fields.ts";
import {
  array,
  boolean,
  choice,
  literal,
  mapOf,
  named,
  number,
  object,
  optional,
  string,
  unknown,
} from "./schema.ts";

// What a load run finds: the fields of each code. schemas/words/load.ts has the sentences.

const counts = mapOf(number());
/** A measured value and its limit; the subject is the kind of request, where the limit is for one. */
const limit = {
  subject: optional(string()),
  expected: optional(number()),
  actual: optional(number()),
  details: optional(
    object({
      statistic: optional(choice(["p95", "p99", "share", "count"])),
      virtualUsers: optional(number()),
    }),
  ),
};
const figures = { expected: number(), actual: number() };
const measured = { actual: number() };
/** An expected value of the rate limit, and the interval that was measured. */
const expectation = {
  expected: number(),
  details: object({
    of: choice(["perSecond", "burst"]),
    low: optional(number()),
    high: optional(number()),
  }),
};
const ofPod = { subject: string("Segment of the pod.") };
const ofPath = { subject: string("Path of the request.") };

/** What a crossed threshold finds. */
const crossings = {
  "latency-over-limit": limit,
  "failed-requests": limit,
  "invalid-responses": limit,
  "retry-after-malformed": limit,
  "cursor-repeated": limit,
  "other-organization-refused": limit,
  "foreign-responses": limit,
  "iterations-dropped": limit,
  "iterations-late": limit,
  "script-exceptions": limit,
  "no-samples": limit,
  "nothing-checked": limit,
} as const satisfies FindingTable;
export type CrossingCode = keyof typeof crossings;
export type CrossingFinding = FindingIn<typeof crossings>;
export const crossingCode = named("CrossingCode", choice(keysOf(crossings)));

/** Failures of the target, then its limits, then why a run is invalid, then notes. */
export const loadFindings = {
  ...crossings,
  "undecodable-body": { subject: optional(string("Path of the request before the load.")) },
  "rate-limit-reached": figures,
  "slower-than-planned": figures,
  "capacity-reached": {
    subject: optional(string("What was above its limit.")),
    ...measured,
    details: optional(object({ limit: number(), limitUnit: choice(["ms", "share"]) })),
  },
  "capacity-not-reached": measured,
  "target-gone-under-load": { actual: optional(number()) },
  "response-too-big": { subject: optional(string()), ...measured },
  "load-interrupted": {},
  "too-few-virtual-users": { ...figures, details: object({ rate: number(), milliseconds: number() }) },
  "generator-cpu": measured,
  "generator-memory": measured,
  "search-on-busy-machine": measured,
  "search-figures-lost": {},
  "foreign-response": {
    subject: string("Kind of request."),
    expected: optional(unknown("What belongs to the key of the request.")),
    actual: optional(unknown()),
    details: object({
      what: choice(["retailer", "list", "product", "item", "counter", "limit", "request-id", "refusal"]),
    }),
  },
  "tenants-kept-apart": {},
  "no-tenants-to-load": {},
  "endpoint-not-asked": { subject: string("Kind of request.") },
  "no-answer-before-load": { ...ofPath, details: optional(object({ error: string() })) },
  "status-before-load": { ...ofPath, ...measured },
  "key-rejected-before-load": {
    ...ofPath,
    ...measured,
    details: optional(object({ acceptedIn: string("The header in which the key is accepted.") })),
  },
  "not-the-service": { ...ofPath, ...measured, details: optional(object({ location: string() })) },
  "shards-missing": {},
  "k6-exit": { actual: optional(number()) },
  "k6-killed": { subject: string("The signal."), actual: optional(number()), expected: optional(number()) },
  "k6-memory": { ...figures, details: object({ seconds: number() }) },
  "k6-silent": measured,
  "k6-overdue": figures,
  "no-summary": { actual: optional(number()) },
  "summary-unreadable": {},
  "pod-result-missing": ofPod,
  "pod-result-torn": ofPod,
  "pod-result-doubled": { ...ofPod, ...measured },
  "pod-of-another-run": { ...ofPod, details: object({ differs: array(string()) }) },
  "pod-not-as-planned": { ...ofPod, details: object({ differs: array(string()) }) },
  "pod-ended-early": {
    subject: string("Name of the pod."),
    actual: optional(number("Exit code.")),
    details: object({ reason: string("As Kubernetes names it, such as OOMKilled.") }),
  },
  "pods-ended": {
    subject: string("Id of the run."),
    details: object({ endedAt: string(), collectedAt: string(), compared: boolean("With a plan.") }),
  },
  "pods-bounded": figures,
  "pod-cpu-limited": {
    ...measured,
    expected: optional(number("CPU cores that the load needs in each pod.")),
  },
  "no-products-to-load": {
    details: optional(object({ categories: optional(array(string())), explained: optional(literal(true)) })),
  },
  "no-category-to-load": {},
  "no-batch-field": { details: optional(object({ explained: literal(true, "By another finding.") })) },
  "probe-starved": {},
  "refused-after-waits": {},
  "threshold-waived": {
    details: object({ waived: findingSchema(crossings, "The finding of the threshold.") }),
  },
  "rate-bounded": figures,
  "users-bounded": figures,
  "share-not-judged": {
    ...limit,
    details: object({
      crossing: crossingCode,
      needed: number("Samples."),
      statistic: optional(choice(["p95", "p99", "share", "count"])),
    }),
  },
  "iterations-withheld": {},
  "failed-by-status": { details: counts },
  "requests-without-response": { details: counts },
  "no-walk-ended": {},
  "responses-sampled": { subject: string("Kind of request.") },
  "products-repeated": {},
  "polite-result": measured,
  "rate-limit-found": {
    ...measured,
    details: object({
      perSecond: number(),
      low: number(),
      high: number(),
      burst: number(),
      burstLow: optional(number()),
      burstHigh: optional(number()),
      kind: choice(["window", "bucket"]),
      windowSeconds: optional(number()),
    }),
  },
  "rate-limit-not-found": { ...measured, details: optional(object({ refusedShare: number() })) },
  "limit-behind-cache": {},
  "rate-limit-not-as-expected": expectation,
  "rate-limit-expectation-open": expectation,
  "rate-limit-as-expected": expectation,
  "waits-kept": {},
} as const satisfies FindingTable;
export type LoadCode = keyof typeof loadFindings;
