import { caught, type Expectation, unproven } from "../expectation.ts";

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
  ...["limit-is-503", "limit-is-403"].map((fault) =>
    unproven(fault, "A limit that answers with another status looks like one that was not met."),
  ),
  ...caught("limits.per-organization/keys-share", ["limit-per-key"]),
  ...caught("limits.per-organization/other-untouched", ["limit-of-everybody"]),
];
