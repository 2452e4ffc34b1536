import { Counter, Rate, Trend } from "k6/metrics";

/** Metrics in addition to k6's own. A `name` tag distinguishes kinds of request. */
export const metrics = {
  /** Virtual users that have checked a response, by kind of request. */
  checksBegun: new Counter("checks_begun"),
  /** Share of the checked responses that violated a rule, by kind of request. */
  answersInvalid: new Rate("answers_invalid"),
  /** Requests without any HTTP response: connection refused, reset or timed out. */
  unanswered: new Counter("unanswered"),
  /** 429 responses. They are not failures, and not part of any latency that has a limit. */
  refusals: new Counter("refusals"),
  /** 429 responses without a Retry-After in whole seconds. */
  refusalsMalformed: new Counter("refusals_malformed"),
  /** The seconds in Retry-After. */
  retryAfter: new Trend("retry_after_seconds"),
  /** Iterations that ended without any response but 429, because a wait was too long or there were too many. */
  withheld: new Counter("withheld"),
  /** Milliseconds by which an iteration started later than its schedule. */
  scheduleLag: new Trend("schedule_lag", true),
  /** Exceptions in iterations, which k6 itself ignores. */
  exceptions: new Counter("exceptions"),
};
