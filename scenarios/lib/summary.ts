import { type RequestKindId, requestKindIds } from "../../schemas/scenarios.ts";
import {
  expressionOf,
  failuresMetric,
  type JudgedLimit,
  measuredOf,
  onTheWayMetric,
  refusalsMetric,
} from "./thresholds.ts";

/** Statistics of a trend that a summary shows. */
export const shownStatistics = [
  "count",
  "min",
  "avg",
  "med",
  "p(90)",
  "p(95)",
  "p(99)",
  "p(99.9)",
  "max",
] as const;

/** Slices are no further apart than this, in percent of the samples. */
const widest = 0.2;
/** Towards the slowest samples they get closer: this share of what remains above. */
const closer = 0.01;
/** Above this percentile only the maximum follows. */
const lastSlice = 99.99;

/**
 * The percentiles (0 to 100) that a summary records of each latency. Above the 80th they are a hundredth of
 * the remaining samples apart, so that of up to ten thousand samples the slowest hundred can be rebuilt one
 * by one, and of more the neighbours in a long tail differ by about 1 %. k6 keeps all samples and sorts them
 * at the end, so this costs nothing per request. A function, because virtual users do not need it.
 */
export function slices(): number[] {
  const places = [0];
  for (let at = 0; at < lastSlice; places.push(at)) at += Math.min(widest, (100 - at) * closer);
  return [...places, 100];
}

/** k6's name for the statistic of a slice. */
function statisticOf(at: number): string {
  return `p(${Number(at.toFixed(6))})`;
}

/** All statistics that k6 computes for each trend. */
export function trendStatistics(): string[] {
  return [...new Set([...shownStatistics, ...slices().map(statisticOf)])];
}

/** The used parts of what k6 passes to handleSummary. */
export interface SummaryData {
  readonly state: { readonly testRunDurationMs: number };
  readonly metrics: Readonly<Record<string, SummaryMetric>>;
}
interface SummaryMetric {
  readonly type: string;
  readonly contains: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Facts about the run in the summary. */
export interface RunFacts {
  readonly scenario: string;
  readonly profile: string;
  readonly seed: number;
  readonly plannedIterations: number;
}

/** The summary that a script writes and the runner reads. */
export type RunSummary = ReturnType<typeof summarize> & { readonly thresholds: readonly JudgedLimit[] };

/** The summary of a run, but for its limits. */
export function summarize(data: SummaryData, facts: RunFacts) {
  // Parts of what is shown, and sizes.
  const unshown =
    /^(http_req_(blocked|connecting|tls_handshaking|sending|waiting|receiving)|(iteration|group)_duration|data_|vus|checks)/;
  const names = slices().map(statisticOf);
  const shown: ReadonlySet<string> = new Set(shownStatistics);
  const metrics: Record<string, Record<string, number>> = {};
  const distributions: Record<string, { count: number; slices: number[] }> = {};
  for (const [metric, { type, values }] of Object.entries(data.metrics)) {
    if (unshown.test(metric)) continue;
    metrics[metric] = Object.fromEntries(
      Object.entries(values).filter(([statistic]) => type !== "trend" || shown.has(statistic)),
    );
    if (type === "trend" && (values.count ?? 0) > 0) {
      distributions[metric] = { count: values.count ?? 0, slices: names.map((name) => values[name] ?? 0) };
    }
  }
  for (const request of requestKindIds) {
    excludeLostAndRefused(metrics, request);
    addChecked(metrics, request);
  }
  return {
    ...facts,
    durationMilliseconds: data.state.testRunDurationMs,
    metrics,
    /** The distribution of each trend by metric: one value for each of `slices()`. */
    distributions,
  };
}

/** Leaves the requests that the service served or failed: none lost on the way, and none refused with 429. */
function excludeLostAndRefused(
  metrics: Record<string, Record<string, number>>,
  request: RequestKindId,
): void {
  const metric = `http_req_failed{name:${request}}`;
  const { passes, fails } = metrics[metric] ?? {};
  if (passes === undefined || fails === undefined) return;
  const failed = Math.max(0, passes - (metrics[onTheWayMetric(request)]?.count ?? 0));
  const served = Math.max(0, fails - (metrics[refusalsMetric(request)]?.count ?? 0));
  metrics[metric] = { rate: failed / Math.max(1, failed + served), passes: failed, fails: served };
}

/**
 * How many responses of a kind were checked, and the share that violated a rule. Every one that arrived is
 * checked; only invalid ones, those of failed requests and 429s are counted.
 */
function addChecked(metrics: Record<string, Record<string, number>>, request: RequestKindId): void {
  const tag = `{name:${request}}`;
  const { fails } = metrics[`http_req_failed${tag}`] ?? {};
  if (fails === undefined) return;
  const counted = (name: string) => metrics[name]?.count ?? 0;
  const passes = counted(`invalid_responses${tag}`);
  // Of the 429s, only invalid ones count.
  const count = fails + counted(failuresMetric(request)) + counted(`refusals_invalid${tag}`);
  metrics[`checked_responses${tag}`] = { count };
  metrics[`invalid_responses${tag}`] = {
    rate: count === 0 ? 0 : passes / count,
    passes,
    fails: count - passes,
  };
}

/** Time of the load alone: k6's own has those of the setup and the teardown, which may wait for a minute. */
export function loadSeconds({ metrics, durationMilliseconds }: RunSummary): number {
  const [from = 0, until = from + durationMilliseconds] = [metrics.load_began?.min, metrics.load_ended?.max];
  return (until - from) / 1000;
}

/** The summary in words, for a run with plain k6. */
export function renderSummary({ scenario, profile, thresholds, metrics }: RunSummary): string {
  const crossed = thresholds.filter(({ met }) => !met).length;
  const lines = thresholds.map((limit) => {
    const value = measuredOf(limit, metrics);
    const measured = value === undefined ? "" : `  (${round(value)})`;
    return `  ${limit.met ? "passed " : "CROSSED"}  ${limit.metric}  ${expressionOf(limit)}${measured}`;
  });
  const verdict =
    crossed === 0 ? "every threshold passed" : `${crossed} of ${thresholds.length} thresholds crossed`;
  return `\n${scenario}, profile ${profile}: ${verdict}\n${lines.join("\n")}\n${renderLatency(metrics)}`;
}

/** Percentiles of all requests and of each kind, in milliseconds. */
function renderLatency(metrics: RunSummary["metrics"]): string {
  const kinds = Object.entries(metrics).filter(
    ([metric, { count = 0 }]) =>
      /^http_req_duration(\{name:[\w-]+(,status:\d+)?\})?$/.test(metric) && count > 0,
  );
  const lines = kinds.map(([metric, values]) => {
    const shown = ["med", "p(95)", "p(99)"].map((name) => `${name} ${round(values[name] ?? 0)} ms`);
    return `  ${metric}: ${shown.join(", ")} of ${values.count}`;
  });
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

export function countOf({ metrics }: RunSummary, metric: string): number {
  return metrics[metric]?.count ?? 0;
}
