import type { Finding } from "../../schemas/contracts/finding.ts";
import { scenarioLabel } from "../../schemas/scenarios.ts";
import { comparisonLabels } from "../../schemas/verdicts.ts";
import { requestName } from "../../schemas/words/comparison.ts";
import { driftText } from "../../schemas/words/contract.ts";
import { change, counted, milliseconds } from "../../schemas/words/format.ts";
import type { Comparison } from "../runs/compare/compare-runs.ts";
import type { LatencyAnswer, LoadRegression } from "../runs/compare/latency.ts";
import {
  changeLabels,
  changeTones,
  comparisonRunTones,
  findingWords,
  meanings,
  unmeasuredLine,
  verdictName,
  worstFirst,
} from "./comparison.ts";
import { type ConsoleStyle, inTone, printable, prose, wrap } from "./terminal.ts";
import { comparisonTones, driftTones } from "./tones.ts";

/** A comparison as text for a terminal. */
export function renderComparison(comparison: Comparison, style: ConsoleStyle): string {
  const { load, notes, before, after } = comparison;
  const blocks = [
    renderVerdict(comparison, style),
    [`Before: ${before.join(", ")}`, `After:  ${after.join(", ")}`].flatMap((line) =>
      wrap(printable(line), { width: style.width }),
    ),
    notes.flatMap((note) => wrap(`Note: ${shown(note)}`, { width: style.width })),
    renderRequirements(comparison, style),
    renderDrift(comparison, style),
    ...load.map((regression) => renderLoadRegression(regression, style)),
    [`Exit ${comparison.exitCode}: ${meanings[comparison.verdict]}.`],
  ];
  const text = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${text.join("\n\n")}\n`;
}

function shown(finding: Finding): string {
  return prose(findingWords(finding));
}

function renderVerdict({ verdict, reasons }: Comparison, style: ConsoleStyle): string[] {
  return [
    inTone(comparisonRunTones[verdict], style)(style.strong(verdict.toUpperCase())),
    ...reasons.flatMap((reason) => wrap(shown(reason), { width: style.width, indent: "  " })),
  ];
}

function renderRequirements({ requirements }: Comparison, style: ConsoleStyle): string[] {
  if (requirements.length === 0) return [];
  return [
    style.strong("Requirements"),
    ...requirements.flatMap(({ kind, id, before, after, statement, findings }) => [
      ...wrap(
        `${inTone(changeTones[kind], style)(changeLabels[kind])}: ${printable(id)} (${verdictName(before)} before, ${verdictName(after)} after)`,
        { width: style.width, indent: "  " },
      ),
      ...wrap(prose(statement), { width: style.width, indent: "    " }),
      ...wrap(findings.map(shown).join(" "), { width: style.width, indent: "    " }).map(style.faint),
    ]),
  ];
}

function renderDrift({ drift }: Comparison, style: ConsoleStyle): string[] {
  if (drift === undefined) return [];
  return [
    style.strong("Contract"),
    ...(drift.length === 0 ? ["  no change"] : []),
    ...drift.flatMap((one) => {
      const { rank, rule } = one;
      const text = prose(`${driftText(one)} (${rule})`);
      return wrap(`${inTone(driftTones[rank], style)(rank)}: ${text}`, { width: style.width, indent: "  " });
    }),
  ];
}

/** Latency of one scenario before and after, with the verdict. */
function renderLoadRegression(regression: LoadRegression, style: ConsoleStyle): string[] {
  const { scenario, profile, comparison, unmeasured, notes } = regression;
  const { answer, findings, runs, endpoints } = comparison;
  const isPair = runs.before === 1 && runs.after === 1;
  const hidden = unmeasuredLine(unmeasured.length).map((line) => `${line}; --json lists them.`);
  const lines = [...[...findings, ...notes].map(shown), ...hidden];
  return [
    ...wrap(
      `${style.strong(`Load: ${printable(scenarioLabel(scenario))}`)} (${printable(profile)}), ${counted(runs.before, "run")} before, ${runs.after} after: ${painted(answer, style)}`,
      style,
    ),
    ...lines.flatMap((line) => wrap(line, { width: style.width, indent: "  " })),
    ...latencyRows(worstFirst(endpoints), isPair, style),
  ];
}

/** A table, worst first; a few lines for each row on a narrow terminal. */
function latencyRows(
  endpoints: LoadRegression["comparison"]["endpoints"],
  isPair: boolean,
  style: ConsoleStyle,
): string[] {
  if (endpoints.length === 0) return [];
  const rows = endpoints.map(({ endpoint, statistic, answer, before, after, change: share, low, high }) => ({
    name: rowName(endpoint),
    statistic: printable(statistic),
    before,
    after,
    changed: change(share),
    interval: `${change(low)} to ${change(high)}`,
    answer,
  }));
  const names = Math.max(8, ...rows.map(({ name }) => name.length));
  const intervalHead = isPair ? "interval (sampling only)" : "interval";
  const intervals = Math.max(intervalHead.length, ...rows.map(({ interval }) => interval.length));
  if (names + intervals + 58 > style.width) {
    return rows.flatMap(({ name, statistic, before, after, changed, interval, answer }) =>
      wrap(
        `${name}, ${statistic}: ${milliseconds(before)} before, ${milliseconds(after)} after, ${changed} (${interval}): ${painted(answer, style)}`,
        { width: style.width, indent: "  " },
      ),
    );
  }
  return [
    style.faint(`  ${"endpoint".padEnd(names)}         before ms   after ms     change   ${intervalHead}`),
    ...rows.map(
      ({ name, statistic, before, after, changed, interval, answer }) =>
        `  ${name.padEnd(names)}  ${statistic}  ${cell(before)} ${cell(after)}  ${changed.padStart(9)}   ${interval.padEnd(intervals)}  ${painted(answer, style)}`,
    ),
  ];
}

function rowName(endpoint: string): string {
  return printable(requestName(endpoint));
}

function painted(answer: LatencyAnswer, style: ConsoleStyle): string {
  return inTone(comparisonTones[answer], style)(comparisonLabels[answer]);
}

function cell(milliseconds: number): string {
  return milliseconds.toFixed(milliseconds < 100 ? 2 : 0).padStart(10);
}
