import type { LoadResult } from "../../schemas/contracts/load-result.ts";
import { requestLabel, scenarioLabel } from "../../schemas/scenarios.ts";
import { loadVerdictLabels } from "../../schemas/verdicts.ts";
import { change, counted, grouped, milliseconds } from "../../schemas/words/format.ts";
import type { LatencyTrend, NamedRun, Trend, TrendRun } from "../runs/compare/trend.ts";
import { columnLabel, type NamedColumn, runColumns } from "./run-names.ts";
import type { Tone } from "./tones.ts";

/** A history in words and in order, for all formats. */
export interface HistoryReport {
  readonly target: string;
  /** Addresses of the target in the latest runs, each once; the built-in service has a new one in each run. */
  readonly baseUrls: readonly string[];
  /** Oldest first. */
  readonly runs: readonly HistoryRun[];
  /** Runs of the whole suite; the charts of requirements compare only these. */
  readonly whole: readonly HistoryRun[];
  /** Runs that judged only a part, or did not finish. */
  readonly partial: readonly HistoryRun[];
  /** The run whose verdict is shown at the top: the last whole run, or the last one. */
  readonly latest: HistoryRun | undefined;
  /** Summary in a few sentences. */
  readonly summary: string;
  /** Number of requests of each run. */
  readonly requests: Figures;
  /** Number of failed requirements in whole runs, without waived ones. */
  readonly failed: Figures;
  readonly latency: readonly LatencyFigures[];
}

export interface HistoryRun {
  readonly trend: TrendRun;
  readonly column: NamedColumn;
  readonly load: readonly { readonly name: string; readonly verdict: LoadResult["verdict"] }[];
}

/** One figure over all runs, with its range. */
export interface Figures {
  /** One value for each run, oldest first; null if not measured. */
  readonly values: readonly (number | null)[];
  readonly lowest: number | undefined;
  readonly highest: number | undefined;
  /** Name of the run with the highest value: `11-21 08:00 abc1234`. */
  readonly highestAt: string | undefined;
  readonly latest: number | undefined;
  /** Change from the previous run that measured it: `+20 %`. */
  readonly moved: string | undefined;
}

export interface LatencyFigures extends Figures {
  readonly endpoint: string;
  /** `Lookup (smoke)` */
  readonly load: string;
  /** The limit of each run, in milliseconds. */
  readonly limits: LatencyTrend["limit"];
  /** The limit of the latest run that measured it. */
  readonly limit: number | undefined;
  readonly tone: Tone;
}

const mostAddresses = 2;

/** Puts a trend into words; `runs` are the runs of the trend. */
export function historyReport(trend: Trend, runs: readonly NamedRun[]): HistoryReport {
  const columns = runColumns(runs);
  const all = trend.runs.flatMap((run, place): HistoryRun[] => {
    const column = columns[place];
    if (column === undefined) return [];
    const load = run.load.map(({ scenario, profile, verdict }) => ({
      name: `${scenarioLabel(scenario)} (${profile})`,
      verdict,
    }));
    return [{ trend: run, column, load }];
  });
  const whole = all.filter(({ column }) => column.part === undefined);
  const partial = all.filter(({ column }) => column.part !== undefined);
  const latest = whole.at(-1) ?? all.at(-1);
  const figures = (values: readonly (number | null)[]) => figuresOf(values, columns);
  return {
    target: trend.target,
    baseUrls: [...new Set(columns.map(({ baseUrl }) => baseUrl))].slice(-mostAddresses),
    runs: all,
    whole,
    partial,
    latest,
    summary: latest === undefined ? "" : summaryOf(latest, whole, partial),
    requests: figures(all.map(({ trend: { requests } }) => requests)),
    failed: figures(
      all.map(({ trend, column }) =>
        column.part === undefined && judges(trend) ? trend.summary.fail : null,
      ),
    ),
    latency: trend.latency.map((one) => latencyFigures(one, figures(one.p95))),
  };
}

/** Whether a run judged requirements; a load run alone does not. */
export function judges({ command }: Pick<TrendRun, "command">): boolean {
  return command !== "load";
}

function figuresOf(values: readonly (number | null)[], columns: readonly NamedColumn[]): Figures {
  const known = values.filter((value) => value !== null);
  const highest = known.length === 0 ? undefined : Math.max(...known);
  const [latest, before] = [known.at(-1), known.at(-2)];
  const at = columns[highest === undefined ? -1 : values.lastIndexOf(highest)];
  return {
    values,
    lowest: known.length === 0 ? undefined : Math.min(...known),
    highest,
    highestAt: highest === undefined || at === undefined ? undefined : columnLabel(at),
    latest,
    moved: latest === undefined || !before ? undefined : change(latest / before - 1),
  };
}

function latencyFigures(
  { scenario, profile, endpoint, limit }: LatencyTrend,
  figures: Figures,
): LatencyFigures {
  const last = limit.filter((value) => value !== null).at(-1);
  const isOver = last !== undefined && (figures.latest ?? 0) > last;
  return {
    ...figures,
    endpoint: requestLabel(endpoint),
    load: `${scenarioLabel(scenario)} (${profile})`,
    limits: limit,
    limit: last,
    tone: last === undefined ? "plain" : isOver ? "bad" : "good",
  };
}

function summaryOf(
  { trend }: HistoryRun,
  whole: readonly HistoryRun[],
  partial: readonly HistoryRun[],
): string {
  const { summary, waived, newlyFailing, fixed } = trend;
  const good = whole.filter((run) => run.trend.verdict === "conformant").length;
  const of =
    whole.length === 0
      ? `${counted(partial.length, "run")}, none of them complete.`
      : `This is the latest of ${counted(whole.length, "complete run")}; ${grouped(good)} of them passed${partial.length === 0 ? "" : `; ${counted(partial.length, "partial or unfinished run")} ${partial.length === 1 ? "is" : "are"} listed separately`}.`;
  return [
    of,
    !judges(trend)
      ? ""
      : summary.fail === 0
        ? "No requirement failed."
        : `${counted(summary.fail, "requirement")} failed.`,
    waived.length === 0 ? "" : `Waived: ${grouped(waived.length)}.`,
    newlyFailing.length === 0 ? "" : `Newly failing: ${grouped(newlyFailing.length)}.`,
    fixed.length === 0 ? "" : `Fixed: ${grouped(fixed.length)}.`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** `2 ms to 19 ms, highest on 11-21 08:00; limit 500 ms`, since a sparkline has no axis. */
export function rangeText(
  { lowest, highest, highestAt }: Figures,
  write: (value: number) => string,
  limit?: number,
): string {
  if (lowest === undefined || highest === undefined) return "";
  const range =
    lowest === highest ? write(highest) : `${write(lowest)} to ${write(highest)}, highest on ${highestAt}`;
  return `${range}${limit === undefined ? "" : `; limit ${milliseconds(limit)}`}`;
}

/** Label of the worst load run. */
export function worstLoad(load: TrendRun["load"]): string | undefined {
  const order = ["fail", "slower", "invalid", "pass"] as const;
  const worst = order.find((verdict) => load.some((one) => one.verdict === verdict));
  return worst === undefined ? undefined : loadVerdictLabels[worst];
}
