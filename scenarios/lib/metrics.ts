import { Counter, Trend } from "k6/metrics";

/**
 * Metrics in addition to k6's own. A `name` tag distinguishes kinds of request. Only the functions that add to
 * them are kept: the metrics themselves would take memory in every virtual user.
 */
export const metrics = {
  /** Responses that violated a rule, by kind of request. */
  invalidResponses: new Counter("invalid_responses").add,
  /** Right batch results with errors of the service for all items. */
  batchesUnserved: new Counter("batches_unserved").add,
  /** With the complete check, by kind of request; those that k6 counts as failed requests are `failed`. */
  completeChecks: new Counter("complete_checks").add,
  /** Without any HTTP response, by failure. What cannot have reached the target is counted as on the way. */
  requestsWithoutResponse: new Counter("requests_without_response").add,
  /** Failed requests that the service itself responded to, by status. */
  failedResponses: new Counter("failed_responses").add,
  /** A gateway responded, or the target was not reached; by kind and status. They are not failures. */
  onTheWay: new Counter("on_the_way").add,
  /** Those that were not sent again, or whose second try failed as well. */
  lostOnTheWay: new Counter("lost_on_the_way").add,
  /** 429 responses. They are not failures, and not part of any latency that has a limit. */
  refusals: new Counter("refusals").add,
  /** 429 responses that violated a rule. */
  refusalsInvalid: new Counter("refusals_invalid").add,
  /** 429 responses without a Retry-After in whole seconds. */
  refusalsMalformed: new Counter("refusals_malformed").add,
  /** The seconds in Retry-After. */
  retryAfter: new Trend("retry_after_seconds").add,
  /** Left a request with no response but 429: waits were too long or too many, or it was one of a volley. */
  abandonedIterations: new Counter("abandoned_iterations").add,
  /** Milliseconds by which an iteration started later than its schedule. */
  scheduleLag: new Trend("schedule_lag", true).add,
  /** Exceptions in iterations, which k6 itself ignores. */
  exceptions: new Counter("exceptions").add,
};
