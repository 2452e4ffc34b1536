import { requestLabel, scenarioLabel } from "../../schemas/scenarios.ts";
import { loadVerdictLabels, runVerdictLabels, verdictLabels } from "../../schemas/verdicts.ts";
import { change, counted, grouped, milliseconds, minute } from "../../schemas/words/format.ts";
import type { LatencyTrend, Trend, TrendRun } from "../earlier/history.ts";
import { type ConsoleStyle, inTone, printable, wrap } from "./terminal.ts";
import { runTones } from "./tones.ts";

/** Most sparks in a line; the sparks of more runs show the last of them. */
const mostSparks = 40;

/** The trend for a person at a terminal: a line a run with what changed, then the figures as sparklines. */
export function renderHistory(trend: Trend, style: ConsoleStyle): string {
  const { target, runs, latency } = trend;
  const title = wrap(printable(`History of ${target}: ${counted(runs.length, "run")}`), style);
  const blocks = [
    title.map(style.strong),
    renderRuns(runs, style),
    renderSparks(runs, style),
    renderLatency(latency, style),
  ];
  const text = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${text.join("\n\n")}\n`;
}

// From the right, those that a narrow terminal has no room for are left out.
const columns: readonly { head: string; width: number; cell: (run: TrendRun) => string }[] = [
  { head: "started", width: 21, cell: ({ startedAt }) => minute(startedAt) },
  { head: "verdict", width: 16, cell: ({ verdict }) => runVerdictLabels[verdict] },
  { head: verdictLabels.fail, width: 8, cell: ({ summary }) => figureOf(summary.fail) },
  { head: verdictLabels.inconclusive, width: 12, cell: ({ summary }) => figureOf(summary.inconclusive) },
  { head: verdictLabels.pass, width: 8, cell: ({ summary }) => figureOf(summary.pass) },
  { head: "command", width: 13, cell: ({ command }) => command },
  { head: "requests", width: 10, cell: ({ requests }) => grouped(requests) },
  { head: "load", width: 9, cell: ({ load }) => worstOf(load) },
];

function renderRuns(runs: readonly TrendRun[], style: ConsoleStyle): string[] {
  const fitting = columns.filter(
    (_column, place) => columns.slice(0, place + 1).reduce((sum, { width }) => sum + width, 0) <= style.width,
  );
  const heads = fitting.map(({ head, width }) => head.padEnd(width)).join("");
  return [
    style.faint(heads.trimEnd()),
    ...runs.flatMap((run) => [runLine(run, fitting, style), ...changes(run, style)]),
  ];
}

function runLine(run: TrendRun, fitting: typeof columns, style: ConsoleStyle): string {
  const verdict = runVerdictLabels[run.verdict];
  const cells = fitting.map(({ cell, width }) => cell(run).padEnd(width)).join("");
  return cells.trimEnd().replace(verdict, inTone(runTones[run.verdict], style)(verdict));
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

function renderSparks(runs: readonly TrendRun[], style: ConsoleStyle): string[] {
  if (runs.length < 2) return [];
  const judged = (run: TrendRun, value: number) => (run.command === "load" ? null : value);
  const last = runs.at(-1);
  return [
    [
      "failing",
      runs.map((run) => judged(run, run.failing.length)),
      grouped(last?.failing.length ?? 0),
    ] as const,
    ["requests", runs.map(({ requests }) => requests), grouped(last?.requests ?? 0)] as const,
  ].map(([name, values, now]) => sparkLine(name, values, now, style));
}

function renderLatency(latency: readonly LatencyTrend[], style: ConsoleStyle): string[] {
  if (latency.length === 0) return [];
  const lines = latency.flatMap(({ scenario, profile, endpoint, p95 }) => {
    const name = `${requestLabel(endpoint)} (${scenarioLabel(scenario)}, ${profile})`;
    return [printable(name), sparkLine("", p95, latencyNow(p95), style)];
  });
  return [style.strong("p95 of good responses"), ...lines.flatMap((line) => wrapPlain(line, style))];
}

function latencyNow(p95: LatencyTrend["p95"]): string {
  const values = p95.filter((value) => value !== null);
  const [now, before] = [values.at(-1), values.at(-2)];
  if (now === undefined) return "";
  const moved = before === undefined || before === 0 ? "" : `, ${change(now / before - 1)}`;
  return `${milliseconds(now)}${moved}`;
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

function worstOf(load: TrendRun["load"]): string {
  const order = ["fail", "slower", "invalid", "pass"] as const;
  const worst = order.find((verdict) => load.some((one) => one.verdict === verdict));
  return worst === undefined ? "·" : loadVerdictLabels[worst];
}

function figureOf(count: number): string {
  return count === 0 ? "·" : grouped(count);
}

const bars = [..."▁▂▃▄▅▆▇█"];

/** A line of bars, the highest for the largest value and the lowest for 0; a dot where there is no value. */
export function sparkline(values: readonly (number | null)[]): string {
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  return values
    .map((value) => {
      if (value === null) return "·";
      return bars[highest === 0 ? 0 : Math.round((value / highest) * (bars.length - 1))] ?? "·";
    })
    .join("");
}
