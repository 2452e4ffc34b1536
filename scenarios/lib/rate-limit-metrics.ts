import { Counter, Gauge, Trend } from "k6/metrics";

/** What the rate-limit scenario adds to the metrics of all scripts. Gauges that were not learned stay without samples. */
export const rateLimitMetrics = {
  /** Requests of the probe, and those let in. */
  probeRequests: new Counter("probe_requests"),
  probeAdmitted: new Counter("probe_admitted"),
  /** Estimated requests a second, with the interval. */
  limitEstimate: new Gauge("limit_estimate"),
  limitLow: new Gauge("limit_low"),
  limitHigh: new Gauge("limit_high"),
  /** Requests let in at most beyond the rate. */
  limitBurst: new Gauge("limit_burst"),
  /** Seconds of the window; 0 for a bucket. */
  limitWindow: new Gauge("limit_window_seconds"),
  /** Highest rate a second that was probed. */
  probeRate: new Gauge("probe_rate"),
  /** Single requests that came when Retry-After had passed, and those of them let in. */
  promisesTried: new Counter("probe_promises_tried"),
  promisesKept: new Counter("probe_promises_kept"),
  /** Requests of another organization during the probe, and those refused. */
  otherRequests: new Counter("probe_other_requests"),
  otherRefused: new Counter("probe_other_refused"),
  /** Requests of the polite client that were let in, and seconds that it ran. */
  politeAdmitted: new Counter("polite_admitted"),
  politeSeconds: new Gauge("polite_seconds"),
  /** Requests that the demand wanted and the pace did not send. */
  politeUnsent: new Counter("polite_unsent"),
  /** Waits kept, seconds told, waits after which the first request was refused again, milliseconds to the next admission. */
  politeWaits: new Counter("polite_waits"),
  politeWaitSeconds: new Counter("polite_wait_seconds"),
  politeRefusedAgain: new Counter("polite_refused_again"),
  politeRecovery: new Trend("polite_recovery", true),
  /** Rate that the pace came to. */
  politeRate: new Gauge("polite_rate"),
};
