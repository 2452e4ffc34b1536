import { capitalized, grouped, milliseconds, minute } from "../../schemas/words/format.ts";
import { type HistoryReport, type HistoryRun, worstLoad } from "./history.ts";
import { code, leftOut, prose, table } from "./markdown-text.ts";

const mostRows = 30;
const mostIds = 10;
/** The page with the rows that are omitted here. */
const page = "history.html";

/** A history for a job summary in GitHub Markdown: the latest verdict, p95 of each endpoint with its limit, the runs. */
export function renderHistoryMarkdown({
  target,
  baseUrls,
  latest,
  summary,
  latency,
  whole,
  partial,
}: HistoryReport): string {
  const label = latest === undefined ? "No runs" : capitalized(latest.column.label);
  const figures = latency
    .slice(0, mostRows)
    .map(({ endpoint, load, latest: now, moved, limit, lowest, highest, highestAt, tone }) => [
      `${prose(endpoint)}<br>${prose(load)}`,
      now === undefined ? "" : tone === "bad" ? `**${milliseconds(now)}**` : milliseconds(now),
      moved ?? "",
      limit === undefined ? "" : `${milliseconds(limit)}${tone === "bad" ? " (**above**)" : ""}`,
      lowest === undefined ? "" : milliseconds(lowest),
      highest === undefined ? "" : `${milliseconds(highest)}<br>${highestAt}`,
    ]);
  const blocks = [
    `## ${label}: history of ${code(target)}`,
    summary,
    `- Target: ${baseUrls.map((url) => code(url)).join(", ")}`,
    ...(figures.length === 0
      ? []
      : [
          "### p95 of successful responses",
          table(["endpoint", "latest", "change", "limit", "lowest", "highest"], figures),
          ...leftOut(page, figures.length, latency.length, "endpoint"),
        ]),
    ...runTable("### Runs, newest first", whole, false),
    ...runTable("### Partial and unfinished runs, newest first", partial, true),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function runTable(title: string, runs: readonly HistoryRun[], isPartial: boolean): string[] {
  if (runs.length === 0) return [];
  const rows = runs
    .toReversed()
    .slice(0, mostRows)
    .map(({ trend, column }) => [
      `${minute(trend.startedAt)}${column.commit === undefined ? "" : ` ${code(column.commit)}`}<br>${code(trend.name)}`,
      column.tone === "bad" ? `**${column.label}**` : column.label,
      ...(isPartial ? [column.part ?? ""] : []),
      grouped(trend.summary.fail),
      grouped(trend.summary.inconclusive),
      grouped(trend.summary.pass),
      worstLoad(trend.load) ?? "",
      [ids("newly failing", trend.newlyFailing), ids("fixed", trend.fixed)].filter(Boolean).join("<br>"),
    ]);
  const heads = [
    "run",
    "verdict",
    ...(isPartial ? ["part"] : []),
    "failed",
    "not judged",
    "passed",
    "load",
    "changes",
  ];
  return [title, table(heads, rows), ...leftOut(page, rows.length, runs.length, "run")];
}

function ids(label: string, all: readonly string[]): string {
  if (all.length === 0) return "";
  const shown = all.slice(0, mostIds).map((id) => code(id));
  const left = all.length > shown.length ? ` (${shown.length} of ${grouped(all.length)} shown)` : "";
  return `${label}: ${shown.join(", ")}${left}`;
}
