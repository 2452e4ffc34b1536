import { verdictLabels } from "../../schemas/verdicts.ts";
import { counted, grouped, milliseconds } from "../../schemas/words/format.ts";
import type { TrendRun } from "../runs/compare/trend.ts";
import {
  type Figures,
  type HistoryReport,
  type HistoryRun,
  judges,
  type LatencyFigures,
  rangeText,
  worstLoad,
} from "./history.ts";
import { startedText } from "./run-names.ts";
import { type ConsoleStyle, inTone, printable, wrap } from "./terminal.ts";

/** Maximum length of a sparkline; with more runs it shows the last ones. */
const mostSparks = 40;

/** The history as text for a terminal: a line for each run with its changes, then the figures as sparklines. */
export function renderHistory(report: HistoryReport, style: ConsoleStyle): string {
  const { target, runs, whole, partial, baseUrls } = report;
  const title = wrap(printable(`History of ${target}: ${counted(runs.length, "run")}`), style);
  const blocks = [
    [...title.map(style.strong), ...baseUrls.flatMap((url) => wrap(printable(url), style)).map(style.faint)],
    renderRuns(whole, style),
    partial.length === 0
      ? []
      : [
          style.strong("Partial and unfinished runs: not counted in the requirement figures"),
          ...renderRuns(partial, style),
        ],
    renderSparks(report, style),
    renderLatency(report.latency, style),
  ];
  const text = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${text.join("\n\n")}\n`;
}

interface Column {
  readonly head: string;
  readonly cell: (run: HistoryRun) => string;
}

// A narrow terminal omits columns from the right.
const columns: readonly Column[] = [
  { head: "started, UTC", cell: ({ column }) => startedText(column) },
  { head: "verdict", cell: ({ column }) => column.label },
  { head: verdictLabels.fail, cell: ({ trend }) => figureOf(trend, trend.summary.fail) },
  { head: verdictLabels.inconclusive, cell: ({ trend }) => figureOf(trend, trend.summary.inconclusive) },
  { head: verdictLabels.pass, cell: ({ trend }) => figureOf(trend, trend.summary.pass) },
  { head: "commit", cell: ({ column }) => printable(column.commit ?? "·") },
  { head: "command", cell: ({ trend }) => trend.command },
  { head: "requests", cell: ({ trend }) => grouped(trend.requests) },
  { head: "load", cell: ({ trend }) => worstLoad(trend.load) ?? "·" },
];

const gap = 2;

function renderRuns(runs: readonly HistoryRun[], style: ConsoleStyle): string[] {
  if (runs.length === 0) return [];
  const table = columns.map(({ head, cell }) => [head, ...runs.map(cell)]);
  const widths = table.map((cells) => Math.max(...cells.map((cell) => cell.length)) + gap);
  const fitting = widths.filter(
    (_width, place) => widths.slice(0, place + 1).reduce((sum, width) => sum + width, -gap) <= style.width,
  ).length;
  const line = (row: number) =>
    table
      .slice(0, fitting)
      .map((cells, place) => (cells[row] ?? "").padEnd(widths[place] ?? 0))
      .join("")
      .trimEnd();
  return [
    style.faint(line(0)),
    ...runs.flatMap(({ column, trend }, place) => [
      line(place + 1).replace(column.label, inTone(column.tone, style)(column.label)),
      ...(column.part === undefined
        ? []
        : wrap(`part: ${column.part}`, { width: style.width, indent: "  " })),
      ...changes(trend, style),
    ]),
  ];
}

function changes({ newlyFailing, fixed }: TrendRun, style: ConsoleStyle): string[] {
  const line = (label: string, ids: readonly string[], paint: (text: string) => string) => {
    if (ids.length === 0) return [];
    const [first = "", ...rest] = wrap(printable(`${label}: ${ids.join(", ")}`), {
      width: style.width,
      indent: "  ",
    });
    return [first.replace(label, paint(label)), ...rest];
  };
  return [...line("newly failing", newlyFailing, style.bad), ...line("fixed", fixed, style.good)];
}

function renderSparks({ runs, failed, requests }: HistoryReport, style: ConsoleStyle): string[] {
  if (runs.length < 2) return [];
  const ranged = (name: string, figures: Figures) =>
    figures.latest === undefined
      ? []
      : [
          sparkLine(name, figures.values, grouped(figures.latest), style),
          ...rangeLine(rangeText(figures, grouped), style),
        ];
  return [...ranged("failed", failed), ...ranged("requests", requests)];
}

function renderLatency(latency: readonly LatencyFigures[], style: ConsoleStyle): string[] {
  if (latency.length === 0) return [];
  const lines = latency.flatMap((figures) => {
    const { endpoint, load, latest, moved, limit, tone } = figures;
    const now =
      latest === undefined ? "" : `${milliseconds(latest)}${moved === undefined ? "" : `, ${moved}`}`;
    const line = sparkLine("", figures.values, now, style);
    return [
      ...wrapPlain(printable(`${endpoint}, ${load}`), style),
      tone === "bad" ? style.bad(line) : line,
      ...rangeLine(rangeText(figures, milliseconds, limit), style),
    ];
  });
  return [...wrap("p95 of successful responses; bars start at 0", style).map(style.strong), ...lines];
}

function rangeLine(range: string, style: ConsoleStyle): string[] {
  return wrap(printable(range), { width: style.width, indent: "    " }).map(style.faint);
}

function sparkLine(
  name: string,
  values: readonly (number | null)[],
  now: string,
  style: ConsoleStyle,
): string {
  const room = Math.max(5, Math.min(mostSparks, style.width - 12 - now.length - 2));
  return `  ${name.padEnd(name === "" ? 0 : 10)}${sparkline(values.slice(-room))}  ${now}`;
}

function wrapPlain(line: string, { width }: ConsoleStyle): string[] {
  return line.length <= width ? [line] : wrap(line, { width });
}

function figureOf(run: TrendRun, count: number): string {
  return count === 0 || !judges(run) ? "·" : grouped(count);
}

const bars = [..."▁▂▃▄▅▆▇█"];

/** A line of bars from 0 to the largest value; a dot where there is no value. */
export function sparkline(values: readonly (number | null)[]): string {
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  return values
    .map((value) => {
      if (value === null) return "·";
      return bars[highest === 0 ? 0 : Math.round((value / highest) * (bars.length - 1))] ?? "·";
    })
    .join("");
}
