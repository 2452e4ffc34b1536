import { caught, type Expectation } from "../expectation.ts";

/** Faults in the rate limit. */
export const limitExpectations: readonly Expectation[] = [
  ...caught("errors.retry-after/every-refusal", [
    "retry-after-missing",
    "retry-after-in-body-only",
    "retry-after-http-date",
    "retry-after-fraction",
    "retry-after-negative",
    "retry-after-with-unit",
  ]),
  ...caught("limits.honest-wait/let-in-again", ["retry-after-too-short"]),
  ...caught("limits.rate/burst", ["limit-is-403"]),
  ...caught("limits.rate/burst", ["limit-is-503"], {
    "errors.rate-limited": "the code rate_limited belongs to another status",
  }),
  ...caught("limits.per-organization/keys-share", ["limit-per-key"]),
  ...caught("limits.per-organization/other-untouched", ["limit-of-everybody"]),
];
