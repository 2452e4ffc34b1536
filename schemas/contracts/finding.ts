import {
  array,
  choice,
  count,
  mapOf,
  named,
  object,
  optional,
  type Static,
  string,
  unknown,
} from "./schema.ts";

export const endpointId = choice(
  ["retailers", "lookup-by-id", "lookup-by-url", "lookup-by-gtin", "category-page", "batch", "other"],
  "As in schemas/api.ts; `other` is a request to anything else.",
);

/** Failures of the target. */
export const failureCodes = [
  "wrong-status",
  "not-json",
  "not-utf8",
  "missing-header",
  "wrong-header",
  "error-in-success",
  "error-code-mismatch",
  "missing-field",
  "null-value",
  "empty-string",
  "wrong-type",
  "wrong-format",
  "wrong-count",
  "counters-disagree",
  "page-over-limit",
  "other-product",
  "wrapped-product",
  "name-for-slug",
  "not-granted",
  "item-not-sent",
  "item-missing",
  "item-repeated",
  "item-unexpected",
  "no-found-list",
  "retailer-not-listed",
  "listed-retailer-refused",
  "write-accepted",
  "differs-between-ways",
  "status-differs",
  "shown-by-one-only",
  "paging-never-ends",
  "cursor-rejected",
  "refused-after-wait",
  "limit-shared",
  "limit-per-key",
  "limit-per-header",
  "closed-on-input",
  "false-not-found",
  "retailer-of-other-organization",
] as const;
export type FailureCode = (typeof failureCodes)[number];

/** Which of several allowed readings was seen, and how much was checked. */
export const readingCodes = [
  "answered",
  "checked",
  "judged-elsewhere",
  "item-reported",
  "walk-ended",
  "limit-reached",
  "accepted-after-wait",
  "limit-tally",
] as const;
export type ReadingCode = (typeof readingCodes)[number];

/** Why something was not judged, and notices about a run. */
export const notJudgedCodes = [
  "no-response-exercised",
  "status-not-seen",
  "control-failed",
  "target-stopped",
  "target-unavailable",
  "endpoint-silent",
  "requests-lost",
  "no-answer",
  "still-rate-limited",
  "wait-too-long",
  "upstream-failing",
  "budget-spent",
  "product-gone",
  "access-changed",
  "not-reached",
  "avoided",
  "lost-on-the-way",
  "failed-at-times",
  "answered-on-the-way",
  "limited-on-the-way",
  "certificate-unchecked",
  "certificate-ends",
  "harness-error",
  "limit-not-reached",
  "limit-unclear",
  "limit-not-shown",
  "key-not-cut",
  "no-wait-given",
] as const;
export type NotJudgedCode = (typeof notJudgedCodes)[number];

/** What a check needs and discovery did not find. */
export const missingFixtureCodes = [
  "no-category",
  "category-shows-nothing",
  "category-not-browsable",
  "no-product",
  "nothing-found-by",
  "no-product-with",
  "no-retailer",
  "no-same-org-key",
  "no-other-org-key",
  "key-refused",
  "key-role-unclear",
  "key-lists-differ",
  "no-foreign-retailer",
  "no-foreign-product",
  "no-own-product",
  "batch-not-understood",
  "category-too-long",
  "no-cursor",
  "no-unused-gtin",
  "no-retailer-without-gtin",
] as const;
export type MissingFixtureCode = (typeof missingFixtureCodes)[number];

/** What a check, a rule or discovery finds. */
export const conformanceCodes = [
  ...failureCodes,
  ...readingCodes,
  ...notJudgedCodes,
  ...missingFixtureCodes,
] as const;
export type ConformanceCode = (typeof conformanceCodes)[number];

/** What a load run finds: first failures of the target, then its limits, then why a run is invalid, then notes. */
export const loadCodes = [
  "latency-over-limit",
  "failed-requests",
  "invalid-responses",
  "undecodable-body",
  "retry-after-malformed",
  "cursor-repeated",
  "other-organization-refused",
  "slower-than-recorded",
  "rate-limit-reached",
  "slower-than-planned",
  "gave-way",
  "held-up-to",
  "target-gone-under-load",
  "response-too-big",
  "load-interrupted",
  "too-few-virtual-users",
  "iterations-dropped",
  "iterations-late",
  "generator-cpu",
  "generator-memory",
  "script-exceptions",
  "no-samples",
  "nothing-checked",
  "endpoint-not-asked",
  "no-answer-before-load",
  "status-before-load",
  "key-rejected-before-load",
  "not-the-service",
  "shards-missing",
  "k6-exit",
  "k6-killed",
  "k6-memory",
  "k6-silent",
  "k6-overdue",
  "no-summary",
  "summary-unreadable",
  "pod-result-missing",
  "pod-result-torn",
  "pod-result-doubled",
  "pod-of-another-run",
  "no-products-to-load",
  "no-category-to-load",
  "no-batch-field",
  "probe-starved",
  "refused-after-waits",
  "threshold-waived",
  "rate-bounded",
  "users-bounded",
  "share-not-judged",
  "iterations-withheld",
  "failed-by-status",
  "requests-without-response",
  "no-walk-ended",
  "responses-sampled",
  "products-repeated",
  "polite-result",
  "rate-limit-found",
  "rate-limit-not-found",
  "waits-kept",
] as const;
export type LoadCode = (typeof loadCodes)[number];
export const loadCode = named("LoadCode", choice(loadCodes));

/** What a comparison with earlier runs finds: first latency, then what decided a whole comparison, then notes. */
export const comparisonCodes = [
  "latency-slower",
  "latency-faster",
  "latency-same",
  "latency-undecided",
  "latency-too-few-samples",
  "latency-not-judged",
  "latency-too-few-runs",
  "latency-not-measured",
  "runs-differ",
  "newly-failing",
  "failing-not-judged-before",
  "no-longer-judged",
  "breaking-drift",
  "threshold-newly-crossed",
  "threshold-crossed-not-judged-before",
  "load-no-longer-measured",
  "nothing-to-compare",
  "runs-in-sequence",
  "compared-although-different",
  "scenario-not-in-every-run",
  "other-target",
  "other-key",
  "run-not-complete",
] as const;
export type ComparisonCode = (typeof comparisonCodes)[number];

const findingCode = named(
  "FindingCode",
  choice(
    [...conformanceCodes, ...loadCodes, ...comparisonCodes, "recorded"],
    "What kind of fact it is. schemas/words/ has one entry for each, which makes the sentence.",
  ),
);

export const condition = named(
  "Condition",
  choice(
    [
      "good-key",
      "known-retailers",
      "no-key",
      "invalid-key",
      "both-headers",
      "either-header",
      "second-key",
      "other-organization",
      "retailer-not-granted",
      "unknown-retailer",
      "known-product",
      "unknown-product",
      "known-url",
      "unknown-url",
      "unknown-site",
      "known-gtin",
      "unknown-gtin",
      "known-gtin-scoped",
      "gtin-of-other-retailer",
      "known-category",
      "unknown-category",
      "parameters",
      "known-items",
      "duplicate-item",
      "unknown-item",
      "only-unknown-items",
      "batch-size",
      "malformed-batch",
      "incomplete-item",
      "every-batch-form",
      "unknown-path",
      "burst",
      "base-address",
      "hostile-input",
      "at-once",
      "after-refusal",
      "in-turn",
    ],
    "What was special about a request. schemas/words/requests.ts has the words.",
  ),
);
export type Condition = Static<typeof condition>;

export const finding = named(
  "Finding",
  object(
    {
      code: findingCode,
      endpoint: optional(endpointId),
      condition: optional(condition),
      path: optional(string("JSON Pointer into the body of the response, such as `/products/9/mpn`.")),
      product: optional(
        object(
          {
            retailer: string(),
            productId: string(),
          },
          "The product concerned.",
        ),
      ),
      subject: optional(
        string(
          "What the code is about, where it needs one more name: a field, a category, a retailer, a metric.",
        ),
      ),
      expected: optional(
        unknown(
          "What the spec, the profile or the baseline requires: a value, a list of allowed values, or a limit.",
        ),
      ),
      actual: optional(
        unknown(
          "What was seen instead: the value itself when it is small, otherwise its `type` and `size`. Omitted when there was nothing.",
        ),
      ),
      unit: optional(
        choice(
          ["ms", "s", "requests/s", "share", "count", "bytes"],
          "Unit of expected and actual where they are measured.",
        ),
      ),
      seen: optional(
        object(
          {
            count: count(),
            total: optional(count()),
            of: choice([
              "responses",
              "requests",
              "products",
              "items",
              "pages",
              "attempts",
              "iterations",
              "samples",
              "lines",
            ]),
          },
          "How often, out of how many.",
        ),
      ),
      byRetailer: optional(
        array(
          object({
            retailer: string(),
            count: count(),
            total: count(),
          }),
          "Where it was seen: the affected products of each retailer, out of those checked.",
        ),
      ),
      byEndpoint: optional(
        array(
          object({
            endpoint: endpointId,
            count: count(),
            total: count(),
          }),
          "As byRetailer: the responses of each endpoint.",
        ),
      ),
      exchange: optional(count("Index in the evidence of the exchange that shows it.")),
      comparedWith: optional(count("Index in the evidence of the exchange that it was compared with.")),
      comparedPath: optional(string("JSON Pointer to the same value there, if it differs from `path`.")),
      details: optional(mapOf(unknown(), "More values that the sentence of this code needs.")),
    },
    "One fact, as data: what was expected, what was seen, where, how often. The sentence that a person reads is made from it in schemas/words/ and nowhere else; no decision reads a sentence.",
  ),
);
export type Finding = Static<typeof finding>;
