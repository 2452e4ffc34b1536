import type { PodSeries } from "./pod-result.ts";
import { periodPrefix, type SummaryData } from "./summary.ts";

/** A small number, because each virtual user has its own metrics for each period. */
export const periods = 30;

/** Name of the metric that counts one kind of outcome in a period, or has its latency. */
export function periodMetric(period: number, of: "requests" | "failed" | "refused" | "latency"): string {
  return `${periodPrefix}${period}_${of}`;
}

/** Length of a period in a run of `runSeconds`. */
export function podPeriodSeconds(runSeconds: number): number {
  return Math.max(1, Math.ceil(runSeconds / periods));
}

/** The series of a pod, from the data of handleSummary; undefined if nothing was recorded. */
export function podSeries({ metrics }: SummaryData, runSeconds: number): PodSeries | undefined {
  const count = (name: string) => metrics[name]?.values.count ?? 0;
  const recorded = Array.from({ length: periods }, (_, period) => period);
  const filled = recorded.filter((period) => count(periodMetric(period, "requests")) > 0);
  if (filled.length === 0) return undefined;
  const until = recorded.slice(0, Math.max(...filled) + 1);
  const latency = (statistic: string) =>
    until.map((period) => {
      const value = metrics[periodMetric(period, "latency")]?.values[statistic];
      return value === undefined ? null : Math.round(value * 1000) / 1000;
    });
  return {
    periodSeconds: podPeriodSeconds(runSeconds),
    requests: until.map((period) => count(periodMetric(period, "requests"))),
    failed: until.map((period) => count(periodMetric(period, "failed"))),
    refused: until.map((period) => count(periodMetric(period, "refused"))),
    p50: latency("med"),
    p95: latency("p(95)"),
    p99: latency("p(99)"),
  };
}
