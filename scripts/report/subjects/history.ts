import type { LoadResult } from "../../../schemas/contracts/load-result.ts";
import { requestLabel, scenarioLabel } from "../../../schemas/scenarios.ts";
import { loadVerdictLabels } from "../../../schemas/verdicts.ts";
import { change, counted, grouped, milliseconds } from "../../../schemas/words/format.ts";
import type { LatencyTrend, NamedRun, Trend, TrendRun } from "../../runs/compare/trend.ts";
import {
  type Block,
  type BlockRow,
  type Blocks,
  type ChartLine,
  type Document,
  line,
  names,
  only,
  onlyText,
  paragraph,
  type TableBlock,
  type Text,
} from "../document.ts";
import { planTrend } from "../plan-chart.ts";
import { columnLabel, type NamedColumn, runColumns, startedText } from "../run-names.ts";
import { loadTones, type Tone } from "../tones.ts";
import { countsText } from "./run/requirements.ts";

/** A run of the history, with what distinguishes it from the others. */
interface HistoryRun extends TrendRun {
  readonly column: NamedColumn;
}

/** One figure over all runs. */
interface Figures {
  readonly name: string;
  /** `Lookup (smoke)`, of a latency. */
  readonly load?: string;
  /** One value for each run, oldest first; null if not measured. */
  readonly values: readonly (number | null)[];
  /** The limit of each run, in milliseconds. */
  readonly limits?: LatencyTrend["limit"];
  readonly write: (value: number) => string;
}

const mostAddresses = 5;
/** Number of runs and endpoints in Markdown. */
const mostRows = 30;
const mostIds = 10;

/** The history of a target: its latest verdict, figures over the runs, the runs. `runs` are those of the trend. */
export function historyDocument({ target, ...trend }: Trend, runs: readonly NamedRun[]): Document {
  const columns = runColumns(runs);
  const all = trend.runs.flatMap((run, place): HistoryRun[] => {
    const column = columns[place];
    return column === undefined ? [] : [{ ...run, column }];
  });
  const whole = all.filter(isWhole);
  const latest = whole.at(-1) ?? all.at(-1);
  const figures: Figures[] = [
    {
      name: "Failed requirements, complete runs only",
      values: all.map((run) => (isWhole(run) && judges(run) ? run.summary.fail : null)),
      write: grouped,
    },
    { name: "Requests of each run", values: all.map(({ requests }) => requests), write: grouped },
    ...trend.latency.map(({ endpoint, p95, limit, ...load }) => ({
      name: requestLabel(endpoint),
      load: loadName(load),
      values: p95,
      limits: limit,
      write: milliseconds,
    })),
  ];
  const summary = latest === undefined ? "" : summaryOf(latest, whole, all.length - whole.length);
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
      paragraph(
        { strong: line`History of ${{ code: target }}: ${{ own: counted(all.length, "run") }}` },
        "console",
      ),
      paragraph(summary, "markdown"),
      {
        kind: "facts",
        facts: [
          ["Target", addressesOf(trend.runs, runs)],
          ["From", whenOf(all[0])],
          ["To", whenOf(all.at(-1))],
        ],
      },
    ],
    blocks: [
      // In a terminal the latest run stands beside the prompt.
      only(["console"], runsTable(all)),
      {
        kind: "section",
        id: "figures",
        title: "Trends",
        blocks: [...charts(columns, figures), figuresTable(figures, columns)],
      },
      {
        kind: "section",
        id: "runs",
        title: "Runs, newest first",
        only: ["markdown", "html"],
        blocks: [runsTable(all.toReversed())],
      },
      {
        kind: "section",
        id: "requirements",
        title: "Requirements that failed",
        only: ["html"],
        blocks: whole.length === 0 ? [] : matrix(whole),
      },
    ],
  };
}

/** The addresses at which the target responded, the latest first; those that were tried if it responded at none. */
function addressesOf(trend: Trend["runs"], runs: readonly NamedRun[]): Text {
  const responded = runs.filter(
    ({ results }, place) => (trend[place]?.requests ?? 0) > (results.requests.lost?.seen?.count ?? 0),
  );
  const tried = responded.length > 0 ? responded : runs;
  const all = [...new Set(tried.map(({ results }) => results.target.baseUrl).toReversed())];
  const more = all.length - mostAddresses;
  return [
    ...names(all.slice(0, mostAddresses)),
    ...(more > 0 ? [{ own: ` and ${grouped(more)} more` }] : []),
  ];
}

function isWhole({ column }: HistoryRun): boolean {
  return column.part === undefined;
}

/** Whether a run judged requirements; a load run alone does not. */
function judges({ command }: Pick<TrendRun, "command">): boolean {
  return command !== "load";
}

function loadName({ scenario, profile }: Pick<LoadResult, "scenario" | "profile">): string {
  return `${scenarioLabel(scenario)} (${profile})`;
}

function summaryOf(latest: HistoryRun, whole: readonly HistoryRun[], partial: number): string {
  const { summary, waived, newlyFailing, fixed } = latest;
  const good = whole.filter(({ verdict }) => verdict === "conformant").length;
  const apart =
    partial === 0
      ? ""
      : ` ${counted(partial, "partial or unfinished run does", "partial or unfinished runs do")} not count.`;
  return [
    whole.length === 0
      ? `${counted(partial, "run")}, none of them complete.`
      : whole.length === 1
        ? `The only complete run.${apart}`
        : `Latest of ${counted(whole.length, "complete run")}, ${good === 0 ? "none" : grouped(good)} of which passed.${apart}`,
    !judges(latest)
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

/** The charts: failed requirements, requests, and the latency of each load with its limits. */
function charts(columns: readonly NamedColumn[], figures: readonly Figures[]): Block[] {
  const labels = columns.map((column) => columnLabel(column, "\n"));
  const groups = Map.groupBy(figures, ({ name, load }) => load ?? name);
  return [...groups].flatMap(([title, own]): Block[] => {
    const [first] = own;
    if (first === undefined || own.every(({ values }) => values.every((value) => value === null))) return [];
    const isLatency = first.load !== undefined;
    const plan = {
      title: isLatency ? `${title}: p95 of successful responses, ms` : title,
      unit: isLatency ? "ms" : "",
      lines: [...own.map(({ name, values }) => ({ name, values })), ...limitLines(own)],
    };
    return [{ kind: "chart", plan: planTrend(plan, labels) }];
  });
}

/** A limit above this many times the highest value is not drawn: it would flatten the curves. */
const mostAbove = 3;

/** Each limit once; named by its endpoint where limits differ. */
function limitLines(figures: readonly Figures[]): ChartLine[] {
  const top = Math.max(...figures.flatMap(({ values }) => values.map((value) => value ?? 0))) * mostAbove;
  const drawn = figures.filter(({ limits = [] }) => (lastOf(limits) ?? Number.POSITIVE_INFINITY) <= top);
  const byLimits = Map.groupBy(drawn, ({ limits }) => JSON.stringify(limits));
  return [...byLimits.values()].flatMap(([first, ...others]) => {
    if (first?.limits === undefined) return [];
    const name = others.length === 0 ? `limit of ${first.name}` : "limit";
    return [{ name, values: first.limits, dashed: true }];
  });
}

function lastOf(values: Figures["values"]): number | undefined {
  return values.findLast((value) => value !== null) ?? undefined;
}

function figuresTable(figures: readonly Figures[], columns: readonly NamedColumn[]): TableBlock {
  return {
    kind: "table",
    caption:
      "Latency is the p95 of successful responses; the change is from the previous run that measured it",
    figures: true,
    inLines: true,
    most: { shown: mostRows, one: "figure" },
    columns: ["figure", "latest", "change", "limit", "lowest", "highest"],
    rows: figures.flatMap((one) => figuresRow(one, columns)),
  };
}

function figuresRow(
  { name, load, values, limits = [], write }: Figures,
  columns: readonly NamedColumn[],
): BlockRow[] {
  const known = values.filter((value) => value !== null);
  const [latest, before] = [known.at(-1), known.at(-2)];
  if (latest === undefined) return [];
  const [lowest, highest] = [Math.min(...known), Math.max(...known)];
  const at = columns[values.lastIndexOf(highest)];
  const on = at === undefined || lowest === highest ? "" : columnLabel(at);
  const moved = before ? change(latest / before - 1) : "";
  const limit = lastOf(limits);
  const isOver = limit !== undefined && latest > limit;
  const latestText: Text = isOver ? { strong: { own: write(latest) } } : { own: write(latest) };
  // A line of bars has no axis, so its range is a sentence.
  const range =
    lowest === highest ? write(highest) : `${write(lowest)} to ${write(highest)}, highest on ${on}`;
  const limited = limit === undefined ? "" : `; limit ${write(limit)}`;
  return [
    {
      cells: [
        load === undefined ? name : { lines: [name, { faint: load }] },
        latestText,
        { own: moved },
        limit === undefined
          ? ""
          : [{ own: write(limit) }, ...(isOver ? line` (${{ tone: "bad", label: "above" }})` : [])],
        { own: write(lowest) },
        { lines: [{ own: write(highest) }, { faint: { own: on } }] },
      ],
      tone: isOver ? "bad" : undefined,
      sentence: `${load === undefined ? name : `${name}, ${load}`}: ${[write(latest), moved].filter((part) => part !== "").join(", ")}`,
      below: [{ own: sparkline(values.slice(-mostBars)) }, { own: `${range}${limited}` }],
    },
  ];
}

/** Maximum length of a line of bars; with more values it shows the last ones. */
const mostBars = 36;
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

function runsTable(runs: readonly HistoryRun[]): TableBlock {
  const hasPartial = runs.some((run) => !isWhole(run));
  return {
    kind: "table",
    caption: "The runs; figures of requirements count complete runs only",
    most: { shown: mostRows, one: "run" },
    columns: [
      { head: "started, UTC", only: ["console"] },
      { head: "run", only: ["markdown", "html"] },
      "verdict",
      { head: "part", only: hasPartial ? ["markdown", "html"] : [] },
      "requirements",
      { head: "commit", only: ["console"] },
      { head: "command", only: ["console"] },
      "requests",
      "load",
      { head: "changes", only: ["markdown", "html"] },
    ],
    rows: runs.map((run) => {
      const { column, summary, waived, newlyFailing, fixed, load } = run;
      const { part = "", commit = "", label, tone } = column;
      const changes = [...changed("newly failing", "bad", newlyFailing), ...changed("fixed", "good", fixed)];
      return {
        cells: [
          { own: startedText(column) },
          runCell(run),
          { tone, label },
          part,
          judges(run) ? { own: countsText(summary, { waived: waived.length }) } : "",
          { own: commit },
          { own: run.command },
          { own: grouped(run.requests) },
          {
            lines: load.map(
              (one) =>
                line`${loadName(one)} ${{ tone: loadTones[one.verdict], label: loadVerdictLabels[one.verdict] }}`,
            ),
          },
          { lines: changes },
        ],
        below: [...(part === "" ? [] : [`part: ${part}`]), ...changes],
      };
    }),
  };
}

/** Start and commit; on a page, also command, branch, and the machine if it differs between runs. */
function runCell({ name, command, column }: HistoryRun): Text {
  const { startedAt, commit, branch, host, hostDiffers } = column;
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

/** Requirements that changed between a run and the one before. A table has room for the first ones. */
function changed(label: string, tone: Tone, ids: readonly string[]): Text[] {
  if (ids.length === 0) return [];
  const left = ids.length > mostIds ? ` (${mostIds} of ${grouped(ids.length)} shown)` : "";
  return [line`${{ tone, label }}: ${names(ids.slice(0, mostIds))}${{ own: left }}`];
}

const mostColumns = 30;

/** Each requirement that failed at least once, run by run. */
function matrix(runs: readonly HistoryRun[]): Blocks {
  const judging = runs.filter(judges);
  const shown = judging.slice(-mostColumns).toReversed();
  const ids = [...new Set(shown.flatMap(({ failing }) => failing))].sort();
  if (ids.length === 0) return [paragraph("None in these runs.")];
  return [
    {
      kind: "table",
      caption: "Requirements by run, newest first; a dash was not judged",
      most: { shown: mostRows, one: "requirement" },
      columns: ["requirement", ...shown.map(({ column }) => ({ head: columnHead(column) }))],
      rows: ids.map((id) => ({ cells: [{ code: id }, ...shown.map((run) => verdictCell(run, id))] })),
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
