import {
  dueMilliseconds,
  openTraffic,
  plannedIterations,
  plannedOf,
  stagesOf,
} from "../../scenarios/lib/schedule.ts";
import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import type { LoadPlan } from "./plan.ts";

export type LoadSeries = NonNullable<LoadResult["series"]>;

/** Figures of a running test. */
export interface LiveFigures {
  readonly requests: number;
  readonly failedShare: number;
  readonly refused: number;
  /** Requests per second in the last period. */
  readonly rate: number;
  /** Seconds from the beginning of the load, without the setup, to the last record. */
  readonly seconds: number;
  /** When k6 recorded it, in milliseconds since 1970; 0 before the first record. */
  readonly recordedAt: number;
}

/** What k6 recorded of a run so far: read once, for the progress line and for the series of the report. */
export interface Recording {
  /** Takes a line that the k6 dashboard wrote. Returns whether it ended a period. */
  take(line: string): boolean;
  readonly now: LiveFigures;
  /** Undefined when no period was recorded. */
  series(): LoadSeries | undefined;
}

/** What was recorded in one period. */
interface Period {
  readonly requests: number;
  readonly failed: number;
  readonly refused: number;
  /** Undefined without a successful response. */
  readonly latency: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
  readonly lateMilliseconds: number | undefined;
}

/** The tag by which the dashboard splits its metrics, so that latency excludes 429 and failed responses. */
export const seriesTag = "status";

/** Number of periods of a run as long as planned, so that long runs do not produce larger results. */
export const mostPeriods = 600;

/** Seconds between two lines of the dashboard, in a run of `runSeconds`. */
export function seriesPeriodSeconds(runSeconds: number): number {
  return Math.max(1, Math.ceil(runSeconds / mostPeriods));
}

/** Requests that the setup sends before the load begins. */
const setupRequests = 1;

/** @param plan For how late iterations started. */
export function createRecording(
  plan: Pick<LoadPlan, "scenario" | "profile">,
  periodSeconds: number,
): Recording {
  const read = createReader();
  const lateness = latenessOf(plan);
  const periods = new Map<number, Period>();
  const sums = { requests: 0, failed: 0, refused: 0, started: 0, dropped: 0 };
  let startedAt: number | undefined;
  let endedAt: number | undefined;
  let beganAt: number | undefined;
  let now: LiveFigures = { requests: 0, failedShare: 0, refused: 0, rate: 0, seconds: 0, recordedAt: 0 };
  return {
    get now() {
      return now;
    },
    series: () => seriesOf(periods, periodSeconds),
    take(line) {
      const event = read(line);
      const [at] = event?.values("time") ?? [];
      if (event === undefined || at === undefined) return false;
      if (event.kind === "start") startedAt ??= at;
      if (event.kind === "start" || startedAt === undefined) return false;
      const first = (metric: string) => event.values(metric)[0] ?? 0;
      sums.started += first("iterations");
      sums.dropped += first("dropped_iterations");
      const lag = event.values("schedule_lag")[trendPlaces.p95];
      const period = periodOf(event, lag === undefined ? undefined : lateness(lag, sums));
      periods.set(Math.max(1, Math.round((at - startedAt) / (periodSeconds * 1000))), period);
      sums.requests += period.requests;
      sums.failed += period.failed;
      sums.refused += period.refused;
      const from = endedAt ?? startedAt;
      if (sums.requests > setupRequests) beganAt ??= from;
      now = {
        requests: sums.requests,
        failedShare: sums.requests === 0 ? 0 : sums.failed / sums.requests,
        refused: sums.refused,
        rate: at <= from ? now.rate : (period.requests * 1000) / (at - from),
        seconds: beganAt === undefined ? 0 : (at - beganAt) / 1000,
        recordedAt: at,
      };
      endedAt = at;
      return true;
    },
  };
}

/**
 * How late iterations started, in milliseconds, from the delay that was measured. The planned time of an iteration follows
 * from its number, and a dropped iteration has none, so each dropped one makes all later ones seem late by one interval.
 * Where kinds of traffic differ, the slower one explains most.
 */
function latenessOf({ scenario, profile }: Pick<LoadPlan, "scenario" | "profile">) {
  const kinds = openTraffic(scenario).map((traffic) => {
    const stages = stagesOf(profile, traffic);
    const share = plannedIterations(stages) / Math.max(1, plannedOf(profile, scenario));
    return (started: number, dropped: number) =>
      dueMilliseconds(stages, started * share + dropped) - dueMilliseconds(stages, started * share);
  });
  return (measured: number, { started, dropped }: { readonly started: number; readonly dropped: number }) =>
    Math.max(0, measured - Math.max(0, ...kinds.map((explained) => explained(started, dropped))));
}

function periodOf({ values }: DashboardEvent, lateMilliseconds: number | undefined): Period {
  const requests = values("http_reqs")[0] ?? 0;
  const good = values("http_req_duration{status:200}");
  const at = (place: number) => good[place] ?? 0;
  return {
    requests,
    failed: Math.round((values("http_req_failed")[0] ?? 0) * requests),
    refused: values("refusals")[0] ?? 0,
    latency:
      good.length === 0
        ? undefined
        : { p50: at(trendPlaces.med), p95: at(trendPlaces.p95), p99: at(trendPlaces.p99) },
    lateMilliseconds,
  };
}

/** The periods as columns, with null where nothing was recorded. */
function seriesOf(periods: ReadonlyMap<number, Period>, periodSeconds: number): LoadSeries | undefined {
  if (periods.size === 0) return undefined;
  const columns = Array.from({ length: Math.max(...periods.keys()) }, (_, place) => periods.get(place + 1));
  const each = (value: (period: Period) => number | undefined) =>
    columns.map((period) => rounded(period && value(period)));
  return {
    periodSeconds,
    seconds: columns.map((_, column) => (column + 1) * periodSeconds),
    requestRate: each(({ requests }) => requests / periodSeconds),
    failedRate: each(({ failed }) => failed / periodSeconds),
    refusedRate: each(({ refused }) => refused / periodSeconds),
    latency: {
      p50: each(({ latency }) => latency?.p50),
      p95: each(({ latency }) => latency?.p95),
      p99: each(({ latency }) => latency?.p99),
    },
    lateMilliseconds: each(({ lateMilliseconds }) => lateMilliseconds),
  };
}

/** Rounded to a thousandth: enough for a chart, and short in the file. */
function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 1000) / 1000;
}

/** Values of the metrics at the start, or in the period that just ended, as the k6 dashboard records them. */
interface DashboardEvent {
  readonly kind: "start" | "snapshot";
  /**
   * Values of the metric in the order of k6. A gauge has one value, a rate its share, a counter count and rate, a trend
   * avg, max, med, min, p(90), p(95), p(99). Empty without values.
   */
  values(metric: string): readonly number[];
}

/** Index of a statistic in the values of a trend. */
const trendPlaces = { med: 2, p95: 5, p99: 6 };

/**
 * Reads the lines that the k6 dashboard records, one JSON object each. A `metric` line adds names. Later lines hold values
 * for all names so far, in alphabetical order of the names. Returns undefined for a line without values of a period.
 */
function createReader(): (line: string) => DashboardEvent | undefined {
  const names = new Set<string>();
  let places = new Map<string, number>();
  return (line) => {
    const entry = parse(line);
    if (entry?.event === "metric") {
      for (const name of Object.keys(entry.data)) names.add(name);
      places = new Map([...names].sort().map((name, place) => [name, place]));
    }
    if ((entry?.event !== "start" && entry?.event !== "snapshot") || !Array.isArray(entry.data))
      return undefined;
    const { event: kind, data } = entry as { event: DashboardEvent["kind"]; data: (number[] | undefined)[] };
    return { kind, values: (metric) => data[places.get(metric) ?? -1] ?? [] };
  };
}

function parse(line: string): { event?: unknown; data: object } | undefined {
  try {
    return JSON.parse(line) as { event?: unknown; data: object };
  } catch {
    // Incomplete, because k6 was killed while writing it.
    return undefined;
  }
}
