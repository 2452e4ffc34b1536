import type { LoadResult } from "../../schemas/contracts/load-result.ts";

export type LoadSeries = NonNullable<LoadResult["series"]>;

/** Figures of a running test. */
export interface LiveFigures {
  readonly requests: number;
  readonly failed: number;
  readonly refused: number;
  /** Requests per second in the last period. */
  readonly rate: number;
  /** Seconds from the beginning of the load, without the setup, to the last record. */
  readonly seconds: number;
  /** When k6 recorded it, in milliseconds since 1970; 0 before the first record. */
  readonly recordedAt: number;
}

/** What was recorded in one period. */
interface Period {
  readonly requests: number;
  readonly failed: number;
  readonly refused: number;
  /** Values of the latency of 200 responses, by k6's order of them; empty without one. */
  readonly latency: readonly number[];
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
/** Index of a statistic in the values of a trend: avg, max, med, min, p(90), p(95), p(99). */
const trendPlaces = { p50: 2, p95: 5, p99: 6 };

/** What k6 recorded of a run so far: read once, for the progress line and for the series of the report. */
export function createRecording(periodSeconds: number) {
  const names = new Set<string>();
  let places = new Map<string, number>();
  const periods: Period[] = [];
  const sums = { requests: 0, failed: 0, refused: 0, dropped: 0 };
  let [startedAt, endedAt, beganAt]: (number | undefined)[] = [];
  let now: LiveFigures = { requests: 0, failed: 0, refused: 0, rate: 0, seconds: 0, recordedAt: 0 };
  /**
   * Takes a line that the k6 dashboard wrote, and returns whether it ended a period. A line is a JSON object: a `metric` line
   * adds names, and later ones hold values for all names so far, in their alphabetical order. A rate has its share, a counter its count and rate, a trend its statistics; nothing where nothing was measured.
   */
  const take = (line: string) => {
    const { event, data } = parse(line) ?? {};
    if (event === "metric") {
      for (const name of Object.keys(data ?? {})) names.add(name);
      places = new Map([...names].sort().map((name, place) => [name, place]));
    }
    if ((event !== "start" && event !== "snapshot") || !Array.isArray(data)) return false;
    const values = (metric: string): readonly number[] => data[places.get(metric) ?? -1] ?? [];
    const first = (metric: string) => values(metric)[0] ?? 0;
    const [at] = values("time");
    if (at === undefined) return false;
    if (event === "start") startedAt ??= at;
    if (event === "start" || startedAt === undefined) return false;
    const dropped = first("dropped_iterations");
    sums.dropped += dropped;
    const lag = values("schedule_lag")[trendPlaces.p95];
    // The planned time of an iteration follows from its number, and a dropped one has none: it makes all later ones seem late.
    const explained = (sums.dropped * periodSeconds * 1000) / Math.max(1, first("iterations") + dropped);
    const requests = first("http_reqs");
    const period: Period = {
      requests,
      failed: Math.round(first("http_req_failed") * requests),
      refused: first("refusals"),
      latency: values("http_req_duration{status:200}"),
      lateMilliseconds: lag === undefined ? undefined : Math.max(0, lag - explained),
    };
    periods[Math.max(1, Math.round((at - startedAt) / (periodSeconds * 1000))) - 1] = period;
    sums.requests += requests;
    sums.failed += period.failed;
    sums.refused += period.refused;
    const from = endedAt ?? startedAt;
    if (sums.requests > setupRequests) beganAt ??= from;
    now = {
      requests: sums.requests,
      failed: sums.failed,
      refused: sums.refused,
      rate: at <= from ? now.rate : (requests * 1000) / (at - from),
      seconds: beganAt === undefined ? 0 : (at - beganAt) / 1000,
      recordedAt: at,
    };
    endedAt = at;
    return true;
  };
  return {
    take,
    get now() {
      return now;
    },
    /** Undefined when no period was recorded. */
    series: () => seriesOf(periods, periodSeconds),
  };
}

/** The periods as columns, with null where nothing was recorded, rounded to a thousandth: enough for a chart. */
function seriesOf(periods: readonly Period[], periodSeconds: number): LoadSeries | undefined {
  if (periods.length === 0) return undefined;
  const each = (read: (period: Period) => number | undefined) =>
    Array.from(periods, (period: Period | undefined) => {
      const value = period && read(period);
      return value === undefined ? null : Math.round(value * 1000) / 1000;
    });
  return {
    periodSeconds,
    seconds: Array.from(periods, (_, column) => (column + 1) * periodSeconds),
    requestRate: each(({ requests }) => requests / periodSeconds),
    failedRate: each(({ failed }) => failed / periodSeconds),
    refusedRate: each(({ refused }) => refused / periodSeconds),
    latency: {
      p50: each(({ latency }) => latency[trendPlaces.p50]),
      p95: each(({ latency }) => latency[trendPlaces.p95]),
      p99: each(({ latency }) => latency[trendPlaces.p99]),
    },
    lateMilliseconds: each(({ lateMilliseconds }) => lateMilliseconds),
  };
}

function parse(line: string): { readonly event?: unknown; readonly data?: object } | undefined {
  try {
    return JSON.parse(line);
  } catch {
    // Incomplete, because k6 was killed while writing it.
    return undefined;
  }
}
