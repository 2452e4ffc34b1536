import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
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

/** What one process recorded in one period. Counts rather than rates, so that periods and processes can be added. */
interface Period {
  readonly requests: number;
  readonly failed: number;
  readonly refused: number;
  readonly latency: Latency | undefined;
  readonly lateMilliseconds?: number | undefined;
}
interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** The periods of one process, numbered from its start. */
export interface Recording {
  /** Unix time in milliseconds. */
  readonly startedAt: number;
  readonly periods: ReadonlyMap<number, Period>;
}

/** The tag by which the dashboard splits its metrics, so that latency excludes 429 and failed responses. */
export const seriesTag = "status";

/** Maximum number of periods in a series, so that long runs do not produce larger results. */
export const mostPeriods = 600;

/** Seconds between two lines of the dashboard, in a run of `runSeconds`. */
export function seriesPeriodSeconds(runSeconds: number): number {
  return Math.max(1, Math.ceil(runSeconds / mostPeriods));
}

/** Collects the periods from the lines that the k6 dashboard recorded; undefined if it never started. */
export async function readRecording(
  lines: AsyncIterable<string>,
  periodSeconds: number,
  lateness?: Lateness,
): Promise<Recording | undefined> {
  const recorder = createRecorder(periodSeconds, lateness);
  for await (const line of lines) recorder.take(line);
  return recorder.recording();
}

/**
 * How late iterations started, in milliseconds, from the delay that was measured. The planned time of an iteration follows
 * from its number, and a dropped iteration has none, so each dropped one makes all later ones seem late by one interval.
 */
export type Lateness = (
  measured: number,
  until: { readonly started: number; readonly dropped: number },
) => number;

/** The lateness of one of the processes that share a run. Where kinds of traffic differ, the slower one explains most. */
export function latenessOf({ scenario, profile, shards }: LoadPlan): Lateness {
  const kinds = openTraffic(scenario).map((traffic) => {
    const stages = stagesOf(profile, traffic);
    const share = plannedIterations(stages) / Math.max(1, plannedOf(profile, scenario));
    return (started: number, dropped: number) => {
      const index = started * shards * share;
      return dueMilliseconds(stages, index + dropped * shards) - dueMilliseconds(stages, index);
    };
  });
  return (measured, { started, dropped }) =>
    Math.max(0, measured - Math.max(0, ...kinds.map((explained) => explained(started, dropped))));
}

/** Collects the periods of one process, line by line. */
export function createRecorder(
  periodSeconds: number,
  lateness: Lateness = (measured) => measured,
): {
  /** Whether the line ended a period. */
  take(line: string): boolean;
  recording(): Recording | undefined;
} {
  const read = createDashboardReader();
  const periods = new Map<number, Period>();
  const until = { started: 0, dropped: 0 };
  let startedAt: number | undefined;
  return {
    recording: () => (startedAt === undefined ? undefined : { startedAt, periods }),
    take(line) {
      const event = read(line);
      if (event === undefined || event.kind === "cumulative") return false;
      const [at] = event.values("time");
      if (event.kind === "start") startedAt ??= at;
      if (event.kind === "start" || startedAt === undefined || at === undefined) return false;
      until.started += event.values("iterations")[0] ?? 0;
      until.dropped += event.values("dropped_iterations")[0] ?? 0;
      const lag = event.values("schedule_lag")[trendPlaces.p95];
      const lateMilliseconds = lag === undefined ? undefined : lateness(lag, until);
      const place = Math.max(1, Math.round((at - startedAt) / (periodSeconds * 1000)));
      periods.set(place, { ...periodOf(event), lateMilliseconds });
      return true;
    },
  };
}

/** Like `readRecording`, from a file; undefined when there is none. */
export async function readRecordingFile(
  path: string,
  periodSeconds: number,
  lateness?: Lateness,
): Promise<Recording | undefined> {
  try {
    return await readRecording(createInterface({ input: createReadStream(path) }), periodSeconds, lateness);
  } catch {
    return undefined;
  }
}

function periodOf({ values }: DashboardEvent): Period {
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
  };
}

/**
 * Merges the recordings of the processes that shared a run into one series; undefined when none recorded a period. Counts
 * are added. Percentiles cannot be merged, so the highest is used, an upper bound of the true value.
 * In long runs, several periods are merged into one in the same way.
 */
export function seriesOf(recordings: readonly Recording[], recordedSeconds: number): LoadSeries | undefined {
  const start = Math.min(...recordings.map(({ startedAt }) => startedAt));
  const placed = recordings.flatMap(({ startedAt, periods }) => {
    const later = Math.round((startedAt - start) / (recordedSeconds * 1000));
    return [...periods].map(([place, period]) => ({ ...period, place: place + later }));
  });
  if (placed.length === 0) return undefined;
  const last = Math.max(...placed.map(({ place }) => place));
  const together = Math.ceil(last / mostPeriods);
  const byColumn = Map.groupBy(placed, ({ place }) => Math.ceil(place / together));
  const columns = Array.from({ length: Math.ceil(last / together) }, (_, column) => byColumn.get(column + 1));
  const each = (value: (parts: readonly PlacedPeriod[]) => number | undefined) =>
    columns.map((parts) => (parts === undefined ? null : rounded(value(parts))));
  const rate = (pick: (period: Period) => number) =>
    each((parts) => sum(parts.map(pick)) / (recordedPeriods(parts) * recordedSeconds));
  const latency = (pick: (latency: Latency) => number) =>
    each((parts) => highest(parts.flatMap(({ latency }) => (latency === undefined ? [] : [pick(latency)]))));
  return {
    periodSeconds: recordedSeconds * together,
    seconds: columns.map((_, column) => (column + 1) * recordedSeconds * together),
    requestRate: rate(({ requests }) => requests),
    failedRate: rate(({ failed }) => failed),
    refusedRate: rate(({ refused }) => refused),
    latency: {
      p50: latency(({ p50 }) => p50),
      p95: latency(({ p95 }) => p95),
      p99: latency(({ p99 }) => p99),
    },
    lateMilliseconds: each((parts) => highest(parts.flatMap(({ lateMilliseconds: late }) => late ?? []))),
  };
}

type PlacedPeriod = Period & { readonly place: number };

/** Number of different periods among the parts. */
function recordedPeriods(parts: readonly PlacedPeriod[]): number {
  return new Set(parts.map(({ place }) => place)).size;
}

function highest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Rounded to a thousandth: enough for a chart, and short in the file. */
function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 1000) / 1000;
}

/** Values of the metrics at one moment, or in one period, as the k6 dashboard records them. */
export interface DashboardEvent {
  /** `cumulative`: since the start. `snapshot`: of the period that just ended. */
  readonly kind: "start" | "cumulative" | "snapshot";
  /** Whether the metric has been defined. It may have no values in this period. */
  knows(metric: string): boolean;
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
 * for all names so far, in alphabetical order of the names. Returns undefined for a line without values.
 */
export function createDashboardReader(): (line: string) => DashboardEvent | undefined {
  const names = new Set<string>();
  let places = new Map<string, number>();
  return (line) => {
    const entry = parse(line);
    switch (entry?.event) {
      case "metric":
        for (const name of Object.keys(entry.data)) names.add(name);
        places = new Map([...names].sort().map((name, place) => [name, place]));
        return undefined;
      case "start":
      case "cumulative":
      case "snapshot": {
        if (!Array.isArray(entry.data)) return undefined;
        const values = entry.data as (number[] | undefined)[];
        const known = places;
        return {
          kind: entry.event,
          knows: (metric) => known.has(metric),
          values: (metric) => values[known.get(metric) ?? -1] ?? [],
        };
      }
      default:
        return undefined;
    }
  };
}

function parse(line: string): { event: string; data: object } | undefined {
  try {
    return JSON.parse(line) as { event: string; data: object };
  } catch {
    // Incomplete, because k6 was killed while writing it.
    return undefined;
  }
}
