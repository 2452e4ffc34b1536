import exec from "k6/execution";
import { Counter, Trend } from "k6/metrics";
import type { PodSeries } from "./pod-result.ts";
import { periodPrefix, type SummaryData } from "./summary.ts";

/** A small number, because each virtual user has its own metrics for each period. */
const periods = 30;

const names = {
  requests: (period: number) => `${periodPrefix}${period}_requests`,
  failed: (period: number) => `${periodPrefix}${period}_failed`,
  refused: (period: number) => `${periodPrefix}${period}_refused`,
  latency: (period: number) => `${periodPrefix}${period}_latency`,
};

/** Length of a period in a run of `runSeconds`. */
function podPeriodSeconds(runSeconds: number): number {
  return Math.max(1, Math.ceil(runSeconds / periods));
}

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
    requests: new Counter(names.requests(period)),
    failed: new Counter(names.failed(period)),
    refused: new Counter(names.refused(period)),
    latency: new Trend(names.latency(period), true),
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

/** The series of a pod, from the data of handleSummary; undefined if nothing was recorded. */
export function podSeries({ metrics }: SummaryData, runSeconds: number): PodSeries | undefined {
  const count = (name: string) => metrics[name]?.values.count ?? 0;
  const recorded = Array.from({ length: periods }, (_, period) => period);
  const filled = recorded.filter((period) => count(names.requests(period)) > 0);
  if (filled.length === 0) return undefined;
  const until = recorded.slice(0, Math.max(...filled) + 1);
  const latency = (statistic: string) =>
    until.map((period) => {
      const value = metrics[names.latency(period)]?.values[statistic];
      return value === undefined ? null : Math.round(value * 1000) / 1000;
    });
  return {
    periodSeconds: podPeriodSeconds(runSeconds),
    requests: until.map((period) => count(names.requests(period))),
    failed: until.map((period) => count(names.failed(period))),
    refused: until.map((period) => count(names.refused(period))),
    p50: latency("med"),
    p95: latency("p(95)"),
    p99: latency("p(99)"),
  };
}
