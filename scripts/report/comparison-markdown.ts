import { capitalized, counted, grouped, minute } from "../../schemas/words/format.ts";
import type { ComparisonReport, ShownRegression } from "./comparison.ts";
import { code, driftTable, leftOut, prose, table } from "./markdown-text.ts";
import type { NamedColumn } from "./run-names.ts";

const mostRows = 50;
/** The page with the rows that are omitted here. */
const page = "compare.html";

/** A comparison for a job summary in GitHub Markdown: verdict and reasons, then the changes, worst first. */
export function renderComparisonMarkdown(report: ComparisonReport): string {
  const { label, meaning, comparison, reasons, notes, before, after } = report;
  const targets = [...new Set([...before, ...after].map(({ target }) => target))].map((name) => code(name));
  const blocks = [
    `## ${capitalized(label)}: comparison of ${targets.join(" and ")}`,
    `${capitalized(meaning)}.`,
    ...listed(reasons, "reason"),
    ...notes.map((note) => `Note: ${prose(note, 600)}`),
    ...report.load.flatMap(regression),
    ...requirements(report),
    ...drift(report),
    "### Runs",
    table(
      ["when", "run", "started", "verdict", "commit", "machine"],
      [...before.map((run) => runRow("before", run)), ...after.map((run) => runRow("after", run))],
    ),
    `Exit code ${comparison.exitCode}`,
  ];
  return `${blocks.join("\n\n")}\n`;
}

function runRow(when: string, { name, startedAt, label, part, commit, host }: NamedColumn): string[] {
  return [
    when,
    code(name),
    minute(startedAt),
    part === undefined ? label : `${label} (${part})`,
    commit === undefined ? "" : code(commit),
    host === undefined ? "" : prose(host),
  ];
}

function listed(lines: readonly string[], one: string): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, mostRows).map((line) => `- ${prose(line, 600)}`);
  return [shown.join("\n"), ...leftOut(page, shown.length, lines.length, one)];
}

function regression({ name, label, runs, lines, rows, thresholds }: ShownRegression): string[] {
  const notPassed = thresholds.filter(({ tone }) => tone !== "good");
  return [
    `### Load: ${prose(name)}`,
    `**${capitalized(label)}**, ${runs}`,
    ...listed(lines, "line"),
    ...(rows.length === 0
      ? []
      : [
          table(
            ["endpoint", "statistic", "before", "after", "change", "interval", "verdict"],
            rows
              .slice(0, mostRows)
              .map((row) => [
                prose(row.endpoint),
                row.statistic,
                row.before,
                row.after,
                row.tone === "bad" ? `**${row.change}**` : row.change,
                row.interval,
                row.tone === "bad" ? `**${row.label}**` : row.label,
              ]),
          ),
          ...leftOut(page, Math.min(rows.length, mostRows), rows.length, "row"),
        ]),
    ...(notPassed.length === 0
      ? []
      : [
          table(
            ["limit on", "before", "after", "verdict"],
            notPassed.map((row) => [prose(row.name), row.before, row.after, `**${row.label}**`]),
          ),
        ]),
    ...(thresholds.length === 0
      ? []
      : [
          `${grouped(thresholds.length - notPassed.length)} of ${counted(thresholds.length, "threshold")} passed.`,
        ]),
  ];
}

function requirements({ counts, requirements: changes }: ComparisonReport): string[] {
  if (counts.length === 0) return [];
  const rows = changes
    .slice(0, mostRows)
    .map(({ kind, tone, id, level, statement, before, after, text }) => [
      `${tone === "bad" ? `**${kind}**` : kind}<br>${code(id)}<br>${level.toUpperCase()}`,
      `${before} before, ${after} after<br>${prose(statement)}${text === "" ? "" : `<br>${prose(text, 600)}`}`,
    ]);
  return [
    "### Requirements",
    table(
      ["verdict", "before", "after"],
      counts.map(({ verdict, before, after }) => [verdict, grouped(before), grouped(after)]),
    ),
    ...(changes.length === 0
      ? ["No requirement changed its verdict."]
      : [
          table(["requirement", "what changed"], rows),
          ...leftOut(page, rows.length, changes.length, "changed requirement"),
        ]),
  ];
}

function drift({ drift: changes }: ComparisonReport): string[] {
  if (changes === undefined) return [];
  if (changes.length === 0) return ["### Contract", "No change."];
  return [
    "### Contract",
    driftTable(changes.slice(0, mostRows)),
    ...leftOut(page, Math.min(changes.length, mostRows), changes.length, "change"),
  ];
}
