import type { Drift, Finding } from "../../schemas/types.ts";
import { comparisonLabels, verdictLabels } from "../../schemas/verdicts.ts";
import { requestName } from "../../schemas/words/comparison.ts";
import { driftText } from "../../schemas/words/contract.ts";
import { defaultWords } from "../../schemas/words/finding-words.ts";
import { change, counted } from "../../schemas/words/format.ts";
import { findingFix, findingText } from "../../schemas/words/index.ts";
import type { Comparison } from "../earlier/compare.ts";
import type { RunValue } from "../earlier/interval.ts";
import type { LatencyAnswer, LoadRegression, MeasuredRow } from "../earlier/latency.ts";
import type { VerdictChange, VerdictChangeKind } from "../earlier/verdict-changes.ts";
import { type ConsoleStyle, printable, wrap } from "./terminal.ts";

/** A comparison as text for a terminal; with `explain`, the arithmetic of the load too. */
export function renderComparison(comparison: Comparison, style: ConsoleStyle, explain: boolean): string {
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
    ...(explain ? load.map((regression) => renderArithmetic(regression, style)) : []),
    [exitLine(comparison)],
  ];
  const text = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${text.join("\n\n")}\n`;
}

// What was found, and what to do about it.
function shown(finding: Finding): string {
  const fix = findingFix(finding, defaultWords);
  return printable([findingText(finding, defaultWords), ...(fix === undefined ? [] : [fix])].join(" "));
}

function renderVerdict({ verdict, reasons }: Comparison, style: ConsoleStyle): string[] {
  const paint = { regression: style.bad, "no regression": style.good, incomplete: style.unsure }[verdict];
  return [
    paint(style.strong(verdict.toUpperCase())),
    ...reasons.flatMap((reason) => wrap(shown(reason), { width: style.width, indent: "  " })),
  ];
}

const changeLabels = {
  "newly-failing": "newly failing",
  "failing-not-judged-before": "failing, not judged before",
  "no-longer-judged": "no longer judged",
  "new-warning": "new warning",
  fixed: "fixed",
  "newly-judged": "newly judged",
} as const satisfies Record<VerdictChangeKind, string>;

function renderRequirements({ requirements }: Comparison, style: ConsoleStyle): string[] {
  if (requirements.length === 0) return [];
  const paint: Readonly<Record<VerdictChangeKind, (text: string) => string>> = {
    "newly-failing": style.bad,
    "failing-not-judged-before": style.bad,
    "no-longer-judged": style.unsure,
    "new-warning": style.unsure,
    fixed: style.good,
    "newly-judged": style.good,
  };
  return [
    style.strong("Requirements"),
    ...requirements.flatMap(({ kind, id, before, after, statement, findings }) => [
      `  ${paint[kind](changeLabels[kind])}: ${printable(id)} (${verdict(before)} before, ${verdict(after)} after)`,
      ...wrap(printable(statement), { width: style.width, indent: "    " }),
      ...wrap(findings.map(shown).join(" "), { width: style.width, indent: "    " }).map(style.faint),
    ]),
  ];
}

function verdict(id: VerdictChange["before"]): string {
  return id === "absent" ? "not there" : verdictLabels[id];
}

function renderDrift({ drift }: Comparison, style: ConsoleStyle): string[] {
  if (drift === undefined) return [];
  const paint: Readonly<Record<Drift["rank"], (text: string) => string>> = {
    breaking: style.bad,
    notable: style.unsure,
    harmless: style.faint,
  };
  return [
    style.strong("Contract"),
    ...(drift.length === 0 ? ["  no change"] : []),
    ...drift.flatMap((one) => {
      const { rank, rule } = one;
      const [first = "", ...rest] = wrap(printable(`${rank}: ${driftText(one)} (${rule})`), {
        width: style.width,
        indent: "  ",
      });
      return [first.replace(rank, paint[rank](rank)), ...rest];
    }),
  ];
}

function exitLine({ verdict: outcome, exitCode }: Comparison): string {
  const meanings = {
    regression: "something got worse",
    "no regression": "nothing got worse",
    incomplete: "nothing is known to be worse, but not all could be compared",
  } as const satisfies Record<Comparison["verdict"], string>;
  return `Exit ${exitCode}: ${meanings[outcome]}.`;
}

/** The latency of one scenario before and after, with the answer. */
function renderLoadRegression(regression: LoadRegression, style: ConsoleStyle): string[] {
  const { scenario, profile, comparison, unmeasured, notes } = regression;
  const { answer, findings, runs, endpoints } = comparison;
  const widest = Math.max(8, ...endpoints.map(({ endpoint }) => rowName(endpoint).length));
  const isPair = runs.before === 1 && runs.after === 1;
  const lines = [...[...findings, ...notes].map(shown), ...unmeasuredLine(unmeasured)];
  return [
    `${style.strong(`Load ${printable(scenario)}`)} (${printable(profile)}), ${runs.before} before, ${runs.after} after: ${painted(answer, style)}`,
    ...lines.flatMap((line) => wrap(line, { width: style.width, indent: "  " })),
    ...(endpoints.length === 0
      ? []
      : [
          style.faint(
            `  ${"endpoint".padEnd(widest)}         before ms   after ms     change   interval${isPair ? ", by the chance of samples alone" : ""}`,
          ),
        ]),
    ...endpoints.map(
      ({ endpoint, statistic, answer: own, before, after, change: share, low, high }) =>
        `  ${rowName(endpoint).padEnd(widest)}  ${printable(statistic)}  ${cell(before)} ${cell(after)}  ${change(share).padStart(9)}   ${change(low)} to ${change(high)}  ${painted(own, style)}`,
    ),
  ];
}

function rowName(endpoint: string): string {
  return printable(requestName(endpoint));
}

function painted(answer: LatencyAnswer, style: ConsoleStyle): string {
  const label = comparisonLabels[answer];
  switch (answer) {
    case "slower":
      return style.bad(label);
    case "faster":
    case "same":
      return style.good(label);
    case "inconclusive":
    case "refused":
      return style.unsure(label);
    default:
      return answer satisfies never;
  }
}

function unmeasuredLine({ length }: LoadRegression["unmeasured"]): string[] {
  if (length === 0) return [];
  const statistics = counted(length, "more statistic has", "more statistics have");
  return [`${statistics} too few samples to be judged; --explain lists them.`];
}

function cell(milliseconds: number): string {
  return milliseconds.toFixed(milliseconds < 100 ? 2 : 0).padStart(10);
}

/** How each answer of `compare` came about: `--explain`. */
function renderArithmetic(regression: LoadRegression, style: ConsoleStyle): string[] {
  const { scenario, rows, rule, comparison } = regression;
  if (rows.length + regression.unmeasured.length === 0) return [];
  const { minimumEffect, minimumMilliseconds, resamples, seed } = rule;
  const share = (value: number) => `${Number((value * 100).toPrecision(3))} %`;
  const method = [
    `Each run is resampled ${resamples} times (seed ${seed}): the samples within it, by its own distribution. The logarithms of the runs' values are compared: their difference is the change, and the interval is the larger of t × spread between runs and z × spread by sampling, times the root of 1/runs before + 1/runs after.`,
    `All intervals of the comparison together leave out ${share(rule.falseAlarms)}: of ${share(rows.reduce((sum, row) => sum + row.leftOut, 0))} for this scenario, the rows of the whole have half.`,
    `Slower: the interval lies above 0, and the change is ${share(minimumEffect)} or more and ${minimumMilliseconds} ms or more. Same: nothing in the interval is as much. Faster: as slower, with the interval below 0. Else not judged.`,
  ];
  return [
    style.strong(`Arithmetic of ${scenario}`),
    ...method.flatMap((line) => wrap(line, { width: style.width, indent: "  " })),
    ...regression.unmeasured.map(
      ({ endpoint, statistic, samples, needed }) =>
        `  ${rowName(endpoint)} ${statistic}: not judged, ${samples} samples in a run, ${needed} needed`,
    ),
    ...rows.flatMap((row, place) => renderRow(row, comparison.endpoints[place]?.answer, style)),
  ];
}

function renderRow(row: MeasuredRow, answer: LatencyAnswer | undefined, style: ConsoleStyle): string[] {
  const { endpoint, statistic, before, after, samples, leftOut, change: changed, isWhole } = row;
  const { spread } = changed;
  const percent = (value: number) => `${(value * 100).toFixed(2)} %`;
  const sampling = spread.normalQuantile * spread.withinRuns;
  const between = spread.studentQuantile * spread.betweenRuns;
  const label = answer === undefined ? "" : comparisonLabels[answer];
  const lines = [
    `before ${values(before)}`,
    `after ${values(after)}`,
    `change ${change(changed.change)}: ${changed.before.toFixed(3)} to ${changed.after.toFixed(3)} ms, geometric means`,
    `between runs: t ${spread.studentQuantile.toFixed(3)} (${spread.degreesOfFreedom} degrees of freedom) × ${percent(spread.betweenRuns)} = ${percent(between)}`,
    `by sampling: z ${spread.normalQuantile.toFixed(3)} × ${percent(spread.withinRuns)} = ${percent(sampling)}`,
    `× √(1/${before.length} + 1/${after.length}) = ${percent(spread.halfWidth)} each way: ${change(changed.low)} to ${change(changed.high)}, ${label}`,
  ];
  return [
    `  ${rowName(endpoint)} ${statistic}, ${samples} samples, interval of ${percent(1 - leftOut)}${isWhole ? ", speaks for the whole" : ""}`,
    ...lines.flatMap((line) => wrap(line, { width: style.width, indent: "    " })),
  ];
}

function values(runs: readonly RunValue[]): string {
  return runs
    .map(
      ({ milliseconds, samplingError }) =>
        `${milliseconds.toFixed(3)} ms ±${(samplingError * 100).toFixed(1)} %`,
    )
    .join(", ");
}
