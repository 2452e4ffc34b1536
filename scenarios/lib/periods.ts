import exec from "k6/execution";
import { Counter, Trend } from "k6/metrics";
import { periodMetric, periods, podPeriodSeconds } from "./pod-series.ts";

/** Records the outcomes of the requests of one virtual user by period. */
export interface PeriodRecorder {
  record(status: number, failed: boolean, milliseconds: number): void;
}

/**
 * k6 gives a script no time series, and the file of its dashboard stays in the pod, so a run whose pods print their results
 * counts by period itself. Must be called in the init context, where k6 allows new metrics.
 */
export function createPeriods(runSeconds: number): PeriodRecorder {
  const milliseconds = podPeriodSeconds(runSeconds) * 1000;
  const metrics = Array.from({ length: periods }, (_, period) => ({
    requests: new Counter(periodMetric(period, "requests")),
    failed: new Counter(periodMetric(period, "failed")),
    refused: new Counter(periodMetric(period, "refused")),
    latency: new Trend(periodMetric(period, "latency"), true),
  }));
  let startedAt: number | undefined;
  return {
    record(status, failed, duration) {
      startedAt ??= exec.scenario.startTime;
      const period = metrics[Math.min(periods - 1, Math.floor((Date.now() - startedAt) / milliseconds))];
      if (period === undefined) return;
      period.requests.add(1);
      if (failed) period.failed.add(1);
      if (status === 429) period.refused.add(1);
      if (status === 200) period.latency.add(duration);
    },
  };
}
