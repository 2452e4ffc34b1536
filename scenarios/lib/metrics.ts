import { Counter, Rate, Trend } from "k6/metrics";

/** Our metrics beside k6's own. Those with a `name` tag are cut by endpoint. */
export const metrics = {
  /** Virtual users that have checked a response, by kind of request. */
  checksBegun: new Counter("checks_begun"),
  /** Share of the checked responses that broke a rule, by kind of request. */
  answersInvalid: new Rate("answers_invalid"),
  /** Requests without any HTTP response: connection refused, reset or timed out. */
  unanswered: new Counter("unanswered"),
  /** Responses 429. They are no failures, and in no latency that has a limit. */
  refusals: new Counter("refusals"),
  /** Of those, without a Retry-After of whole seconds. */
  refusalsMalformed: new Counter("refusals_malformed"),
  /** Seconds that Retry-After asked for. */
  retryAfter: new Trend("retry_after_seconds"),
  /** Iterations that ended without an answer, because a wait that a 429 asked for was too long or came too often. */
  withheld: new Counter("withheld"),
  /** Milliseconds by which an iteration started later than its schedule. */
  scheduleLag: new Trend("schedule_lag", true),
  /** Exceptions in iterations: k6 itself lets them pass. */
  exceptions: new Counter("exceptions"),
};
