import type { FindingIn, FindingTable } from "./finding-fields.ts";
import * as t from "./schema.ts";

// What a load run finds: the fields of each code. schemas/words/load.ts has the sentences.

const counts = t.mapOf(t.number());
/** A measured value and its limit; the subject is the kind of request, where the limit is for one. */
const limit = {
  subject: t.optional(t.string()),
  expected: t.optional(t.number()),
  actual: t.optional(t.number()),
  details: t.optional(
    t.object({
      statistic: t.optional(t.choice(["p95", "p99", "share", "count"])),
      virtualUsers: t.optional(t.number()),
      lateMilliseconds: t.optional(t.number("By how much this machine was late, which may be the reason.")),
    }),
  ),
};
const figures = { expected: t.number(), actual: t.number() };
const measured = { actual: t.number() };
/** An expected value of the rate limit, and the interval that was measured. */
const expectation = {
  expected: t.number(),
  details: t.object({
    of: t.choice(["perSecond", "burst"]),
    low: t.optional(t.number()),
    high: t.optional(t.number()),
  }),
};
const ofPod = { subject: t.string("Segment of the pod.") };
const ofPath = { subject: t.string("Path of the request.") };

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

/** Failures of the target, then its limits, then why a run is invalid, then notes. */
export const loadFindings = {
  ...crossings,
  "undecodable-body": { subject: t.optional(t.string("Path of the request before the load.")) },
  "rate-limit-reached": figures,
  "slower-than-planned": figures,
  "capacity-reached": {
    subject: t.optional(t.string("What was above its limit.")),
    ...measured,
    details: t.optional(t.object({ limit: t.number(), limitUnit: t.choice(["ms", "share"]) })),
  },
  "capacity-not-reached": measured,
  "target-gone-under-load": { actual: t.optional(t.number()) },
  "response-too-big": { subject: t.optional(t.string()), ...measured },
  "load-interrupted": {},
  "too-few-virtual-users": { ...figures, details: t.object({ rate: t.number(), milliseconds: t.number() }) },
  "generator-cpu": measured,
  "generator-memory": measured,
  "search-on-busy-machine": measured,
  "search-figures-lost": {},
  "foreign-response": {
    subject: t.string("Kind of request."),
    expected: t.optional(t.unknown("What belongs to the key of the request.")),
    actual: t.optional(t.unknown()),
    details: t.object({
      what: t.choice(["retailer", "list", "product", "item", "counter", "limit", "request-id", "refusal"]),
    }),
  },
  "tenants-kept-apart": {},
  "no-tenants-to-load": {},
  "endpoint-not-asked": { subject: t.string("Kind of request.") },
  "no-answer-before-load": { ...ofPath, details: t.optional(t.object({ error: t.string() })) },
  "status-before-load": { ...ofPath, ...measured },
  "key-rejected-before-load": {
    ...ofPath,
    ...measured,
    details: t.optional(
      t.object({ acceptedIn: t.string("The other header, in which the key is accepted.") }),
    ),
  },
  "not-the-service": { ...ofPath, ...measured, details: t.optional(t.object({ location: t.string() })) },
  "shards-missing": {},
  "k6-exit": { actual: t.optional(t.number()) },
  "k6-killed": {
    subject: t.string("The signal."),
    actual: t.optional(t.number()),
    expected: t.optional(t.number()),
  },
  "k6-memory": { ...figures, details: t.object({ seconds: t.number() }) },
  "k6-silent": measured,
  "k6-overdue": figures,
  "no-summary": { actual: t.optional(t.number()) },
  "summary-unreadable": {},
  "pod-result-missing": ofPod,
  "pod-result-torn": ofPod,
  "pod-result-doubled": { ...ofPod, ...measured },
  "pod-of-another-run": { ...ofPod, details: t.object({ differs: t.array(t.string()) }) },
  "pod-not-as-planned": { ...ofPod, details: t.object({ differs: t.array(t.string()) }) },
  "pods-ended": {
    subject: t.string("Id of the run."),
    details: t.object({ endedAt: t.string(), collectedAt: t.string(), compared: t.boolean("With a plan.") }),
  },
  "no-products-to-load": {
    details: t.optional(
      t.object({ categories: t.optional(t.array(t.string())), explained: t.optional(t.literal(true)) }),
    ),
  },
  "no-category-to-load": {},
  "no-batch-field": { details: t.optional(t.object({ explained: t.literal(true, "By another finding.") })) },
  "probe-starved": {
    details: t.object({
      heldBack: t.number("Requests that were not sent, because too many others were waiting for a response."),
      unanswered: t.number("Requests that got no response that a limit decides."),
    }),
  },
  "refused-after-waits": {
    details: t.optional(
      t.object({ cached: t.number("Waits after which only a cache refused the request.") }),
    ),
  },
  "threshold-waived": {
    details: t.object({ waived: t.custom<CrossingFinding>({}) }),
  },
  "rate-bounded": figures,
  "users-bounded": figures,
  "share-not-judged": {
    ...limit,
    details: t.object({
      crossing: t.custom<CrossingCode>({}),
      needed: t.number("Samples."),
      statistic: t.optional(t.choice(["p95", "p99", "share", "count"])),
    }),
  },
  "iterations-withheld": {},
  "failed-by-status": { details: counts },
  "requests-without-response": { details: counts },
  "no-walk-ended": {},
  "responses-unchecked": {},
  "products-repeated": {},
  "polite-result": measured,
  "rate-limit-found": {
    ...measured,
    details: t.object({
      perSecond: t.number(),
      low: t.number(),
      high: t.number(),
      burst: t.number(),
      burstLow: t.optional(t.number()),
      burstHigh: t.optional(t.number()),
      kind: t.choice(["window", "bucket"]),
      windowSeconds: t.optional(t.number()),
    }),
  },
  "rate-limit-not-found": { ...measured, details: t.optional(t.object({ refusedShare: t.number() })) },
  "limit-behind-cache": {},
  "rate-limit-not-as-expected": expectation,
  "rate-limit-expectation-open": expectation,
  "rate-limit-as-expected": expectation,
  "waits-kept": {},
} as const satisfies FindingTable;
export type LoadCode = keyof typeof loadFindings;
