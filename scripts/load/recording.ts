import { createReadStream } from "node:fs";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { jsonIn } from "../../schemas/json.ts";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import { counted, duration, grouped, percent } from "../../schemas/words/format.ts";

export type LoadSeries = NonNullable<LoadResult["series"]>;

/** Figures of a running test. */
export interface LiveFigures {
  readonly requests: number;
  readonly failed: number;
  readonly refused: number;
  /** Seconds from the beginning of the load, without the setup, to the last record. */
  readonly seconds: number;
}

/** What was recorded in one period. */
interface Period {
  /** Its number, from 0. */
  readonly place: number;
  readonly from: number;
  readonly at: number;
  readonly requests: number;
  readonly failed: number;
  readonly refused: number;
  /** On the way: a gateway responded, or the target was not reached. */
  readonly lost: number;
  /** Values of the latency of 200 responses, by k6's order of them; empty without one. */
  readonly latency: readonly number[];
}

/** The tag by which the dashboard splits its metrics, so that latency excludes 429 and failed responses. */
export const seriesTag = "status";

/** Number of periods of a run as long as planned, so that long runs do not produce larger results. */
export const mostPeriods = 600;

/** Seconds between two lines of the dashboard, in a run of `runSeconds`. */
export function seriesPeriodSeconds(runSeconds: number): number {
  return Math.max(1, Math.ceil(runSeconds / mostPeriods));
}

/** Requests that the setup sends. After a refusal or a loss there are more, and its waits count as load. */
export const setupRequests = 1;
/** Index of a statistic in the values of a trend: avg, max, med, min, p(90), p(95), p(99). */
const trendPlaces = { p50: 2, p95: 5, p99: 6 };

const sumOf = (periods: readonly Period[], count: "requests" | "failed" | "refused") =>
  periods.reduce((sum, period) => sum + period[count], 0);

/** What k6 recorded of a run so far: read once, for the progress line and for the series of the report. */
export function createRecording(periodSeconds: number) {
  const names = new Set<string>();
  let startedAt: number | undefined;
  const periods: Period[] = [];
  /**
   * Takes a line of the k6 dashboard and returns whether it ended a period. A `metric` line adds names, later
   * ones hold values for all names so far, in alphabetical order: a rate's share, a counter's count and rate,
   * a trend's statistics; nothing where nothing was measured.
   */
  const take = (line: string): boolean => {
    // None in a line that is incomplete, because k6 was killed while writing it.
    const { event, data } = (jsonIn(line) ?? {}) as { event?: unknown; data?: object };
    if (event === "metric") for (const name of Object.keys(data ?? {})) names.add(name);
    if ((event !== "start" && event !== "snapshot") || !Array.isArray(data)) return false;
    const order = [...names].sort();
    const values = (metric: string): readonly number[] => data[order.indexOf(metric)] ?? [];
    const first = (metric: string) => values(metric)[0] ?? 0;
    const at = first("time");
    if (event === "start") startedAt ??= at;
    if (event === "start" || startedAt === undefined || at === 0) return false;
    const requests = first("http_reqs");
    const lostOnTheWay = first("on_the_way");
    periods.push({
      place: Math.max(1, Math.round((at - startedAt) / (periodSeconds * 1000))) - 1,
      from: periods.at(-1)?.at ?? startedAt,
      at,
      requests,
      // k6 counts what was lost at a gateway, and sent again, as failed.
      failed: Math.max(0, Math.round(first("http_req_failed") * requests) - lostOnTheWay),
      refused: first("refusals"),
      lost: lostOnTheWay,
      latency: values("http_req_duration{status:200}"),
    });
    return true;
  };
  return {
    take,
    get now(): LiveFigures {
      const { at = 0 } = periods.at(-1) ?? {};
      let sent = 0;
      const began = periods.find((period) => {
        sent += period.requests;
        return sent > setupRequests;
      });
      const seconds = began === undefined ? 0 : (at - began.from) / 1000;
      return {
        requests: sumOf(periods, "requests"),
        failed: sumOf(periods, "failed"),
        refused: sumOf(periods, "refused"),
        seconds,
      };
    },
    /** Undefined when no period was recorded. */
    series: () => (periods.length === 0 ? undefined : seriesOf(periods, periodSeconds)),
  };
}

/** Periods as columns, null where nothing was recorded, rounded to a thousandth: enough for a chart. */
function seriesOf(periods: readonly Period[], periodSeconds: number): LoadSeries {
  const rows: Period[] = [];
  for (const period of periods) rows[period.place] = period;
  const each = (read: (period: Period) => number | undefined) =>
    Array.from(rows, (period: Period | undefined) => {
      const value = period && read(period);
      return value === undefined ? null : Math.round(value * 1000) / 1000;
    });
  return {
    periodSeconds,
    seconds: Array.from(rows, (_, column) => (column + 1) * periodSeconds),
    requestRate: each(({ requests, lost }) => Math.max(0, requests - lost) / periodSeconds),
    failedRate: each(({ failed }) => failed / periodSeconds),
    refusedRate: each(({ refused }) => refused / periodSeconds),
    latency: {
      p50: each(({ latency }) => latency[trendPlaces.p50]),
      p95: each(({ latency }) => latency[trendPlaces.p95]),
      p99: each(({ latency }) => latency[trendPlaces.p99]),
    },
  };
}

/** Calls `take` with each line appended to a file, also with the last ones when it is stopped. */
export function followLines(path: string, take: (line: string) => void): { stop(): Promise<void> } {
  let position = 0;
  let rest = "";
  const read = async () => {
    try {
      for await (const part of createReadStream(path, { start: position })) {
        position += part.length;
        const lines = (rest + part).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) take(line);
      }
    } catch {
      // There is no file yet, or none any more. Without progress the run continues.
    }
  };
  let reading = Promise.resolve();
  const readOn = () => (reading = reading.then(read));
  const timer = setInterval(readOn, 1000);
  return {
    stop() {
      clearInterval(timer);
      return readOn();
    },
  };
}

/**
 * The progress line of a running test.
 * @param end Undefined for a run of unknown length; `isMost` if it may end earlier.
 */
export function renderProgress(
  scenario: string,
  { requests, failed, refused, seconds }: LiveFigures,
  end: { readonly seconds: number; readonly isMost?: boolean } | undefined,
): string {
  const left = end && Math.ceil(end.seconds - seconds);
  const parts = [
    `${scenarioLabel(scenario)}: ${counted(requests, "request")}`,
    `${failed === 0 ? "none" : percent(failed / requests)} failed`,
    `429 responses: ${refused === 0 ? "none" : grouped(refused)}`,
  ];
  if (left === undefined) parts.push(`${duration(seconds)} so far`);
  else if (left > 0) parts.push(`${end?.isMost ? "at most " : ""}${duration(left)} left`);
  else parts.push("waiting for k6 to end");
  return parts.join(", ");
}
