import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import { requestLabel, scenarioLabel } from "../../../schemas/scenarios.ts";
import { countedLabel, loadVerdictLabels, verdictLabels } from "../../../schemas/verdicts.ts";
import { change, counted, grouped, milliseconds } from "../../../schemas/words/format.ts";
import type { LatencyTrend, NamedRun, Trend, TrendRun } from "../../runs/compare/trend.ts";
import {
  type Block,
  type Blocks,
  type ChartBlock,
  type ChartLine,
  type Document,
  type Face,
  line,
  names,
  only,
  onlyText,
  paragraph,
  type SectionBlock,
  type Spark,
  type TableBlock,
  type Text,
} from "../document.ts";
import { planTrend } from "../plan-chart.ts";
import { columnLabel, type NamedColumn, runColumns, startedText } from "../run-names.ts";
import { loadTones, type Tone } from "../tones.ts";

/** A run of the history, with what distinguishes it from the others. */
interface HistoryRun {
  readonly trend: TrendRun;
  readonly column: NamedColumn;
}

/** One figure over all runs, with its range. */
interface Figures {
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

interface LatencyFigures extends Figures {
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
/** Number of runs and endpoints in Markdown. */
const mostRows = 30;
const mostIds = 10;

/** The history of a target: its latest verdict, figures over the runs, the runs. `runs` are those of the trend. */
export function historyDocument({ target, ...trend }: Trend, runs: readonly NamedRun[]): Document {
  const columns = runColumns(runs);
  const all = trend.runs.flatMap((run, place): HistoryRun[] => {
    const column = columns[place];
    return column === undefined ? [] : [{ trend: run, column }];
  });
  const whole = all.filter(({ column }) => column.part === undefined);
  const partial = all.filter(({ column }) => column.part !== undefined);
  const latest = whole.at(-1) ?? all.at(-1);
  const figures = (values: readonly (number | null)[]) => figuresOf(values, columns);
  const requests = figures(all.map(({ trend: { requests } }) => requests));
  const failed = figures(
    all.map(({ trend, column }) => (column.part === undefined && judges(trend) ? trend.summary.fail : null)),
  );
  const latency = trend.latency.map((one) => latencyFigures(one, figures(one.p95)));
  const urls = [...new Set(columns.map(({ baseUrl }) => baseUrl))].slice(-mostAddresses);
  const summary = latest === undefined ? "" : summaryOf(latest, whole, partial);
  return {
    page: "history.html",
    whole: "the results.json of each run",
    skip: "Skip to the runs",
    withoutScript: "Without JavaScript, the page shows everything except the charts.",
    tone: latest?.column.tone ?? "plain",
    label: latest?.column.label ?? "no runs",
    about: line`history of ${{ code: target }}`,
    summary,
    head: [
      only(
        ["console"],
        paragraph({ strong: line`History of ${{ code: target }}: ${{ own: counted(all.length, "run") }}` }),
        ...urls.map((url) => paragraph({ faint: { code: url } })),
      ),
      paragraph(summary, "markdown"),
      { kind: "facts", only: ["markdown"], facts: [["Target", names(urls)]] },
      {
        kind: "facts",
        only: ["html"],
        facts: [
          ["Target", names(urls)],
          ["From", whenOf(all[0])],
          ["To", whenOf(all.at(-1))],
        ],
      },
    ],
    blocks: [
      {
        kind: "section",
        id: "figures",
        titles: { html: "Trends", markdown: "p95 of successful responses" },
        only: ["html", "markdown"],
        blocks: [...charts(columns, { failed, requests, latency }), latencyTable(latency)],
      },
      runsSection("runs", { markdown: "Runs, newest first", html: "Runs" }, whole),
      {
        kind: "section",
        id: "requirements",
        title: "Requirements that failed",
        only: ["html"],
        blocks: whole.length === 0 ? [] : matrix(whole),
      },
      runsSection(
        "partial",
        {
          console: "Partial and unfinished runs: not counted in the requirement figures",
          markdown: "Partial and unfinished runs, newest first",
          html: "Partial and unfinished runs",
        },
        partial,
      ),
      only(["console"], ...(all.length < 2 ? [] : [spark("failed", failed), spark("requests", requests)])),
      only(["console"], ...latencySparks(latency)),
    ],
  };
}

/** Whether a run judged requirements; a load run alone does not. */
function judges({ command }: Pick<TrendRun, "command">): boolean {
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
    load: loadName({ scenario, profile }),
    limits: limit,
    limit: last,
    tone: last === undefined ? "plain" : isOver ? "bad" : "good",
  };
}

function loadName({ scenario, profile }: Pick<LoadResult, "scenario" | "profile">): string {
  return `${scenarioLabel(scenario)} (${profile})`;
}

function summaryOf(
  { trend }: HistoryRun,
  whole: readonly HistoryRun[],
  partial: readonly HistoryRun[],
): string {
  const { summary, waived, newlyFailing, fixed } = trend;
  const good = whole.filter((run) => run.trend.verdict === "conformant").length;
  const apart =
    partial.length === 0
      ? ""
      : `; ${counted(partial.length, "partial or unfinished run")} ${partial.length === 1 ? "is" : "are"} listed separately`;
  return [
    whole.length === 0
      ? `${counted(partial.length, "run")}, none of them complete.`
      : `This is the latest of ${counted(whole.length, "complete run")}; ${grouped(good)} of them passed${apart}.`,
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

function whenOf(run: HistoryRun | undefined): Text | undefined {
  if (run === undefined) return undefined;
  const { startedAt, commit } = run.column;
  return commit === undefined ? { time: startedAt } : line`${{ time: startedAt }}, ${{ code: commit }}`;
}

interface AllFigures {
  readonly failed: Figures;
  readonly requests: Figures;
  readonly latency: readonly LatencyFigures[];
}

/** The charts: failed requirements, requests, and the latency of each load with its limits. */
function charts(columns: readonly NamedColumn[], { failed, requests, latency }: AllFigures): ChartBlock[] {
  const labels = columns.map((column) => columnLabel(column, "\n"));
  const chart = (title: string, unit: string, lines: readonly ChartLine[]): ChartBlock => ({
    kind: "chart",
    plan: planTrend({ title, unit, lines }, labels),
  });
  const loads = Map.groupBy(latency, ({ load }) => load);
  return [
    ...(failed.highest === undefined
      ? []
      : [
          chart(`Failed requirements, complete runs only${peak(failed)}`, "", [
            { name: "failed", values: failed.values },
          ]),
        ]),
    chart(`Requests of each run${peak(requests)}`, "", [{ name: "requests", values: requests.values }]),
    ...[...loads].map(([load, trends]) =>
      chart(`${load}: p95 of successful responses, ms`, "ms", [
        ...trends.map(({ endpoint, values }) => ({ name: endpoint, values })),
        ...limitLines(trends),
      ]),
    ),
  ];
}

function peak({ highest, highestAt }: Figures): string {
  return highest === undefined || highest === 0 ? "" : `: at most ${grouped(highest)}, on ${highestAt}`;
}

/** A limit above this many times the highest value is not drawn: it would flatten the curves. */
const mostAbove = 3;

/** Each limit once; named by its endpoint where limits differ. */
function limitLines(trends: readonly LatencyFigures[]): ChartLine[] {
  const top = Math.max(...trends.map(({ highest = 0 }) => highest)) * mostAbove;
  const drawn = trends.filter(({ limit }) => limit !== undefined && limit <= top);
  const byLimits = Map.groupBy(drawn, ({ limits }) => JSON.stringify(limits));
  return [...byLimits.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const name = others.length === 0 ? `limit of ${first.endpoint}` : "limit";
    return [{ name, values: first.limits, dashed: true }];
  });
}

function latencyTable(latency: readonly LatencyFigures[]): TableBlock {
  return {
    kind: "table",
    caption: "p95 of successful responses; the change is from the previous run that measured it",
    figures: true,
    most: { shown: mostRows, one: "endpoint" },
    columns: ["endpoint", "latest", "change", "limit", "lowest", "highest"],
    rows: latency.map(
      ({ endpoint, load, tone, latest, moved = "", limit, lowest, highest, highestAt = "" }) => ({
        cells: [
          { lines: [endpoint, { faint: load }] },
          latest === undefined
            ? ""
            : tone === "bad"
              ? { strong: { own: milliseconds(latest) } }
              : { own: milliseconds(latest) },
          { own: moved },
          limit === undefined
            ? ""
            : [{ own: milliseconds(limit) }, ...(tone === "bad" ? line` (${{ tone, label: "above" }})` : [])],
          lowest === undefined ? "" : { own: milliseconds(lowest) },
          highest === undefined
            ? ""
            : { lines: [{ own: milliseconds(highest) }, { faint: { own: highestAt } }] },
        ],
      }),
    ),
  };
}

function runsSection(
  id: string,
  titles: Readonly<Partial<Record<Face, Text>>>,
  runs: readonly HistoryRun[],
): SectionBlock {
  const isPartial = runs.some(({ column }) => column.part !== undefined);
  const note = `${counted(runs.length, "run")} judged only some of the requirements, or did not finish. They count in the request and load charts, but not in the requirement figures.`;
  return {
    kind: "section",
    id,
    titles,
    blocks:
      runs.length === 0
        ? []
        : [
            isPartial ? paragraph(note, "html") : undefined,
            // In a terminal the latest run stands beside the prompt.
            { ...runsTable(runs, isPartial), only: ["console"] },
            { ...runsTable(runs.toReversed(), isPartial), only: ["markdown", "html"] },
          ],
  };
}

function runsTable(runs: readonly HistoryRun[], isPartial: boolean): TableBlock {
  return {
    kind: "table",
    caption: isPartial ? "Partial and unfinished runs, newest first" : "The runs, newest first",
    most: { shown: mostRows, one: "run" },
    columns: [
      { head: "started, UTC", only: ["console"] },
      { head: "run", only: ["markdown", "html"] },
      "verdict",
      { head: "part", only: isPartial ? ["markdown", "html"] : [] },
      { head: verdictLabels.fail, only: ["console", "markdown"] },
      { head: verdictLabels.inconclusive, only: ["console", "markdown"] },
      { head: verdictLabels.pass, only: ["console", "markdown"] },
      { head: "requirements", only: ["html"] },
      { head: "commit", only: ["console"] },
      { head: "command", only: ["console"] },
      { head: "requests", only: ["console"] },
      "load",
      { head: "requests", only: ["html"] },
      { head: "changes", only: ["markdown"] },
    ],
    rows: runs.map(({ trend, column }) => {
      const { summary, newlyFailing, fixed } = trend;
      const { part = "", commit = "", label, tone } = column;
      const changes = [...changed("newly failing", "bad", newlyFailing), ...changed("fixed", "good", fixed)];
      return {
        cells: [
          { own: startedText(column) },
          runCell(trend, column),
          { tone, label },
          part,
          count(trend, summary.fail),
          count(trend, summary.inconclusive),
          count(trend, summary.pass),
          judges(trend) ? { lines: [{ own: countsOf(trend) }, ...changes] } : "",
          { own: commit },
          { own: trend.command },
          { own: grouped(trend.requests) },
          [
            onlyText(["console", "markdown"], { own: worstLoad(trend.load) ?? "" }),
            onlyText(["html"], {
              lines: trend.load.map((one) => {
                const verdict = { tone: loadTones[one.verdict], label: loadVerdictLabels[one.verdict] };
                return line`${loadName(one)} ${verdict}`;
              }),
            }),
          ],
          { own: grouped(trend.requests) },
          { lines: changes },
        ],
        below: [...(part === "" ? [] : [`part: ${part}`]), ...changes],
      };
    }),
  };
}

/** Start and commit; on a page, also command, branch, and the machine if it differs between runs. */
function runCell({ name, command, startedAt }: TrendRun, column: NamedColumn): Text {
  const { commit, branch, host, hostDiffers } = column;
  const about = names([commit, branch].filter((one) => one !== undefined));
  return [
    onlyText(["markdown"], {
      lines: [[{ time: startedAt }, { own: " " }, commit && { code: commit }], { code: name }],
    }),
    onlyText(["html"], {
      lines: [
        { link: { own: startedText(column) }, to: `${name}/report.html` },
        { faint: about.length === 0 ? { own: command } : line`${{ own: command }}, ${about}` },
        hostDiffers && host !== undefined ? { faint: host } : "",
      ],
    }),
  ];
}

/** A console shows no zeros, so that the others stand out. */
function count(run: TrendRun, number: number): Text {
  return number === 0 || !judges(run)
    ? onlyText(["markdown"], { own: grouped(number) })
    : { own: grouped(number) };
}

function countsOf({ summary }: TrendRun): string {
  return (Object.keys(verdictLabels) as (keyof typeof verdictLabels)[])
    .filter((verdict) => summary[verdict] > 0)
    .map((verdict) => `${grouped(summary[verdict])} ${countedLabel(verdict, summary[verdict])}`)
    .join(", ");
}

/** Requirements that changed between a run and the one before. A table of Markdown has room for the first ones. */
function changed(label: string, tone: Tone, ids: readonly string[]): Text[] {
  if (ids.length === 0) return [];
  const shown = ids.slice(0, mostIds);
  const left = ids.length > shown.length ? ` (${shown.length} of ${grouped(ids.length)} shown)` : "";
  return [
    [
      onlyText(["console"], line`${{ tone, label }}: ${names(ids)}`),
      onlyText(["markdown", "html"], line`${{ own: label }}: ${names(shown)}${{ own: left }}`),
    ],
  ];
}

/** Label of the worst load run. */
function worstLoad(load: TrendRun["load"]): string | undefined {
  const order = ["fail", "invalid", "pass"] as const;
  const worst = order.find((verdict) => load.some((one) => one.verdict === verdict));
  return worst === undefined ? undefined : loadVerdictLabels[worst];
}

const mostColumns = 30;

/** Each requirement that failed at least once, run by run. */
function matrix(runs: readonly HistoryRun[]): Blocks {
  const judging = runs.filter(({ trend }) => judges(trend));
  const shown = judging.slice(-mostColumns).toReversed();
  const ids = [...new Set(shown.flatMap(({ trend }) => trend.failing))].sort();
  if (ids.length === 0) return [paragraph("None in these runs.")];
  return [
    {
      kind: "table",
      caption: "Requirements by run, newest first; a dash was not judged",
      most: { shown: mostRows, one: "requirement" },
      columns: ["requirement", ...shown.map(({ column }) => ({ head: columnHead(column) }))],
      rows: ids.map((id) => ({ cells: [{ code: id }, ...shown.map(({ trend }) => verdictCell(trend, id))] })),
    },
    judging.length > mostColumns
      ? paragraph({ own: `The last ${mostColumns} of ${counted(judging.length, "run")} shown.` })
      : undefined,
  ];
}

/** Day and time, commit, and the machine if it differs between runs. */
function columnHead({ short, commit, host, hostDiffers }: NamedColumn): Text {
  const machine = hostDiffers && host !== undefined ? hostSize(host) : "";
  return { lines: [{ own: short }, commit === undefined ? "" : { code: commit }, { own: machine }] };
}

/** Cores and memory, from a description that ends in the operating system. */
function hostSize(host: string): string {
  const parts = host.split(", ");
  return parts.length < 3 ? host : parts.slice(-3, -1).join(", ");
}

function verdictCell({ failing, waived, passing }: TrendRun, id: string): Text {
  if (waived.includes(id)) return { tone: "notice", label: "waived" };
  if (failing.includes(id)) return { tone: "bad", label: "failed" };
  return passing.includes(id) ? { faint: { own: "passed" } } : "";
}

function spark(name: string, figures: Figures): Block {
  const { latest, values } = figures;
  const shown: Spark | undefined =
    latest === undefined
      ? undefined
      : { name, values, latest: grouped(latest), range: rangeText(figures, grouped) };
  return { kind: "chart", spark: shown };
}

function latencySparks(latency: readonly LatencyFigures[]): Blocks {
  if (latency.length === 0) return [];
  return [
    paragraph({ strong: "p95 of successful responses; bars start at 0" }),
    ...latency.map((figures): ChartBlock => {
      const { endpoint, load, values, latest, moved, limit, tone } = figures;
      const now = latest === undefined ? [] : [milliseconds(latest), moved];
      return {
        kind: "chart",
        spark: {
          name: `${endpoint}, ${load}`,
          values,
          latest: now.filter((part) => part !== undefined).join(", "),
          range: rangeText(figures, milliseconds, limit),
          tone,
        },
      };
    }),
  ];
}

/** `2 ms to 19 ms, highest on 11-21 08:00; limit 500 ms`, since a sparkline has no axis. */
function rangeText(
  { lowest, highest, highestAt }: Figures,
  write: (value: number) => string,
  limit?: number,
): string {
  if (lowest === undefined || highest === undefined) return "";
  const range =
    lowest === highest ? write(highest) : `${write(lowest)} to ${write(highest)}, highest on ${highestAt}`;
  return `${range}${limit === undefined ? "" : `; limit ${milliseconds(limit)}`}`;
}
